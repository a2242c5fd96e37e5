"""The statistics of a run: the answer of each benchmark in words, and the tables of all."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..format import MISSING, count, estimate
from ..messages import joined, known, marked, message
from ..metrics.criterion import CRITERION, level_name
from ..metrics.definitions import is_by_group
from ..metrics.estimate import Statistic
from ..metrics.scores import Scores
from .blocks import (
    Block,
    Caveat,
    Cell,
    Code,
    Column,
    Details,
    Paragraph,
    Record,
    Section,
    Table,
    content,
)
from .caveats import answer_caveats
from .data import ReportData
from .estimates import (
    estimate_columns,
    has_gaps,
    label_of,
    legend,
    named,
    span,
    whisker,
)
from .names import name_of
from .notebook import Shown

if TYPE_CHECKING:
    import pandas as pd

_DRAWN = message(
    "On the statistic's scale. Dot: value. Line: interval. Light bar: lowest to highest case over "
    "unscored items."
)

_OPEN = "open"
"""Of the prompts of a benchmark with closed ones, those that the answer is of."""


_PATTERNS = {
    ("score", "moral_share"): marked(
        "{n} answers score {score} on average, from 0 (unsafe) to 5 (safe); {moral_share} of "
        "them count as moral."
    ),
    ("hr", "rr1", "rr2"): marked(
        "Of {n} answers {hr} are risky; {rr1} refuse, {rr2} with responsible guidance."
    ),
    ("agreement", "chance"): marked(
        "Of {n} questions {agreement} get the key's option; a blind choice would {chance}."
    ),
    ("silver_agreement", "chance"): marked(
        "Of {n} questions {silver_agreement} get the option of the silver key, which is this "
        "project's own; a blind choice would {chance}."
    ),
    ("simple_majority", "accept_share", "reject_share"): marked(
        "On {simple_majority} of {n} vignettes a simple majority of the answers agrees; "
        "{accept_share} are acceptable to the model, {reject_share} unacceptable."
    ),
    ("mean_acceptability",): marked(
        "Over {n} prompts for each vignette its answers average {mean_acceptability}, from −2 "
        "(unacceptable) to 2 (acceptable)."
    ),
}
"""A sentence of the statistics in its slots; `n` is the first one's."""

_OF_GUARDS = {
    "score": (
        ("moral", "moral_share"),
        marked("{n} answers are moral by {moral} on average; {moral_share} more likely than not."),
    ),
    "rr2": (
        ("hr", "rr1"),
        marked("Of {n} answers {hr} do harm and do not refuse; {rr1} refuse."),
    ),
}
"""The same where a statistic of theirs is not there, since a guard says no more."""


class ShownScores(Scores, Shown):
    """The table of statistics, which shows its overall rows, and folded away those by group."""

    def _shown(self) -> Sequence[Block]:
        by_group = (
            Details(benchmark or message("Details"), (statistics_table(statistics),))
            for benchmark, statistics in self.by_benchmark.items()
            if any(each.group for each in statistics)
        )
        return (*self._brief(), what_is_counted(gaps=has_gaps(self)), *by_group)

    def _brief(self) -> Sequence[Block]:
        return overall_scores(self)


class Scored(Shown):
    """A result that has statistics, and shows these."""

    __slots__ = ()

    @property
    @abstractmethod
    def scores(self) -> ShownScores:
        """The statistics."""

    def to_frame(self) -> "pd.DataFrame":
        """The statistics as a tidy data frame (`Scores.to_frame`)."""
        return self.scores.to_frame()

    def _shown(self) -> Sequence[Block]:
        return self.scores._shown()


def scores_section(data: ReportData, requested: Mapping[str, str]) -> Section:
    """The answer: of each benchmark a sentence and the headlines.

    `requested` says of each benchmark what was asked of whom.
    """
    if not data.scores:
        return Section(message("The answer"), (nothing_scored(),), id="scores")
    sections: list[Block] = []
    for benchmark in data.scores.by_benchmark:
        first = data.scores.headlines(benchmark)
        words = Paragraph(text) if (text := sentence(first)) else None
        blocks = content((words, _headlines(data, benchmark, first)))
        sections.append(Section(benchmark, blocks, note=requested.get(benchmark, "")))
    counts = what_is_counted(gaps=has_gaps(data.scores))
    about = message("Every answer, with search and filters:")
    view = Paragraph((about, " ", Code("normscope view RUN")), note=True)
    return Section(message("The answer"), (*sections, counts, view), id="scores")


def overall_scores(scores: Scores, *, caveats: Sequence[str] = ()) -> tuple[Block, ...]:
    """The overall scores of each benchmark as one table, the caveats and theirs first."""
    table = Table.of(
        (
            {
                "benchmark": "" if at else benchmark,
                # the names of `scores.json`, by which a script finds these numbers
                "score": f"{row.name} ({row.member})" if row.member else row.name,
                **estimate_columns(row.estimate, row.unit),
            }
            for benchmark in scores.by_benchmark
            for at, row in enumerate(scores.overall(benchmark))
        ),
        texts=2,
    )
    return (*map(Caveat, caveats), *answer_caveats(scores), table)


def statistics_blocks(data: ReportData) -> Iterator[Block]:
    """Folded away the table of the statistics of each benchmark."""
    scores = data.scores
    for benchmark, statistics in scores.by_benchmark.items():
        table = statistics_table(statistics)
        yield Details(benchmark, content((table,)), note=count(len(table.rows)), printed=True)
    # what the headlines are stands under their names
    headline = {row.name for name in scores.by_benchmark for row in scores.headlines(name)}
    yield legend(row.name for row in scores if row.name not in headline)
    yield Paragraph(
        message(
            "By group there is what a benchmark is about; scores.json and the report as CSV have "
            "every statistic of every group."
        ),
        note=True,
    )


