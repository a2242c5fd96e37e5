"""A long table of a visitor's (answers to vignettes, judgements), read by the columns that matter.

A run's tables have tens of thousands of rows: only the columns that are asked for are unpacked.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import DataError
from ...rows import FORMATS, read_rows
from . import limits
from .upload import look_at
from .words import Told

MAX_ROWS = 60_000
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


def read_bulk(path: Path, wanted: Sequence[str], *, most: int = MAX_ROWS) -> Bulk:
    """The wanted columns of a CSV, JSONL or Parquet file, or a `Told` that says what to do."""
    name, size = path.name, path.stat().st_size
    kind = path.suffix.lower()
    if size > limits.MAX_FILE_BYTES:
        raise Told("vignettes_too_large", name=name, most=f"{limits.MAX_FILE_BYTES / 1e6:g} MB")
    if kind not in FORMATS:
        raise Told("file_unknown", name=name)
    try:
        if kind == ".parquet":
            return _parquet(path, wanted, most)
        look_at(path)
        rows = read_rows(path.rename(path.with_suffix(kind)) if path.suffix != kind else path)
    except (RecursionError, MemoryError, OverflowError, pa.ArrowException, OSError, zlib.error):
        raise Told("file_unreadable", name=name) from None
    except DataError as error:
        # its message begins with a path of this machine
        raise DataError(str(error).replace(str(path), name)) from None
    if len(rows) > most:
        raise Told("vignettes_too_many_rows", name=name, rows=f"{len(rows):,}", most=f"{most:,}")
    names = tuple(rows[0]) if rows else ()
    columns = {one: [row.get(one) for row in rows] for one in wanted if one in names}
    return Bulk(name, names, columns, len(rows))


def _parquet(path: Path, wanted: Sequence[str], most: int) -> Bulk:
    file = pq.ParquetFile(path)
    facts = file.metadata
    if facts.num_rows > most:
        told = {"name": path.name, "rows": f"{facts.num_rows:,}", "most": f"{most:,}"}
        raise Told("vignettes_too_many_rows", **told)
    names = tuple(file.schema_arrow.names)
    mine = [name for name in wanted if name in names]
    unpacked = sum(
        part.total_uncompressed_size
        for at in range(facts.num_row_groups)
        for part in map(facts.row_group(at).column, range(facts.num_columns))
        if part.path_in_schema.split(".")[0] in mine
    )
    if unpacked > limits.MAX_TABLE_BYTES:
        most_mb = f"{limits.MAX_TABLE_BYTES / 1e6:g} MB"
        raise Told("vignettes_too_large", name=path.name, most=most_mb)
    table = file.read(columns=mine)
    return Bulk(path.name, names, {name: table[name].to_pylist() for name in mine}, facts.num_rows)
