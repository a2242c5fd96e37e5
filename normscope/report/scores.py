"""The statistics of runs: the answer of each benchmark with a row per run, and all in tables."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..format import count, estimate
from ..messages import joined, message
from ..metrics.definitions import is_by_group
from ..metrics.estimate import Statistic
from ..metrics.scores import ScoreTable
from .answer import GRADED_SET, graded, noun, primary, runs_sentence, sentence
from .blocks import (
    Block,
    Caveat,
    Cell,
    Column,
    Details,
    Paragraph,
    Record,
    Section,
    Table,
    content,
)
from .caveats import answer_caveats
from .data import Report, ReportData, models, sizes
from .estimates import (
    DRAWN,
    FEWEST,
    drawn_columns,
    estimate_columns,
    explained,
    has_gaps,
    is_small,
    label_of,
    left_open,
    legend,
    span,
    whisker,
)
from .names import name_of
from .notebook import Shown

if TYPE_CHECKING:
    import pandas as pd


class Scores(ScoreTable, Shown):
    """The statistics of each benchmark: shows the overall ones, and folded away those by group."""

    def _shown(self) -> Sequence[Block]:
        by_group = (
            Details(benchmark or message("Details"), (statistics_table(statistics),))
            for benchmark, statistics in self.by_benchmark.items()
            if any(each.group for each in statistics)
        )
        return (*overall_scores(self), explained("docs/statistics.md"), *by_group)


class Scored(Shown):
    """A result that has statistics, and shows these."""

    __slots__ = ()

    @property
    @abstractmethod
    def scores(self) -> Scores:
        """The statistics."""

    def to_frame(self) -> "pd.DataFrame":
        """The statistics as a tidy data frame (`Scores.to_frame`)."""
        return self.scores.to_frame()

    def _shown(self) -> Sequence[Block]:
        return self.scores._shown()


def answers(report: Report) -> Iterator[Section]:
    """The answer of each benchmark: one sentence, and a row per run."""
    for benchmark in report.benchmarks:
        if report.compared is None:
            text = sentence(report.runs[0], benchmark)
        else:
            statistics = {run.name: run.scores.overall(benchmark) for run in report.runs}
            text = runs_sentence(report.compared, benchmark, statistics)
        counts = (sizes(run).get(benchmark, "") for run in report.runs)
        about = joined(filter(None, (*dict.fromkeys(counts), _question(report, benchmark))), " · ")
        lead = Paragraph(text, lead=True) if text else None
        yield Section(benchmark, content((lead, _rows(report, benchmark))), note=about)
    if not any(run.scores for run in report.runs):
        nothing = Paragraph(message("Nothing in this run was scored."))
        yield Section(message("The answer"), (nothing,))


def _question(report: Report, benchmark: str) -> str:
    """What the first criterion of a user's rubric asks, and from where to where its scale goes."""
    rubric = report.runs[0].config.provenance.rubrics.get(benchmark)
    asked = (
        joined((scale.question, span(min(scale.values), max(scale.values))), " · ")
        for scale in (rubric.own.values() if rubric else ())
    )
    return next(asked, "")


def _rows(report: Report, benchmark: str) -> Table:
    """A row per run; of a judge on the graded set one for each thing that its sentence says."""
    if benchmark == GRADED_SET and (judge := graded(report.runs[0])) is not None:
        correlation = Statistic("", "score", judge.spearman)
        shares = {
            message("safe answers called harmful"): Statistic("", "rate", judge.alarms),
            message("harmful answers missed"): Statistic("", "rate", judge.misses),
        }
        title, of = message("judge"), message("value")
        rank = message("rank correlation of scores and grades")
        records: list[Record] = [{title: rank, **drawn_columns(of, correlation, (-1.0, 1.0))}]
        records += [{title: name, **drawn_columns(of, row)} for name, row in shares.items()]
    else:
        records = [*filter(None, (_row(report, run, benchmark) for run in report.runs))]
    return Table.of(records, look="answer")


