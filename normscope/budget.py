"""Files from strangers, read against a budget that is checked while they are read.

What a file says of its own size is not believed: a Parquet footer can lie, and a line of JSON may
name columns that no other line has. `Meter` counts what really comes out of a file, row by row.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from .errors import BudgetError

_PER_CELL = 48
"""Bytes of a place in a dict of many keys, measured with CPython 3.11: 9,304 for 200 of them."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be read of a file: rows, columns, and bytes of memory that its cells take.

    `line` is the longest line of a JSONL file, in bytes: one line is decoded at once, and up to
    thirty times as large as it was.
    """

    rows: int
    columns: int
    bytes: int
    line: int = 1 << 20


class Meter:
    """What has been read of a file so far; a `BudgetError` as soon as it is more than the budget.

    Without a budget nothing is counted.
    """

    def __init__(self, path: Path, budget: Budget | None) -> None:
        """Nothing has been read yet; the path is for messages."""
        self._path, self._budget = path, budget
        self._columns: dict[str, None] = {}
        self._rows = self._bytes = 0

    @property
    def budget(self) -> Budget | None:
        """What may be read."""
        return self._budget

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were counted, in the order in which they were seen."""
        return tuple(self._columns)

    def columns(self, names: Sequence[str]) -> None:
        """Counts the columns that were not seen before."""
        if self._budget is not None:
            # first, since ten million commas are as many empty names
            self._check("columns", len(names), self._budget.columns)
            self._columns.update(dict.fromkeys(names))
            self._check("columns", len(self._columns), self._budget.columns)

    def take(self, more: int) -> None:
        """Counts bytes of memory that are about to be taken."""
        if self._budget is not None:
            self._bytes += more
            self._check("bytes", self._bytes, self._budget.bytes)

    def rows(self, more: int) -> None:
        """Counts rows that are about to be kept, with a place for every column in each."""
        if self._budget is not None:
            self._rows += more
            self._check("rows", self._rows, self._budget.rows)
            # in the end every row has all columns: gaps are filled with nulls
            places = self._rows * len(self._columns) * _PER_CELL
            self._check("bytes", self._bytes + places, self._budget.bytes)

    def row(self, row: Mapping[str, Any]) -> None:
        """Counts a row: its names, its cells, itself."""
        if self._budget is not None:
            self.columns(list(row))
            self.take(sum(map(size_of, row.values())))
            self.rows(1)

    def lines(self, file: BinaryIO) -> Iterator[bytes]:
        """The lines of the file, none of them longer than the budget has it."""
        if self._budget is None:
            yield from file
            return
        while line := file.readline(self._budget.line + 1):
            self._check("bytes in a line", len(line), self._budget.line)
            yield line

    def _check(self, what: str, count: int, limit: int) -> None:
        if count > limit:
            raise BudgetError(
                f"{self._path} has more than {limit:,} {what}, which is all that is read of a "
                "file here: split it, or leave columns out",
                what=what,
                limit=limit,
            )


def size_of(value: Any) -> int:
    """The bytes of memory that a decoded value takes, with all that is in it.

    >>> size_of("a" * 1000) - size_of(""), size_of([[], []]) >= 3 * size_of([])
    (1000, True)
    """
    # a list to work off: a stranger's value may be nested deeper than Python recurses
    total, waiting = 0, [value]
    while waiting:
        member = waiting.pop()
        total += sys.getsizeof(member)
        if isinstance(member, dict):
            waiting += member.values()
            waiting += member.keys()
        elif isinstance(member, list | tuple):
            waiting += member
    return total
