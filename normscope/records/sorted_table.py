"""A Parquet table in the order of its rows, of tables that come in another, in bounded memory.

Rows are put aside by ranges of their key in a file without a name, and each range is sorted when it
is read. DuckDB's sort was tried in its place: of rows of 4 kB and more, as answers of models have,
it runs out of memory before it begins to use the disk (60,000 rows of 20 kB do not fit 800 MB).
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..files import replacing
from .journal import PLACE

ROW_GROUP = 1 << 14
"""Rows of a row group: texts of one have to stay below 2 GB, so that they may be of 130 kB."""

_BUFFER = 8 << 20
"""Bytes that are kept before they are put aside."""


@dataclass(slots=True)
class Ranges:
    """Rows put aside by ranges, `width` wide, of a column of numbers; they come back in order."""

    schema: pa.Schema
    key: str
    width: int
    _file: IO[bytes]
    _waiting: list[pa.Table] = field(default_factory=list)
    _size: int = 0
    _segments: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Of each range where in the file what belongs to it begins, and how long it is."""

    def add(self, rows: pa.Table) -> None:
        """Takes rows; those with the same key stay in their order."""
        self._waiting.append(rows.select(self.schema.names).cast(self.schema))
        self._size += rows.nbytes
        if self._size >= _BUFFER:
            self._put_aside()

    def tables(self, *then: str) -> Iterator[pa.Table]:
        """The rows of one range after the other, sorted by the key, and by these columns then.

        Equal ones stay in their order: Arrow sorts stably.
        """
        self._put_aside()
        for number in sorted(self._segments):
            batches = []
            for start, length in self._segments[number]:
                self._file.seek(start)
                segment = pa.py_buffer(self._file.read(length))
                batches.append(pa.ipc.read_record_batch(segment, self.schema))
            order = [(name, "ascending") for name in (self.key, *then)]
            yield pa.Table.from_batches(batches).sort_by(order).combine_chunks()

    def _put_aside(self) -> None:
        table = pa.concat_tables([self.schema.empty_table(), *self._waiting]).sort_by(self.key)
        if not len(table):
            return
        numbers = table[self.key].to_numpy() // self.width
        ranges, starts = np.unique(numbers, return_index=True)
        for number, start, end in zip(ranges, starts, [*starts[1:], len(table)], strict=True):
            (batch,) = table.slice(start, end - start).combine_chunks().to_batches()
            begin = self._file.tell()
            self._file.write(batch.serialize())
            segments = self._segments.setdefault(int(number), [])
            segments.append((begin, self._file.tell() - begin))
        self._waiting, self._size = [], 0


@contextmanager
def ranges(folder: Path | None, schema: pa.Schema, *, key: str, width: int) -> Iterator[Ranges]:
    """Rows put aside in the folder until the block ends, of which nothing stays after a kill.

    Without a folder in the system's own for temporary files.
    """
    with TemporaryFile(dir=folder) as file:
        yield Ranges(schema, key, width, file)


def write_sorted(path: Path, schema: pa.Schema, tables: Iterable[pa.Table]) -> None:
    """Writes the rows by their `place`, whole or not at all.

    Rows of one place (a response has a judgement per criterion) come in one table, and stay in
    their order. The file's bytes follow from the rows alone, not from the order of the tables.
    """
    keyed = schema.append(pa.field(PLACE, pa.int64()))
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        ranges(path.parent, keyed, key=PLACE, width=ROW_GROUP) as rows,
        replacing(path) as part,
        pq.ParquetWriter(part, schema, compression="zstd") as out,
    ):
        for table in tables:
            rows.add(table)
        made = (table.select(schema.names) for table in rows.tables())
        for group in in_groups(made, schema, size=ROW_GROUP):
            out.write_table(group, row_group_size=ROW_GROUP)


def in_groups(tables: Iterable[pa.Table], schema: pa.Schema, *, size: int) -> Iterator[pa.Table]:
    """The same rows in tables of one size; the last one has what is left, of no rows none."""
    waiting = schema.empty_table()
    none = True
    for table in tables:
        waiting = pa.concat_tables([waiting, table])
        whole = len(waiting) // size * size
        for start in range(0, whole, size):
            # one array per column: a page ends where a chunk does
            yield waiting.slice(start, size).combine_chunks()
            none = False
        waiting = waiting.slice(whole)
    if len(waiting) or none:
        yield waiting.combine_chunks()
