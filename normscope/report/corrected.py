"""Numbers corrected by people's labels, or by a judge's card, beside the raw ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..judges.trust.corrections import Corrected, Correction
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
