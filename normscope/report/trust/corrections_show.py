"""Agreement and corrections as tables in the terminal."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from ...format import count
from ...judges.trust.correction import Correction
from ...metrics.estimate import Statistic
from ...untrusted import printed
from ..scores import title_of
from .corrections_cells import cells, told


def show_agreement(tables: Mapping[str, Sequence[Statistic]], console: Console) -> None:
    """Prints how the raters agree: per criterion each pair, then Krippendorff's α of all."""
    table = _table(("criterion", "raters", "statistic"), ("value", "95 % interval", "n"))
    for criterion, rows in tables.items():
        for at, row in enumerate(rows):
            value, limits = told(row.estimate, row.unit)
            pair = "" if at and rows[at - 1].member == row.member else row.member
            cells = (pair, title_of(row.name), value, limits, count(row.estimate.n))
            table.add_row("" if at else printed(criterion), *map(printed, cells))
    console.print(table)


def show_correction(found: Correction, console: Console) -> None:
    """Prints the overall numbers, raw and corrected; those by group stand in the report."""
    console.print(f"{found.method}: {printed(found.basis)}", highlight=False)
    numbers = ("raw", "corrected", "these items", "new items", "rectifier", "labelled", "judged")
    table = _table(("number",), numbers)
    for row in found.rows:
        if not row.group:
            table.add_row(*map(printed, (title_of(row.name), *cells(row))))
    console.print(table)
    for note in found.notes:
        console.print(f"- {printed(note)}", highlight=False)


def _table(left: Sequence[str], right: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in left:
        table.add_column(column)
    for column in right:
        table.add_column(column, justify="right")
    return table
