"""How near a model's answers to vignettes are to what people said of the same vignettes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..format import scale_end
from ..messages import message
from ..metrics.estimate import Statistic
from ..metrics.inputs import Floats
from ..metrics.intervals import Codes
from ..metrics.norms import ACCEPTABILITY, item_means
from ..metrics.survey import agreement_with, rescaled
from ..records.item import Item
from ..records.ratings import Rating
from .norms import VignetteAnswers

PREFIX = "people_"
"""What the names of the statistics begin with that hold a model beside people."""


@dataclass(frozen=True, eq=False)
class RatedVignettes:
    """The ratings that have a mean, and the pairs of a rating and a vignette that it is of.

    `units` and `vignettes` are the places of the two of each pair, in `ratings` and among the
    answers: a vignette may be in several ratings, of its sender and of its recipient.
    """

    ratings: tuple[Rating, ...]
    units: Codes
    vignettes: Codes

    @classmethod
    def of(cls, items: Sequence[Item], ratings: Sequence[Rating]) -> "RatedVignettes":
        """The ratings with a mean, of some of these vignettes."""
        place = {item.item_id: at for at, item in enumerate(items)}
        known = tuple(
            rating
            for rating in ratings
            if rating.mean is not None and any(each in place for each in rating.item_ids)
        )
        pairs = [
            (unit, place[item_id])
            for unit, rating in enumerate(known)
            for item_id in rating.item_ids
            if item_id in place
        ]
        units, vignettes = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        return cls(known, units, vignettes)

    def scaled(self) -> Floats:
        """The ratings on the scale of the answers, −2 … +2: its ends are those of theirs."""
        return np.array([rescaled(r.mean or 0.0, (r.low, r.high)) for r in self.ratings])

    def means(self, answers: Floats) -> Floats:
        """The mean answer (vignettes × replies) to those of each rating; NaN where there is none.

        It is the mean over the vignettes of their mean answers.
        """
        of_each = item_means(answers)[self.vignettes]
        there = ~np.isnan(of_each)
        size = len(self.ratings)
        counts = np.bincount(self.units[there], minlength=size)
        totals = np.bincount(self.units[there], weights=of_each[there], minlength=size)
        return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)


def people_statistics(answered: VignetteAnswers, ratings: Sequence[Rating]) -> list[Statistic]:
    """Correlations of the model's mean answers with people's mean ratings, and their difference.

    A unit is a rating: one of six vignettes counts once, beside the mean answer to the six
    (`metrics.survey.agreement_with`). Correlations of ranks need no common scale. For the mean
    difference, model less people, the ratings' scale is stretched onto −2 … +2, and its `method`
    says from what.
    """
    rated = RatedVignettes.of(answered.items, ratings)
    if not len(rated.units):
        return []
    at = rated.vignettes
    table = agreement_with(answered.answers[at], answered.unscored[at], rated.units, rated.scaled())
    return [_named(row, rated.ratings[0]) for row in table]


def _named(statistic: Statistic, rating: Rating) -> Statistic:
    estimate = statistic.estimate
    if statistic.name == "bias":
        scale = message(
            "{method}; ratings of {low} … {high} on {least} … {most}",
            method=estimate.method,
            low=scale_end(rating.low),
            high=scale_end(rating.high),
            least=scale_end(ACCEPTABILITY[0]),
            most=scale_end(ACCEPTABILITY[1]),
        )
        estimate = replace(estimate, method=scale)
    return replace(statistic, name=PREFIX + statistic.name, estimate=estimate)
