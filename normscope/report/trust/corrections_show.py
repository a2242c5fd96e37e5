"""Agreement and corrected numbers as they are shown, and as tables in the terminal."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from ...format import MISSING, count, estimate, number, signed
from ...judges.trust.corrections import Corrected, Correction
from ...metrics.estimate import Statistic
from ...untrusted import printed
from ..scores import title_of


def show_agreement(tables: Mapping[str, Sequence[Statistic]], console: Console) -> None:
    """Prints how the raters agree: per criterion each pair, then Krippendorff's α of all."""
    table = _table(("criterion", "raters", "statistic"), ("value", "95 % interval", "n"))
    for criterion, rows in tables.items():
        for at, row in enumerate(rows):
            text = estimate(row.estimate, row.unit)
            pair = "" if at and rows[at - 1].member == row.member else row.member
            line = (pair, title_of(row.name), text.value, text.interval, text.n)
            table.add_row("" if at else printed(criterion), *map(printed, line))
    console.print(table)


def show_correction(correction: Correction, console: Console) -> None:
    """Prints the overall numbers, raw and corrected; those by group stand in the report."""
    console.print(f"{correction.method}: {printed(correction.basis)}", highlight=False)
    numbers = ("raw", "corrected", "these items", "new items", "rectifier", "labelled", "judged")
    table = _table(("number",), numbers)
    for row in correction.rows:
        if not row.group:
            table.add_row(*map(printed, (title_of(row.name), *cells(row))))
    console.print(table)
    for note in correction.notes:
        console.print(f"- {printed(note)}", highlight=False)


def cells(row: Corrected) -> tuple[str, ...]:
    """Raw, corrected, the two intervals, rectifier, labels and judgements of a row."""
    new = estimate(row.new, row.unit)
    return (
        estimate(row.raw, row.unit).value,
        new.value,
        MISSING if row.these is None else estimate(row.these, row.unit).interval,
        new.interval,
        rectifier(row),
        count(row.labelled) if row.labelled else MISSING,
        count(row.judged),
    )


def rectifier(row: Corrected) -> str:
    """What the labels add: rates in percentage points, scores as they are.

    λ stands before it where the raw value was not taken whole.
    """
    if row.rectifier is None or row.tuning is None:
        return MISSING
    shown = signed(row.rectifier, rate=row.unit == "rate")
    return shown if row.tuning == 1 else f"{shown} (λ {number(row.tuning)})"


def _table(left: Sequence[str], right: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in left:
        table.add_column(column)
    for column in right:
        table.add_column(column, justify="right")
    return table
