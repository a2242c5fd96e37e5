"""Tables of scores as blocks: the overall statistics, and those over the levels of a group."""

from collections.abc import Iterator, Mapping, Sequence

from ..format import MISSING, count, estimate
from ..judges.trust.corrections import Corrected, Correction
from ..messages import joined, known, message
from .asked import AskedOf
from .blocks import (
    Beside,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Link,
    Paragraph,
    Row,
    Section,
    Table,
    Whisker,
    content,
)
from .corrected import level_of
from .scores import Line, ScoreSection
from .scores import Table as ScoreTable


def scores_section(
    sections: Sequence[ScoreSection],
    asked: Sequence[AskedOf],
    corrected: Sequence[Correction] = (),
) -> Section:
    """The answer: what the first screen shows of each benchmark, the rest folded away."""
    first = [_glance(section, section.headlines, asked, corrected) for section in sections]
    more = [_glance(section, section.more) for section in sections]
    labels = [", ".join(line.label for line in s.more) for s in sections if s.more]
    if not any(section.overall for section in sections):
        blocks: tuple[Block, ...] = (Paragraph(message("Nothing in this run was scored.")),)
    else:
        blocks = (
            *first,
            counted(),
            Details(
                message("More statistics"), content(more), note="; ".join(labels), printed=True
            ),
        )
    return Section(message("The answer"), blocks, id="scores")


def counted() -> Paragraph:
    """What the columns of counts and of extremes mean."""
    return Paragraph(
        message(
            "n counts scored items, or prompt variants where the interval is for new prompt "
            "variants. Worst – best is the value had every unscored item got the lowest, or the "
            "highest, possible value."
        ),
        note=True,
    )


def _glance(
    section: ScoreSection,
    lines: Sequence[Line],
    asked: Sequence[AskedOf] = (),
    corrected: Sequence[Correction] = (),
) -> Table:
    """The overall statistics of a benchmark, each corrected number under the raw one."""
    rows: list[Row] = []
    for line in lines:
        rows.append(_line(line, note=line.scale))
        for correction in corrected:
            if correction.benchmark == section.benchmark:
                rows += [
                    _by_people(row, correction)
                    for row in correction.rows
                    if (row.group, row.name, row.member) == ("", line.name, line.member)
                ]
    return Table(
        (
            Column(message("statistic")),
            Column(message("value"), "number", tone="strong"),
            Column(message("interval")),
            Column("n", "number"),
            Column(message("unscored"), "number"),
            Column(message("worst – best"), "number", tone="muted"),
        ),
        tuple(rows),
        title=section.benchmark,
        note=joined(
            (items_of(a.items, a.of), message("{n} prompts", n=a.prompts), a.languages, a.criteria),
            " · ",
        )
        if (a := next((a for a in asked if a.benchmark == section.benchmark), None))
        else "",
        look="glance",
    )


def items_of(items: str, of: str) -> str:
    """How many items were asked, of how many where that is known."""
    return message("{n} of {m} items", n=items, m=of) if of else message("{n} items", n=items)


def _line(line: Line, *, note: str = "") -> Row:
    about: str = message("exact for {target}", target=line.target)
    if line.level:
        about = message("{level} for {target}", level=line.level, target=line.target)
        about = joined((about, line.method), "; ")
    return (
        Cell(line.label, note=note),
        line.value,
        Cell(line.interval, note=about),
        line.n,
        line.unscored,
        line.bounds,
    )


def _by_people(row: Corrected, correction: Correction) -> Row:
    target, new = message("new items of the kind"), estimate(row.new, row.unit)
    about = message("{level} for {target}", level=level_of(correction), target=target)
    return (
        Cell(message("corrected"), note=known(correction.method), tone="muted"),
        new.value,
        Cell(new.interval, note=about),
        count(row.judged),
        Cell(
            Link(
                message("{n} labels", n=count(row.labelled) if row.labelled else MISSING),
                "#corrected",
            )
        ),
        "–",
    )


def group_blocks(
    sections: Sequence[ScoreSection], radars: Mapping[str, tuple[Chart, ...]]
) -> Iterator[Block]:
    """Each benchmark by its groups: a radar of what has one, a table of every statistic."""
    for section in sections:
        breakdowns = tuple(
            Details(
                message("By {group}", group=breakdown.group),
                (
                    *(_over(t, breakdown.group) for t in breakdown.tables if t.headline),
                    Details(
                        message("More statistics"),
                        tuple(
                            _over(t, breakdown.group) for t in breakdown.tables if not t.headline
                        ),
                    ),
                ),
                note=", ".join(table.title for table in breakdown.tables),
                open=not place,
            )
            for place, breakdown in enumerate(section.breakdowns)
        )
        nothing = Paragraph(message("No breakdown was computed."), note=True)
        yield Section(
            section.benchmark,
            (Beside(radars.get(section.benchmark, ())), *(breakdowns or (nothing,))),
        )


def _over(table: ScoreTable, group: str) -> Table:
    """One statistic over the levels of a group, drawn on one axis."""
    lines = table.lines
    unit = {"rate": " %", "rate difference": " pp"}.get(table.unit, "")
    levels = ", ".join(dict.fromkeys(line.level for line in lines if line.level))
    targets = ", ".join(dict.fromkeys(line.target for line in lines))
    methods = dict.fromkeys(line.method for line in lines)
    about = [lines[0].scale, message("{level} interval for {target}", level=levels, target=targets)]
    ticks = table.axis.ticks
    return Table(
        (
            *counted_columns(group)[:3],
            Column(
                message(
                    "Dot: value. Line: interval. Light bar: worst to best case over unscored items."
                ),
                "drawing",
                axis=tuple(
                    (t.at / table.axis.width, t.label + unit * (t is ticks[-1])) for t in ticks
                ),
            ),
            *counted_columns(group)[3:],
        ),
        tuple(
            (
                *counts(line, hint="" if len(methods) == 1 else line.method)[:3],
                _whisker(line, table.axis.width),
                *counts(line)[3:],
            )
            for line in lines
        ),
        title=message("{title} by {group}", title=table.title, group=group),
        note=joined([part for part in (*about, *(methods if len(methods) == 1 else ())) if part]),
        look="scores",
    )


def _whisker(line: Line, width: float) -> Whisker:
    w = line.whisker
    places = (w.dot, w.low, w.high, w.worst, w.best)
    return Whisker(*(None if place is None else place / width for place in places))


def counted_columns(first: str) -> tuple[Column, ...]:
    """The columns of `counts`, of which the first is named."""
    return (
        Column(first),
        Column(message("value"), "number", tone="strong"),
        Column(message("interval"), "number"),
        Column("n", "number"),
        Column(message("unscored"), "number"),
        Column(message("worst – best"), "number", tone="muted"),
    )


def counts(line: Line, *, hint: str = "") -> Row:
    """A line of a table: its label, value, interval, n, unscored, and worst to best case."""
    return (
        line.label,
        line.value,
        Cell(line.interval, hint=hint),
        line.n,
        line.unscored,
        line.bounds,
    )