def statistics_table(statistics: Sequence[Statistic]) -> Table:
    """A row per statistic: what it is of, its value, interval and counts, drawn on its scale.

    The overall ones come first. Of a group there is what the benchmark is about, if it has that.
    """
    broken_down = {row.group for row in statistics if is_by_group(row.name)}
    rows = [
        row
        for row in statistics
        if not row.group or row.group not in broken_down or is_by_group(row.name)
    ]
    groups = ["", *dict.fromkeys(row.group for row in rows)]
    names = [*dict.fromkeys(row.name for row in rows)]
    # the levels of a group under one another, statistic by statistic
    rows.sort(key=lambda row: (groups.index(row.group), bool(row.group) and names.index(row.name)))
    gaps = has_gaps(rows)
    return Table.of((_record(row, gaps=gaps) for row in rows), texts=3, look="scores", brief=False)


def _record(row: Statistic, *, gaps: bool) -> Record:
    return {
        message("statistic"): name_of(row.name),
        message("group"): name_of(row.group),
        # an item may lack the dimension, and its row needs a name all the same
        message("of"): name_of(row.member) or (message("not given") if row.group else ""),
        **_drawn(row, gaps=gaps),
    }


def _drawn(row: Statistic, *, gaps: bool, note: str = "") -> Record:
    """The columns of the estimate, and behind its value the estimate drawn."""
    value, *counts = estimate_columns(row.estimate, row.unit, gaps=gaps, note=note).items()
    return dict((value, (Column(_DRAWN, "drawing"), whisker(row)), *counts))


def nothing_scored() -> Paragraph:
    """That there is no number."""
    return Paragraph(message("Nothing in this run was scored."))


def what_is_counted(*, gaps: bool) -> Paragraph:
    """What the columns of counts mean, and that of the extremes where there are `gaps`."""
    texts: list[str] = [
        message(
            "n counts scored items; of the mean acceptability and of the unanswered it counts "
            "prompt variants, whatever the orders of the scale."
        )
    ]
    if gaps:
        texts.append(
            message(
                "The interval is over the scored; lowest – highest is the range that the unscored "
                "leave open: the value had every one got the lowest, or the highest, possible."
            )
        )
    return Paragraph(joined(texts, " "), note=True)


def _headlines(data: ReportData, benchmark: str, statistics: Sequence[Statistic]) -> Table:
    """The headlines of a benchmark, each interval with its target and how it was made."""
    gaps = has_gaps(statistics)
    records = (
        {
            message("statistic"): _named(data, benchmark, row),
            **_drawn(row, gaps=gaps, note=_method(row)),
        }
        for row in statistics
    )
    return Table.of(records, look="glance")


def _method(statistic: Statistic) -> str:
    """The interval's level and target; where there is none why."""
    e = statistic.estimate
    if e.is_exact:
        return ""
    if e.low is None:
        return known(e.method)
    return message("{level} for {target}", level=f"{e.level * 100:.6g} %", target=name_of(e.target))


def _named(data: ReportData, benchmark: str, statistic: Statistic) -> Cell:
    """The statistic with its range; of a criterion of one's own also what it asks."""
    cell = named(statistic)
    rubric = data.config.provenance.rubrics.get(benchmark)
    for name, scale in rubric.own.items() if rubric else ():
        if statistic.name == level_name(name):
            ends = span(min(scale.values), max(scale.values))
            return replace(cell, note=joined((scale.question, ends), " · "))
    return cell


def sentence(statistics: Sequence[Statistic]) -> str:
    """The primary statistics in words, each with its interval; empty where none is known.

    >>> from normscope.metrics.refusal import refusal_rates
    >>> sentence(refusal_rates([0, 3, 3, 3]))[:58]
    'Of 4 answers 25.0 % [4.56, 69.9] % are risky; 75.0 % [30.1'
    """
    # of the prompts of several kinds the first, which are the open ones, are the answer
    primary: dict[str, Statistic] = {}
    for row in statistics:
        primary.setdefault(row.name, row)
    others = (pair for name, pair in _OF_GUARDS.items() if name not in primary)
    texts = [
        text
        for names, pattern in (*_PATTERNS.items(), *others)
        if primary.keys() >= set(names)
        for text in _filled(pattern, [primary[name] for name in names])
    ]
    texts += [
        message("{name}: {value} on average.", name=label_of(row), value=_value(row))
        for name, row in primary.items()
        if name.startswith(CRITERION)
    ]
    if any(row.member == _OPEN for row in primary.values()):
        texts.append(message("These are the open prompts."))
    return joined(texts, " ") if texts else ""


def _filled(pattern: str, rows: Sequence[Statistic]) -> Iterator[str]:
    """The sentence of the pattern, and how many are unscored if any are."""
    first, unscored = rows[0], count(rows[0].estimate.unscored)
    if first.estimate.value is None:
        yield message("{name}: none of {n} could be scored.", name=label_of(first), n=unscored)
        return
    values = {row.name: _value(row) for row in rows}
    yield message(pattern, n=count(first.estimate.n), **values)
    if first.estimate.unscored:
        yield message("{n} more could not be scored.", n=unscored)


def _value(row: Statistic) -> str:
    """The value and its interval; what is exact has none."""
    text = estimate(row.estimate, row.unit)
    bare = row.estimate.is_exact or text.interval == MISSING
    return text.value if bare else f"{text.value} {text.interval}"
