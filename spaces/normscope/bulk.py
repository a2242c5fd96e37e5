"""A long table of a visitor's (answers to vignettes, judgements), read by the columns that matter.

A run's tables have tens of thousands of rows: only the columns that are asked for are unpacked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...budget import Budget, Meter
from ...files import unreadable_parquet
from ...parquet_pages import batches, column_names
from ...rows import FORMATS, read_rows
from .limits import MAX_COLUMNS
from .upload import readable

BUDGET = Budget(rows=60_000, columns=MAX_COLUMNS, bytes=300_000_000)
"""Of a table that is not judged here but only looked at."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """A table: its file's name, all its columns' names, and the values of those that were asked."""

    name: str
    names: tuple[str, ...]
    columns: dict[str, list[Any]]
    size: int

    def column(self, name: str) -> list[Any]:
        """The values of the column; nulls where the file has none of that name."""
        return self.columns.get(name) or [None] * self.size

    def has(self, *names: str) -> bool:
        """Whether all of these columns are there."""
        return all(name in self.columns for name in names)


def read_bulk(path: Path, wanted: Sequence[str]) -> Bulk:
    """The wanted columns of a CSV, JSONL or Parquet file, or a `Told` that says what to do."""
    with readable(path, FORMATS) as alike:
        if alike.suffix == ".parquet":
            return _parquet(path.name, alike, wanted)
        rows = read_rows(alike, budget=BUDGET)
    names = tuple(rows[0]) if rows else ()
    columns = {one: [row.get(one) for row in rows] for one in wanted if one in names}
    return Bulk(path.name, names, columns, len(rows))


def _parquet(name: str, path: Path, wanted: Sequence[str]) -> Bulk:
    with unreadable_parquet(path):
        names = column_names(path, BUDGET)
        columns: dict[str, list[Any]] = {one: [] for one in wanted if one in names}
        size = 0
        for batch in batches(path, Meter(path, BUDGET), wanted):
            size += batch.num_rows
            for one in columns:
                columns[one] += batch[one].to_pylist()
    return Bulk(name, names, columns, size)
