"""Numbers corrected by people's labels, or by a judge's card, beside the raw ones."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..judges.trust.corrections import Corrected, Correction
from ..messages import message
from .blocks import Block, Caveat, Column, Details, Paragraph, Table
from .trust.corrections_show import cells
from .words import EN, Words


@dataclass(frozen=True, slots=True)
class CorrectedLine:
    """One number as it is shown: raw, corrected, and the interval for each target."""

    label: str
    raw: str
    value: str
    these: str
    new: str
    rectifier: str
    labelled: str
    judged: str


@dataclass(frozen=True, slots=True)
class CorrectedGroup:
    """One number over the levels of a dimension."""

    title: str
    group: str
    lines: tuple[CorrectedLine, ...]


@dataclass(frozen=True, slots=True)
class CorrectedTable:
    """One benchmark corrected in one way; `level` is that of every interval."""

    benchmark: str
    method: str
    judge: str
    basis: str
    level: str
    lines: tuple[CorrectedLine, ...]
    groups: tuple[CorrectedGroup, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CorrectedSection:
    """All corrections of a run; `stale` counts those of judgements that are no longer there."""

    tables: tuple[CorrectedTable, ...]
    stale: int


def corrected_section(
    corrections: Sequence[Correction], stale: int = 0, words: Words = EN
) -> CorrectedSection | None:
    """The section; null where nothing was corrected."""
    if not corrections and not stale:
        return None
    return CorrectedSection(tuple(_table(one, words) for one in corrections), stale)


def _table(found: Correction, words: Words) -> CorrectedTable:
    names = dict.fromkeys((row.group, row.name) for row in found.rows if row.group)
    return CorrectedTable(
        benchmark=found.benchmark,
        method=words.told(found.method),
        judge=found.judge,
        basis=words.told(found.basis),
        level=f"{found.rows[0].new.level * 100:.6g} %" if found.rows else "",
        lines=tuple(_line(words.name(row.name), row) for row in found.rows if not row.group),
        groups=tuple(
            CorrectedGroup(
                title=words.name(name),
                group=words.name(group),
                lines=tuple(
                    _line(words.name(row.member), row)
                    for row in found.rows
                    if (row.group, row.name) == (group, name)
                ),
            )
            for group, name in names
        ),
        notes=tuple(map(words.told, found.notes)),
    )


def _line(label: str, row: Corrected) -> CorrectedLine:
    return CorrectedLine(label, *cells(row))


def corrected_blocks(section: CorrectedSection | None) -> Iterator[Block]:
    """The corrected numbers beside the raw ones; nothing where nothing was corrected."""
    if section is None:
        return
    yield Paragraph(
        message(
            "The judge’s numbers have the judge’s errors in them. Raw is what stands under The "
            "answer; corrected is what people’s labels make of it; the rectifier is what they add. "
            "The interval for these items covers what was not labelled of them, the one for new "
            "items also which items were asked."
        ),
        note=True,
    )
    if section.stale:
        text = message(
            "{n} corrections in this folder belong to judgements that are no longer there and are "
            "not shown: correct the run again.",
            n=section.stale,
        )
        yield Caveat(text, about=message("Warning"), warns=True)
    for table in section.tables:
        about = message(
            "{method}, {level} intervals: {basis}; judge {judge}",
            method=table.method,
            level=table.level,
            basis=table.basis,
            judge=table.judge,
        )
        yield _corrections(table.lines, message("statistic"), table.benchmark, about)
        yield from (Paragraph(note) for note in table.notes)
        yield Details(
            message("By group"),
            tuple(_corrections(g.lines, g.group, g.title) for g in table.groups),
            note=message("levels with ten labels or more"),
        )


def _corrections(lines: Iterable[CorrectedLine], first: str, title: str, note: str = "") -> Table:
    return Table(
        (
            Column(first),
            Column(message("raw"), "number", tone="muted"),
            Column(message("corrected"), "number", tone="strong"),
            Column(message("these items"), "number"),
            Column(message("new items of the kind"), "number"),
            Column(message("rectifier"), "number"),
            Column(message("labelled"), "number"),
            Column(message("judged"), "number"),
        ),
        tuple(
            (c.label, c.raw, c.value, c.these, c.new, c.rectifier, c.labelled, c.judged)
            for c in lines
        ),
        title=title,
        note=note,
    )