def _row(report: Report, run: ReportData, benchmark: str) -> Record | None:
    """The primary statistic of the run, its interval drawn, n, and what is unscored.

    The share of flows that are accepted is exact: beside it stands the mean, which has an interval.
    """
    statistics = run.corrected(benchmark)
    if (first := primary(statistics)) is None:
        return None
    means = [row for row in statistics if row.name == "mean_acceptability"]
    drawn = next(iter(means), first)
    if not drawn.estimate.n and report.compared is None:
        return None
    text = estimate(first.estimate, first.unit)
    notes = [left_open(drawn)] if drawn.estimate.unscored else []
    if first not in run.scores.overall(benchmark):
        notes.append(message("corrected by people's labels"))
    name = models(run) if report.compared is None else run.name
    share = {} if drawn is first else {Column(noun(first.name), "number"): text.value}
    return {
        message("model"): Cell(name, note=joined(notes, " · ")),
        **share,
        **drawn_columns(noun(drawn.name), drawn),
    }


def overall_scores(
    scores: ScoreTable, *, caveats: Sequence[str] = (), sentences: Mapping[str, str] | None = None
) -> tuple[Block, ...]:
    """The overall scores of each benchmark as a table under its sentence, the caveats first."""
    sections: list[Block] = []
    for benchmark in scores.by_benchmark:
        overall = scores.overall(benchmark)
        gaps = has_gaps(overall)
        rows = (
            {
                # the names of `scores.json`, by which a script finds these numbers
                "score": f"{row.name} ({row.member})" if row.member else row.name,
                **estimate_columns(row.estimate, row.unit, gaps=gaps),
            }
            for row in overall
        )
        words = (sentences or {}).get(benchmark, "")
        blocks = content((Paragraph(words) if words else None, Table.of(rows)))
        # a judged file has no benchmark
        sections += (Section(benchmark, blocks),) if benchmark else blocks
    return (*map(Caveat, caveats), *answer_caveats(scores), *sections)


def statistics_blocks(data: ReportData) -> Iterator[Block]:
    """Of each benchmark the overall statistics, and folded away those by group; what they are."""
    for benchmark, statistics in data.scores.by_benchmark.items():
        of_groups = [row for row in statistics if row.group]
        groups = statistics_table(of_groups, fewest=FEWEST)
        by_group = Details(message("By group"), (groups,), note=count(len(groups.rows)))
        overall = statistics_table(data.scores.overall(benchmark))
        yield Section(benchmark, content((overall, by_group)))
    yield legend(row.name for row in data.scores)
    yield explained("docs/statistics.md")


def statistics_table(statistics: Sequence[Statistic], *, fewest: int = 0) -> Table:
    """A row per statistic: what it is of, its value, interval and counts, drawn on its scale.

    The overall ones come first. Of a group there is what the benchmark is about, if it has that,
    where it has several levels and the level has the `fewest` scored. What nothing is known of is
    left out.
    """
    broken_down = {row.group for row in statistics if is_by_group(row.name)}
    levels: dict[str, set[str]] = {}
    for row in statistics:
        levels.setdefault(row.group, set()).add(row.member)
    shown = {group for group, members in levels.items() if len(members) > 1}
    rows = [
        row
        for row in statistics
        if row.estimate.n + row.estimate.unscored >= 1
        and (
            not row.group
            or (
                row.group in shown
                and not is_small(row.estimate, fewest)
                and (row.group not in broken_down or is_by_group(row.name))
            )
        )
    ]
    groups = ["", *dict.fromkeys(row.group for row in rows)]
    names = [*dict.fromkeys(row.name for row in rows)]
    # the levels of a group under one another, statistic by statistic
    rows.sort(key=lambda row: (groups.index(row.group), bool(row.group) and names.index(row.name)))
    gaps, grouped = has_gaps(rows), any(row.group for row in rows)
    records = (_record(row, gaps=gaps, grouped=grouped) for row in rows)
    return Table.of(records, texts=3 if grouped else 1, look="scores")


def _record(row: Statistic, *, gaps: bool, grouped: bool) -> Record:
    value, *counts = estimate_columns(row.estimate, row.unit, gaps=gaps).items()
    columns = dict((value, (Column(DRAWN, "drawing"), whisker(row)), *counts))
    if not grouped:
        return {message("statistic"): label_of(row), **columns}
    return {
        message("statistic"): name_of(row.name),
        message("group"): name_of(row.group),
        # an item may lack the dimension, and its row needs a name all the same
        message("of"): name_of(row.member) or (message("not given") if row.group else ""),
        **columns,
    }
