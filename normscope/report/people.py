"""What people say: of flows, beside a model; of answers, as raters and to correct a judge."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..errors import DataError
from ..format import MISSING, count, estimate, number, scale_end, signed
from ..frames import is_missing
from ..judges.trust.corrections import Corrected, Correction
from ..messages import joined, known, message
from ..metrics.estimate import Statistic
from ..metrics.norms import ACCEPTABILITY
from ..metrics.raters import ALL
from ..pipeline.norms import VignetteAnswers
from ..pipeline.people import RatedVignettes, people_statistics
from ..records.item import Rating
from ..records.judgements import Judgements, headline
from .blocks import Block, Caveat, Column, Paragraph, Record, Section, Table
from .data import ReportData
from .estimates import estimate_columns, explained, labelled_table, named
from .names import name_of
from .scores import Scored, Scores

if TYPE_CHECKING:
    import pandas as pd

_MOST_APART = 10
_NOTE = explained("docs/contexts.md")


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
        with_mean = sum(rating.mean is not None for rating in ratings)
        return cls(answered, rated, with_mean - len(rated.ratings), model)

    @cached_property
    def scores(self) -> Scores:
        """The statistics of the agreement, n counting ratings."""
        statistics = people_statistics(self.answered, self.rated.ratings)
        return Scores.of(statistics, model=self.model)

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


def raters_table(agreement: Mapping[str, Sequence[Statistic]], who: str) -> Table:
    """Per criterion the agreement of each member and of all: raters or runs, as `who` says."""
    return Table.of(
        (
            {
                message("criterion"): name_of(criterion),
                who: name_of(ALL) if row.member == ALL else row.member,
                message("statistic"): name_of(row.name),
                **estimate_columns(row.estimate, row.unit),
            }
            for criterion, statistics in agreement.items()
            for row in statistics
        ),
        texts=3,
    )


def corrected_blocks(corrections: Sequence[Correction]) -> Iterator[Block]:
    """The corrected numbers beside the raw ones; nothing where nothing was corrected."""
    for correction in corrections:
        yield Table.of(
            map(_record, correction.rows),
            texts=3,
            title=correction.benchmark,
            note=message(
                "{method}, {level} intervals: {basis}; judge {judge}",
                method=known(correction.method),
                level=_level(correction),
                basis=known(correction.basis),
                judge=correction.judge,
            ),
        )
        yield from (Paragraph(known(caveat)) for caveat in correction.caveats)
    if corrections:
        yield explained("docs/annotate.md")


def _level(correction: Correction) -> str:
    """The level of every interval of the correction."""
    return f"{correction.rows[0].new.level * 100:.6g} %" if correction.rows else ""


def _record(row: Corrected) -> Record:
    new = estimate(row.new, row.unit)
    return {
        message("statistic"): name_of(row.name),
        message("group"): name_of(row.group),
        message("of"): name_of(row.member),
        Column(message("raw"), "number", tone="muted"): estimate(row.raw, row.unit).value,
        Column(message("corrected"), "number", tone="strong"): new.value,
        message("these items"): estimate(row.these, row.unit).interval,
        message("new items of the kind"): new.interval,
        message("rectifier"): _rectifier(row),
        message("labelled"): count(row.labelled),
        message("judged"): count(row.judged),
    }


def _rectifier(row: Corrected) -> str:
    """What the labels add: rates in percentage points, scores as they are.

    λ stands before it where the raw value was not taken whole.
    """
    text = signed(row.rectifier, rate=row.unit == "rate")
    return text if row.tuning == 1 else f"{text} (λ {number(row.tuning)})"
