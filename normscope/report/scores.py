"""The scores of a run: overall on the first screen, then by threshold and channel."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..categorical import group_by
from ..format import MISSING, count, estimate
from ..judges.trust.corrections import Correction
from ..messages import joined, known, message
from ..metrics.criterion import level_name
from ..metrics.estimate import Statistic
from .blocks import (
    Block,
    Cell,
    Column,
    Details,
    Link,
    Paragraph,
    Row,
    Section,
    Table,
    Tone,
    columns,
    content,
)
from .corrected import level_of as correction_level
from .data import ReportData
from .estimates import (
    counted,
    counted_columns,
    has_gaps,
    headlines,
    is_headline,
    label_of,
    level_of,
    named,
    scale_of,
    shown,
    span,
)
from .glance import answer_blocks
from .names import name_of


def scores_section(data: ReportData, requested: Mapping[str, str]) -> Section:
    """The answer: of each benchmark a sentence, a plot, the headlines; the rest is folded away.

    `requested` says of each benchmark what was asked of whom.
    """
    first, more, folded = [], [], []
    for benchmark, statistics in data.scores.items():
        shown_first, below = headlines(statistics)
        table = _overall(data, benchmark, shown_first)
        note = requested.get(benchmark, "")
        first.append(Section(benchmark, (*answer_blocks(shown_first), table), note=note))
        if below:
            more.append(replace(_overall(data, benchmark, below), title=benchmark))
            folded.append(joined(map(label_of, below)))
    blocks: tuple[Block, ...] = (
        *first,
        what_is_counted(gaps=any(map(has_gaps, data.scores.values()))),
        Details(message("More statistics"), content(more), note=joined(folded, "; "), printed=True),
    )
    if not any(map(len, data.scores.values())):
        blocks = (nothing_scored(),)
    return Section(message("The answer"), blocks, id="scores")


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


def _overall(data: ReportData, benchmark: str, statistics: Sequence[Statistic]) -> Table:
    """The overall statistics of a benchmark, each corrected number under the raw one."""
    corrections = [each for each in data.corrections if each.benchmark == benchmark]
    rows: list[Row] = []
    gaps = has_gaps(statistics)
    for statistic in statistics:
        level, target = level_of(statistic), name_of(statistic.estimate.target)
        method: str = message("exact for {target}", target=target)
        if level and statistic.estimate.low is None:
            method = known(statistic.estimate.method)
        elif level:
            method = message("{level} for {target}", level=level, target=target)
            method = joined((method, known(statistic.estimate.method)), "; ")
        label = replace(named(statistic), note=_scale(data, benchmark, statistic))
        rows.append((label, *counted(statistic, gaps=gaps, note=method)))
        for correction in corrections:
            rows += _corrected(correction, statistic, gaps=gaps)
    value, _, *counts = counted_columns(gaps=gaps)
    return Table(
        (Column(message("statistic")), value, Column(message("interval")), *counts),
        tuple(rows),
        look="glance",
    )


def _scale(data: ReportData, benchmark: str, statistic: Statistic) -> str:
    """The range of a statistic's values; of a criterion of one's own also what it asks."""
    rubric = data.config.provenance.rubrics.get(benchmark)
    for name, scale in rubric.own.items() if rubric else ():
        if statistic.name == level_name(name):
            ends = span(min(scale.values), max(scale.values))
            return joined((scale.question, ends), " · ")
    return scale_of(statistic)


def _corrected(correction: Correction, statistic: Statistic, *, gaps: bool) -> Iterator[Row]:
    """The statistic corrected by people's labels, where it is."""
    for row in correction.rows:
        if (row.group, row.name, row.member) == ("", statistic.name, statistic.member):
            target, new = message("new items of the kind"), estimate(row.new, row.unit)
            level = message(
                "{level} for {target}", level=correction_level(correction), target=target
            )
            labels = message("{n} labels", n=count(row.labelled) if row.labelled else MISSING)
            yield (
                Cell(message("corrected"), note=known(correction.method), tone="muted"),
                new.value,
                Cell(new.interval, note=level),
                count(row.judged),
                Cell(Link(labels, "#corrected")),
                # a correction speaks of what was judged, and has no lowest or highest case
                *((MISSING,) if gaps else ()),
            )


def matrix_tables(
    data: ReportData, group: str, first: str, *, used: str = "", unscored: bool = False
) -> tuple[Table, ...]:
    """For each benchmark its headlines at each level of `channel`, `temperature`, `min_coverage`.

    `first` names the levels, and the level `used` is the one that the run was scored with.
    """
    tables = []
    for benchmark, statistics in data.scores.items():
        of_group = [row for row in statistics if row.group == group]
        kept = [row for row in of_group if is_headline(row.name)] or of_group
        names = dict.fromkeys(row.name for row in kept)
        rows: list[Row] = []
        for level, of in group_by(kept, lambda row: row.member).items():
            is_used = level == used
            tone: Tone = "marked" if is_used else ""
            by_name = {row.name: row for row in of}
            cells_of = [_place(by_name.get(name), unscored=unscored) for name in names]
            label = Cell(name_of(level), message("this run") if is_used else "")
            rows.append(tuple(replace(cell, tone=tone) for cell in (label, *cells_of)))
        header = columns(first, *map(name_of, names))
        tables.append(Table(header, tuple(rows), title=benchmark, look="matrix"))
    return tuple(tables)


def _place(statistic: Statistic | None, *, unscored: bool) -> Cell:
    if statistic is None:
        return Cell(MISSING)
    value, interval = shown(statistic)
    lost = message("{n} unscored", n=count(statistic.estimate.unscored))
    return Cell(value, note=joined((interval, lost)) if unscored else interval)


def channel_blocks(data: ReportData) -> Iterator[Block]:
    """How the statistics differ between labels and text, and between temperatures."""
    yield Section(
        message("Labels and text"),
        matrix_tables(data, "channel", message("channel")),
        note=message(
            "The model under test, or the judge, answered in the probabilities of labels and in "
            "text. Labels count where both are there; how often the two differ stands under the "
            "overall statistics."
        ),
    )
    yield Section(
        message("Temperatures"), matrix_tables(data, "temperature", message("temperature"))
    )
