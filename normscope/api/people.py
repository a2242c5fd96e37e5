"""A model's acceptability beside people's, in Python."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..errors import DataError
from ..messages import message
from ..pipeline.norms import VignetteAnswers
from ..pipeline.people import RatedVignettes, people_statistics
from ..records.ratings import Rating
from ..report.exports import Scored, Scores

if TYPE_CHECKING:
    import pandas as pd

    from ..report.blocks import Block


@dataclass(frozen=True, eq=False, repr=False)
class BesidePeople(Scored):
    """How far a model's mean acceptability goes with people's ratings of the same flows.

    `scores` are the correlations (Kendall's τ-b, Spearman's ρ, Pearson's r) and the mean
    difference, model less people, with the ends of people's scale put on those of the answers. A
    rating of several vignettes counts once. `unmatched` counts the ratings that are of no vignette
    which was asked.
    """

    answered: VignetteAnswers
    rated: RatedVignettes
    unmatched: int
    model: str = ""

    @classmethod
    def of(cls, answered: VignetteAnswers, ratings: Sequence[Rating], model: str) -> "BesidePeople":
        """The answers beside the ratings; a `DataError` where none is of vignettes of theirs."""
        rated = RatedVignettes.of(answered.items, ratings)
        if not rated.ratings:
            theirs = next((each for rating in ratings for each in rating.item_ids), "–")
            raise DataError(
                f"none of {len(ratings)} ratings is of a vignette that was asked: they are of such "
                f"as {theirs!r}, and the answers to such as {answered.items[0].item_id!r}; rate "
                "the same vignettes"
            )
        known = sum(rating.mean is not None for rating in ratings)
        return cls(answered, rated, known - len(rated.ratings), model)

    @cached_property
    def scores(self) -> Scores:
        """The statistics of the agreement, n counting ratings."""
        statistics = people_statistics(self.answered, self.rated.ratings)
        return Scores.of(statistics, model=self.model)

    @cached_property
    def flows(self) -> "pd.DataFrame":
        """A row per rating, the furthest apart first (`RatedVignettes.flows`)."""
        return self.rated.flows(self.answered)

    def _shown(self) -> "Sequence[Block]":
        from ..report.blocks import Caveat
        from ..report.people import beside_people

        left_out = message(
            "{n} ratings are of no vignette that was asked, and are left out.", n=self.unmatched
        )
        caveats = (Caveat(left_out),) if self.unmatched else ()
        return (*caveats, *beside_people(self.rated, self.answered, [*self.scores]))
