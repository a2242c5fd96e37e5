"""A comparison in the terminal: warnings, the overall table, and the surest of the details."""

from rich.console import Console
from rich.table import Table

from ...compare.result import Compared, Difference
from ...format import MISSING
from ...untrusted import printed
from .words import Cells, cells, name_of
from .write import warnings

_MOST = 10
_LEVEL = 0.05


def show(compared: Compared, console: Console) -> None:
    """Prints what limits the comparison, every overall difference, and the details' leads."""
    for warning in warnings(compared):
        console.print(f"[yellow]![/yellow] {printed(warning)}", highlight=False)
    for benchmark in compared.pairings:
        mine = [row for row in compared.rows if row.benchmark == benchmark]
        _print(benchmark, [row for row in mine if not row.group], console)
        tested = [row for row in mine if row.group and row.p_adjusted is not None]
        leads = sorted(filter(_is_lead, tested), key=lambda row: row.p_adjusted or 0.0)
        if leads:
            title = f"{benchmark}, exploratory: where they differ most surely"
            _print(title, leads[:_MOST], console)
        if tested:
            console.print(
                f"{len(leads)} of {len(tested)} exploratory differences by group have p < {_LEVEL} "
                "after Benjamini–Hochberg; all are in compare.md\n",
                highlight=False,
            )


def _reach(shown: Cells) -> str:
    """The worst and the best case, and under them how far their intervals reach."""
    return f"{shown.extremes}\nwithin {shown.reach}" if shown.extremes != MISSING else MISSING


def _is_lead(row: Difference) -> bool:
    return row.p_adjusted is not None and row.p_adjusted < _LEVEL


def _print(title: str, rows: list[Difference], console: Console) -> None:
    table = Table(
        title=printed(title), title_justify="left", box=None, pad_edge=False, header_style="bold"
    )
    table.add_column("statistic")
    table.add_column("compared")
    gaps = any(row.unscored.pairs for row in rows)
    columns = ["values", "difference", "95 % interval", "p", "p corr.", "effect", "n"]
    for column in [*columns, *(("unscored", "worst – best") if gaps else ())]:
        table.add_column(column, justify="right")
    for row in rows:
        shown = cells(row)
        label = f"{row.statistic}\n{row.group}: {row.member}" if row.group else name_of(row)
        table.add_row(
            printed(label if row.role != "primary" else f"{label} *"),
            printed(f"{row.second} − {row.first}"),
            f"{shown.first} → {shown.second}",
            *(shown.difference, shown.interval, shown.p, shown.adjusted, shown.effect, shown.n),
            *((shown.unscored, _reach(shown)) if gaps else ()),
        )
    console.print(table, highlight=False)
    if gaps:
        console.print(
            "intervals and p are of what both have scored; (n): unscored in both for one reason; "
            "within: the 95 % limits of the worst and of the best case",
            highlight=False,
        )
    if any(row.role == "primary" for row in rows):
        console.print(
            "* primary, corrected by Holm over pairs; the others over pairs and statistics\n",
            highlight=False,
        )
