"""A check's result as a page: what it says in words, then tables; in a terminal or as Markdown."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from ...files import write_json, write_text
from ...format import MISSING, count, interval, number, percent
from ...markdown import escaped, table
from ...markdown import page as joined
from ...metrics.estimate import Estimate
from ...untrusted import printed

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a title; `texts` says how many of the first columns are words.

    `brief` marks what is shown in the terminal too; the other tables are in the files only.
    """

    title: str
    header: Row
    rows: tuple[Row, ...]
    texts: int = 1
    note: str = ""
    brief: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """What a check comes to. `good` says whether it was passed, null if nothing was to pass."""

    title: str
    good: bool | None
    says: tuple[str, ...]
    tables: tuple[Table, ...]
    legend: str = ""


def markdown(page: Page) -> str:
    """The page as Markdown."""
    return joined(_lines(page))


def show(page: Page, console: Console) -> None:
    """Prints what the page says, and its brief tables."""
    console.print(f"[bold]{printed(page.title)}[/bold]", highlight=False)
    for line in page.says:
        console.print(f"- {printed(line)}", highlight=False)
    for one in page.tables:
        if not one.brief or not one.rows:
            continue
        drawn = RichTable(
            title=printed(one.title),
            title_justify="left",
            box=None,
            pad_edge=False,
            header_style="bold",
        )
        for at, name in enumerate(one.header):
            drawn.add_column(printed(name), justify="left" if at < one.texts else "right")
        for row in one.rows:
            drawn.add_row(*map(printed, row))
        console.print()
        console.print(drawn, highlight=False)


def write(page: Page, result: Any, stem: Path) -> tuple[Path, Path]:
    """Writes the result as `stem.json`, numbers to nine digits, and the page as `stem.md`."""
    paths = stem.with_name(f"{stem.name}.json"), stem.with_name(f"{stem.name}.md")
    stem.parent.mkdir(parents=True, exist_ok=True)
    write_json(paths[0], rounded(result if isinstance(result, dict) else asdict(result)))
    write_text(paths[1], markdown(page))
    return paths


def cells(found: Estimate, *, rate: bool = False, signed: bool = False) -> Row:
    """Value, interval, n and the unscored of an estimate, as they are shown.

    >>> from normscope.metrics.rates import mean
    >>> cells(mean([1, 2, 3, None], bounds=(1, 5)), signed=True)
    ('+2.00', '[1.00, 5.00]', '3', '1')
    """
    value = percent(found.value) if rate else number(found.value)
    if signed and found.value is not None and found.value > 0:
        value = f"+{value}"
    limits = interval(found.low, found.high, rate=rate)
    return value, limits, count(found.n), count(found.unscored)


def p_value(p: float | None) -> str:
    """The p-value, not below 0.001.

    >>> p_value(0.0304), p_value(1e-9), p_value(None)
    ('0.0304', '< 0.001', '–')
    """
    if p is None:
        return MISSING
    return "< 0.001" if p < 0.001 else number(p)  # noqa: PLR2004


def p_told(p: float | None) -> str:
    """The p-value in a sentence.

    >>> p_told(0.0304), p_told(1e-9)
    ('p = 0.0304', 'p < 0.001')
    """
    shown = p_value(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def told(found: Estimate, *, rate: bool = False, signed: bool = False) -> str:
    """An estimate in a sentence: value, interval, n.

    >>> from normscope.metrics.rates import mean
    >>> told(mean([1, 2, 3], bounds=None))
    '2.00 [-0.484, 4.48], n = 3'
    """
    value, limits, n, _ = cells(found, rate=rate, signed=signed)
    return f"{value} {limits}, n = {n}" if limits != MISSING else f"{value} (n = {n})"


def rounded(value: Any) -> Any:
    """JSON values with numbers to nine digits: what follows hangs on the machine.

    >>> rounded({"a": (1 / 3, float("nan"))})
    {'a': [0.333333333, None]}
    """
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list | tuple) else value


def _lines(page: Page) -> Iterator[str]:
    yield f"# {escaped(page.title)}\n"
    yield from (f"- {escaped(line)}" for line in page.says)
    for one in page.tables:
        if one.rows or one.note:
            yield f"\n## {escaped(one.title)}\n"
        if one.rows:
            rows = (list(map(escaped, row)) for row in one.rows)
            yield from table(list(map(escaped, one.header)), rows, texts=one.texts)
        if one.note:
            yield escaped(one.note)
    if page.legend:
        yield "\n## How to read this\n"
        yield page.legend.strip()
