"""The scores of a run: overall on the first screen, then by group, threshold and channel."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..categorical import group_by
from ..format import MISSING, count, estimate
from ..judges.trust.corrections import Correction
from ..messages import joined, known, message
from ..metrics.criterion import level_name
from ..metrics.estimate import Statistic
from ..metrics.facets import FACET
from ..metrics.factors import FACTOR
from ..metrics.groups import CROSS
from ..metrics.shape import SHAPE
from ..pipeline.published import REASON
from .blocks import (
    Beside,
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
from .crossed import crossed_details
from .data import ReportData
from .estimates import (
    about,
    axis_of,
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
from .names import name_of
from .radar import radars

ASIDE = (
    *("min_coverage", "channel", "temperature", "label", SHAPE, FACTOR, FACET),
    *("reason", "reason in labels", "reason in text", REASON),
)
"""Groups that are no breakdown of the items: they have tables of their own."""

_UNITS = {"rate": " %", "rate difference": " pp"}


def scores_section(data: ReportData, requested: Mapping[str, str]) -> Section:
    """The answer: what the first screen shows of each benchmark, the rest folded away.

    `requested` says of each benchmark what was asked of whom.
    """
    first, more, folded = [], [], []
    for benchmark, statistics in data.scores.items():
        shown_first, below = headlines(statistics)
        first.append(_overall(data, benchmark, shown_first, requested.get(benchmark, "")))
        if below:
            more.append(_overall(data, benchmark, below))
            folded.append(joined(map(label_of, below)))
    blocks: tuple[Block, ...] = (
        *first,
        what_is_counted(),
        Details(message("More statistics"), content(more), note=joined(folded, "; "), printed=True),
    )
    if not any(table.rows for table in first):
        blocks = (nothing_scored(),)
    return Section(message("The answer"), blocks, id="scores")


def nothing_scored() -> Paragraph:
    """That there is no number."""
    return Paragraph(message("Nothing in this run was scored."))


def what_is_counted() -> Paragraph:
    """What the columns of counts and of extremes mean."""
    return Paragraph(
        message(
            "n counts scored items; of the mean acceptability it counts prompts (variants × orders "
            "of the scale), of the unanswered prompt variants. Worst – best is the value had every "
            "unscored item got the lowest, or the highest, possible value."
        ),
        note=True,
    )


def _overall(
    data: ReportData, benchmark: str, statistics: Sequence[Statistic], note: str = ""
) -> Table:
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
        title=benchmark,
        note=note,
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
                # a correction speaks of what was judged, and has no worst or best case
                *((MISSING,) if gaps else ()),
            )


def group_blocks(data: ReportData) -> Iterator[Block]:
    """Each benchmark by its groups: a radar of what has one, a table of every statistic."""
    for benchmark, statistics in data.scores.items():
        rows = [row for row in statistics if row.group and row.group not in ASIDE]
        groups = group_by(rows, lambda row: row.group)
        breakdowns = tuple(
            crossed_details(group, of) if CROSS in group else _by_group(group, of, opened=not at)
            for at, (group, of) in enumerate(groups.items())
        )
        nothing = Paragraph(message("No breakdown was computed."), note=True)
        yield Section(benchmark, (Beside(tuple(radars(statistics))), *(breakdowns or (nothing,))))


def _by_group(group: str, rows: Sequence[Statistic], *, opened: bool) -> Details:
    """A table for each statistic; those that are no headlines are folded away."""
    tables = group_by(rows, lambda row: row.name)
    # a category has dozens of rows: what is no headline would bury what is
    first = [name for name in tables if is_headline(name)] or [*tables]
    more = [_levels(group, of) for name, of in tables.items() if name not in first]
    return Details(
        message("By {group}", group=name_of(group)),
        (
            *(_levels(group, tables[name]) for name in first),
            Details(message("More statistics"), tuple(more)),
        ),
        note=joined(map(name_of, tables)),
        open=opened,
    )


def _levels(group: str, rows: Sequence[Statistic]) -> Table:
    """One statistic over the levels of a group, drawn on one axis."""
    axis, first = axis_of(rows), rows[0]
    methods = dict.fromkeys(known(row.estimate.method) for row in rows)
    note = [
        scale_of(first),
        about(first),
        message(
            "{level} interval for {target}",
            level=", ".join(dict.fromkeys(filter(None, map(level_of, rows)))),
            target=joined(dict.fromkeys(name_of(row.estimate.target) for row in rows)),
        ),
        *(methods if len(methods) == 1 else ()),
    ]
    drawing = Column(
        message("Dot: value. Line: interval. Light bar: worst to best case over unscored items."),
        "drawing",
        axis=axis.ticks(_UNITS.get(first.unit, "")),
    )
    lines: list[Row] = []
    gaps = has_gaps(rows)
    first_columns, more_columns = counted_columns(gaps=gaps)[:2], counted_columns(gaps=gaps)[2:]
    for row in rows:
        hint = "" if len(methods) == 1 else known(row.estimate.method)
        value, interval, *counts = counted(row, gaps=gaps, hint=hint)
        # an item may lack the dimension, and its row needs a name all the same
        label = name_of(row.member) or message("not given")
        lines.append((label, value, interval, axis.whisker(row), *counts))
    return Table(
        (Column(name_of(group)), *first_columns, drawing, *more_columns),
        tuple(lines),
        title=message("{title} by {group}", title=name_of(first.name), group=name_of(group)),
        note=joined(filter(None, note)),
        look="scores",
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
