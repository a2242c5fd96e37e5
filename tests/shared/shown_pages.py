"""What stands on a page: its first list, and blocks however deep they lie."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from normscope.report.blocks import (
    Beside,
    Block,
    Bullets,
    Chart,
    Details,
    Page,
    Section,
    Table,
    plain,
    texts_of,
)
from normscope.report.charts import Plot

B = TypeVar("B", bound=Block)
P = TypeVar("P", bound=Plot)


def within(blocks: Iterable[Block], kind: type[B]) -> Iterator[B]:
    """The blocks of a kind, in the order of the page."""
    for block in blocks:
        if isinstance(block, kind):
            yield block
        if isinstance(block, Section | Details | Beside):
            yield from within(block.blocks, kind)


def plots(blocks: Iterable[Block], kind: type[P]) -> list[P]:
    """What the charts of a kind draw."""
    return [c.plot for c in within(blocks, Chart) if isinstance(c.plot, kind)]


def lines(table: Table) -> list[tuple[str, ...]]:
    """The rows as text, small print behind; nothing for a drawing."""
    return [texts_of(row) for row in table.rows]


def findings(page: Page) -> list[str]:
    """The page's first list."""
    first = page.blocks[0]
    assert isinstance(first, Bullets)
    return [plain(item) for item in first.items]


def tables_of(*blocks: Block) -> list[Table]:
    """The tables that are shown: those without rows are not."""
    return [table for table in within(blocks, Table) if table.rows]
