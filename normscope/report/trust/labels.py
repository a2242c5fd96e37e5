"""What people's labels come to: how raters agree, and numbers corrected by their labels."""

from collections.abc import Iterator, Mapping, Sequence

from ...format import count, estimate, number, signed
from ...judges.trust.corrections import Corrected, Correction
from ...messages import known, message
from ...metrics.estimate import Statistic
from ...metrics.raters import ALL
from ..blocks import Block, Caveat, Column, Paragraph, Record, Table
from ..estimates import estimate_columns
from ..names import name_of


def agreement_table(agreement: Mapping[str, Sequence[Statistic]], who: str) -> Table:
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


def corrected_blocks(corrections: Sequence[Correction], stale: int = 0) -> Iterator[Block]:
    """The corrected numbers beside the raw ones; nothing where nothing was corrected.

    `stale` counts the corrections of judgements that are no longer there.
    """
    if stale:
        text = message(
            "{n} corrections in this folder belong to judgements that are no longer there and are "
            "not shown: correct the run again.",
            n=stale,
        )
        yield Caveat(text, about=message("Warning"), warns=True)
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
        yield Paragraph(
            message(
                "Corrected is what people's labels make of the raw value, the rectifier what they "
                "add; the interval for new items covers also which items were asked."
            ),
            note=True,
        )


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
