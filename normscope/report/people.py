"""A model's acceptability beside people's: how far they go together, and where they part."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..errors import DataError
from ..format import MISSING, count, number, scale_end
from ..frames import is_missing
from ..messages import joined, message
from ..metrics.norms import ACCEPTABILITY
from ..pipeline.norms import VignetteAnswers
from ..pipeline.people import RatedVignettes, people_statistics
from ..records.judgements import Judgements, headline
from ..records.ratings import Rating
from .blocks import Block, Caveat, Paragraph, Record, Section, Table
from .data import ReportData
from .estimates import labelled_table, named
from .scores import Scored, ShownScores

if TYPE_CHECKING:
    import pandas as pd

_MOST_APART = 10
_NOTE = Paragraph(
    message(
        "Ranks need no common scale. The difference does: the ends of people's scale are put on "
        "those of the answers, so that a share of yes of 0.5 stands at neutral. n is the number of "
        "ratings; one that is of several vignettes counts once. The intervals are for other flows "
        "of the kind, as if these had been drawn at random."
    ),
    note=True,
)


def people_blocks(data: ReportData, judgements: Judgements) -> Iterator[Section]:
    """Each benchmark whose vignettes people rated; the statistics stand among the others."""
    for benchmark in data.scores.by_benchmark:
        ratings = [rating for rating in data.ratings if rating.benchmark == benchmark]
        if ratings:
            answered = VignetteAnswers.of(headline(judgements.of_benchmark(benchmark)))
            rated = RatedVignettes.of(answered.items, ratings)
            yield Section(benchmark, (*_about(rated), _apart(rated, answered), _NOTE))


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
    def scores(self) -> ShownScores:
        """The statistics of the agreement, n counting ratings."""
        statistics = people_statistics(self.answered, self.rated.ratings)
        return ShownScores.of(statistics, model=self.model)

    @cached_property
    def flows(self) -> "pd.DataFrame":
        """A row per rating, the furthest apart first (`RatedVignettes.flows`)."""
        return self.rated.flows(self.answered)

    def _shown(self) -> Sequence[Block]:
        """What people were asked, the statistics of the agreement, and where they part."""
        left_out = message(
            "{n} ratings are of no vignette that was asked, and are left out.", n=self.unmatched
        )
        statistics = ((named(row), row) for row in self.scores)
        return (
            *((Caveat(left_out),) if self.unmatched else ()),
            *_about(self.rated),
            labelled_table(message("statistic"), statistics),
            _apart(self.rated, self.answered),
            _NOTE,
        )


def _about(rated: RatedVignettes) -> Iterator[Paragraph]:
    """What people were asked, on which scale, and how many of their answers are left out."""
    first = rated.ratings[0]
    slots = {
        "low": scale_end(first.low),
        "high": scale_end(first.high),
        "n": count(len(rated.ratings)),
    }
    yield Paragraph(
        message(
            "People were asked: {question} From {low} to {high}. {n} ratings, from {source}.",
            question=first.question,
            source=first.source,
            **slots,
        )
        if first.question
        else message("People rated from {low} to {high}. {n} ratings.", **slots)
    )
    if missing := sum(rating.missing or 0 for rating in rated.ratings):
        text = message(
            "{n} answers of people that are none on the scale are left out.", n=count(missing)
        )
        yield Paragraph(text)


def _apart(rated: RatedVignettes, answered: VignetteAnswers) -> Table:
    """The ratings that are furthest from the model's means: levels, people's mean, the model's."""
    first = rated.ratings[0]
    scale = message("people, {low} … {high}", low=scale_end(first.low), high=scale_end(first.high))
    low, high = map(scale_end, ACCEPTABILITY)
    model = message("model, {low} … {high}", low=low, high=high)
    flows = rated.flows(answered)
    factors = flows.columns[1 : flows.columns.get_loc("vignettes")]
    rows: list[Record] = []
    # none where the model has no mean
    for flow in flows[flows["difference"].abs() > 0][:_MOST_APART].to_dict("records"):
        levels = [flow[name] for name in factors if flow[name] and not is_missing(flow[name])]
        people = MISSING if is_missing(flow["n"]) else count(int(flow["n"]))
        rows.append(
            {
                message("flow"): joined(levels, " · ") or flow["item_id"],
                scale: number(flow["people"]),
                message("people asked"): people,
                model: number(flow["model"]),
            }
        )
    return Table.of(rows, title=message("Where they are furthest apart"))
