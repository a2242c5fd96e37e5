"""The statistics of a run: the answer of each benchmark first, and all of them in one table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..format import count
from ..messages import joined, known, message
from ..metrics.criterion import level_name
from ..metrics.estimate import Statistic
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
from .caveats import anchors_missed, constant_answers
from .data import ReportData
from .estimates import (
    estimate_columns,
    has_gaps,
    headlines,
    is_by_group,
    legend,
    named,
    span,
    whisker,
)
from .glance import answer_blocks
from .names import name_of

_DRAWN = message(
    "On the statistic's scale. Dot: value. Line: interval. Light bar: lowest to highest case over "
    "unscored items."
)


def scores_section(data: ReportData, requested: Mapping[str, str]) -> Section:
    """The answer: of each benchmark a sentence, a plot and the headlines.

    `requested` says of each benchmark what was asked of whom.
    """
    sections = []
    for benchmark, statistics in data.scores.items():
        first = headlines(statistics)
        blocks = (*answer_blocks(first), _headlines(data, benchmark, first))
        sections.append(Section(benchmark, blocks, note=requested.get(benchmark, "")))
    if not any(map(len, data.scores.values())):
        return Section(message("The answer"), (nothing_scored(),), id="scores")
    counts = what_is_counted(gaps=any(map(has_gaps, data.scores.values())))
    text = (message("Every answer, with search and filters:"), " ", Code("normscope view RUN"))
    blocks = (*sections, counts, Paragraph(text, note=True))
    return Section(message("The answer"), blocks, id="scores")


def overall_scores(
    scores: Mapping[str, Sequence[Statistic]], *, caveats: Sequence[str] = ()
) -> tuple[Block, ...]:
    """The overall scores of each benchmark as one table, the caveats and theirs first."""
    table = Table.of(
        (
            {
                "benchmark": "" if at else benchmark,
                # the names of `scores.json`, by which a script finds these numbers
                "score": f"{row.name} ({row.member})" if row.member else row.name,
                **estimate_columns(row.estimate, row.unit),
            }
            for benchmark, statistics in scores.items()
            for at, row in enumerate(row for row in statistics if not row.group)
        ),
        texts=2,
    )
    return (*map(Caveat, caveats), *constant_answers(scores), *anchors_missed(scores), table)


def statistics_blocks(data: ReportData) -> Iterator[Block]:
    """Folded away the table of the statistics of each benchmark."""
    for benchmark, statistics in data.scores.items():
        table = statistics_table(statistics)
        yield Details(benchmark, content((table,)), note=count(len(table.rows)), printed=True)
    headline = {row.name for rows in data.scores.values() for row in headlines(rows)}
    # what the headlines are stands under their names
    names = (row.name for rows in data.scores.values() for row in rows)
    yield legend(name for name in names if name not in headline)
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
    value, *counts = estimate_columns(row.estimate, row.unit, gaps=gaps).items()
    return {
        message("statistic"): name_of(row.name),
        message("group"): name_of(row.group),
        # an item may lack the dimension, and its row needs a name all the same
        message("of"): name_of(row.member) or (message("not given") if row.group else ""),
        **dict((value, (Column(_DRAWN, "drawing"), whisker(row)), *counts)),
    }


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
            **estimate_columns(row.estimate, row.unit, gaps=gaps, note=_method(row)),
        }
        for row in statistics
    )
    return Table.of(records, look="glance")


def _method(statistic: Statistic) -> str:
    """The interval's level and target; where there is none why."""
    e = statistic.estimate
    # what is exact holds at every level
    if e.method == "exact":
        return name_of(e.target)
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
