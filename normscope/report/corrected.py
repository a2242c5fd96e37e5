"""Numbers corrected by people's labels, beside the raw ones."""

from collections.abc import Iterator, Sequence

from ..categorical import group_by
from ..format import count, estimate, number, signed
from ..judges.trust.corrections import Corrected, Correction
from ..messages import known, message
from .blocks import Block, Caveat, Column, Details, Paragraph, Table
from .names import name_of


def corrected_blocks(corrections: Sequence[Correction], stale: int = 0) -> Iterator[Block]:
    """The corrected numbers beside the raw ones; nothing where nothing was corrected.

    `stale` counts the corrections of judgements that are no longer there.
    """
    if not corrections and not stale:
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
    if stale:
        text = message(
            "{n} corrections in this folder belong to judgements that are no longer there and are "
            "not shown: correct the run again.",
            n=stale,
        )
        yield Caveat(text, about=message("Warning"), warns=True)
    for correction in corrections:
        about = message(
            "{method}, {level} intervals: {basis}; judge {judge}",
            method=known(correction.method),
            level=level_of(correction),
            basis=known(correction.basis),
            judge=correction.judge,
        )
        overall = [(name_of(row.name), row) for row in correction.rows if not row.group]
        yield _table(overall, message("statistic"), correction.benchmark, about)
        yield from (Paragraph(known(caveat)) for caveat in correction.caveats)
        grouped = group_by((r for r in correction.rows if r.group), lambda r: (r.group, r.name))
        yield Details(
            message("By group"),
            tuple(
                _table([(name_of(row.member), row) for row in rows], name_of(group), name_of(name))
                for (group, name), rows in grouped.items()
            ),
            note=message("levels with ten labels or more"),
        )


def level_of(correction: Correction) -> str:
    """The level of every interval of the correction."""
    return f"{correction.rows[0].new.level * 100:.6g} %" if correction.rows else ""


def _table(rows: Sequence[tuple[str, Corrected]], first: str, title: str, note: str = "") -> Table:
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
        tuple((label, *_cells(row)) for label, row in rows),
        title=title,
        note=note,
    )


def _cells(row: Corrected) -> tuple[str, ...]:
    """Raw, corrected, the two intervals, rectifier, labels and judgements of a row."""
    new = estimate(row.new, row.unit)
    return (
        estimate(row.raw, row.unit).value,
        new.value,
        estimate(row.these, row.unit).interval,
        new.interval,
        _rectifier(row),
        count(row.labelled),
        count(row.judged),
    )


def _rectifier(row: Corrected) -> str:
    """What the labels add: rates in percentage points, scores as they are.

    λ stands before it where the raw value was not taken whole.
    """
    shown = signed(row.rectifier, rate=row.unit == "rate")
    return shown if row.tuning == 1 else f"{shown} (λ {number(row.tuning)})"
