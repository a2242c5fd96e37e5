"""Files from strangers, read against a budget that is checked before they fill the memory.

`Meter` counts what comes out of a file, row by row: a line of JSON may name columns that no other
line has. A Parquet file is counted as a whole before a row of it is made (`check_parquet`).
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from .csv_text import refuse_twice
from .errors import BudgetError

_PER_CELL = 48
"""Bytes of a place in a dict of many keys, measured with CPython 3.11: 9,304 for 200 of them."""
_PER_VALUE = 64
"""Bytes of a small Python value and the place where it is kept."""
_FOOTER = 1 << 20
"""Bytes. Arrow takes 600 bytes for a column of a row group that a footer tells in four."""


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


def check_parquet(path: Path, budget: Budget) -> None:
    """Raises a `BudgetError` if the rows of a Parquet file take more than the budget.

    Its footer tells rows, columns and unpacked sizes, if it does not lie; how long the texts are,
    of which a dictionary may repeat one without end, is asked of DuckDB, which leaves them in their
    dictionary and has a bound of its own. What Arrow or DuckDB cannot read is Arrow's error.
    """
    import duckdb  # 0.3 s

    meter = Meter(path, budget)
    with path.open("rb") as file:
        # the file ends with the footer, its length and a mark
        file.seek(max(path.stat().st_size - 8, 0))
        length = int.from_bytes(file.read(4), "little")
    Meter(path, Budget(budget.rows, budget.columns, _FOOTER)).take(length)
    facts = pq.read_metadata(path)
    kinds = facts.schema.to_arrow_schema()
    meter.columns(kinds.names)
    refuse_twice(kinds.names, str(path))
    meter.rows(facts.num_rows)
    for kind in kinds.types:
        meter.take(_places(kind) * facts.num_rows * 8)
    for group in range(facts.num_row_groups):
        for chunk in map(facts.row_group(group).column, range(facts.num_columns)):
            Meter(path, budget).take(max(chunk.total_uncompressed_size, 8 * chunk.num_values))
    limits = {"threads": 1, "memory_limit": f"{2 * budget.bytes + (64 << 20)}B"}
    with duckdb.connect(config=limits) as connection:
        rows = connection.read_parquet(escape(str(path)), hive_partitioning=False)
        sizes = (
            _size_in_sql(_quoted(name), kind)
            for name, kind in zip(rows.columns, rows.types, strict=True)
        )
        try:
            total = rows.aggregate(f"sum({' + '.join(sizes)})").fetchall()[0][0]
        except duckdb.OutOfMemoryException:
            total = budget.bytes + 1
        except duckdb.Error as error:
            raise pa.ArrowInvalid(str(error)) from error
    meter.take(int(total or 0))


def _places(kind: pa.DataType) -> int:
    """How many places a null takes: none to speak of, but for lists of fixed size."""
    size = kind.list_size if pa.types.is_fixed_size_list(kind) else 1
    return size * max((_places(kind.field(at).type) for at in range(kind.num_fields)), default=1)


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _size_in_sql(value: str, kind: Any, depth: int = 0) -> str:
    """What a value of this kind takes as Python's, as DuckDB works it out."""
    inner = "0"
    if kind.id == "varchar":
        inner = f"strlen({value})"
    elif kind.id == "blob":
        inner = f"octet_length({value})"
    elif kind.id in {"list", "array"}:
        each = _size_in_sql(f"x{depth}", dict(kind.children)["child"], depth + 1)
        inner = f"list_sum([{each} for x{depth} in {value}])"
    elif kind.id == "map":
        key, item = (_size_in_sql(f"x{depth}", of, depth + 1) for _, of in kind.children)
        inner = " + ".join(
            f"coalesce(list_sum([{each} for x{depth} in {part}({value})]), 0)"
            for each, part in ((key, "map_keys"), (item, "map_values"))
        )
    elif kind.id == "struct":
        inner = " + ".join(
            _size_in_sql(f"({value}).{_quoted(name)}", of, depth) for name, of in kind.children
        )
    return f"({_PER_VALUE} + coalesce({inner}, 0))"
