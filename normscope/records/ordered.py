"""A Parquet table in the order of its rows, of batches that come in another, in bounded memory.

What models answer comes unit by unit, and a unit's rows stand all over the table. So the batches
are sorted as an external merge sort does it: a buffer that is full is sorted by place and put
aside, in buckets of so many places each; in the end one bucket after the other is gathered from
what was put aside, sorted and written. The file follows from the rows alone: in which batches and
in which order they came, and whether anything had to be put aside, cannot be seen in its bytes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..files import replacing

Places = NDArray[np.integer[Any]]

ROW_GROUP = 1 << 14
"""Rows of a row group of the file; a smaller table is the file that `write_parquet` writes.

Texts of one have to stay below 2 GB: they may be of 130 kB on the average.
"""
_BUCKET = 1 << 14
"""Places of a bucket: one is in memory at a time, with texts of 4 kB about 64 MB."""
_BUFFER = 32 << 20
"""Bytes that are kept before they are sorted and put aside."""


@dataclass(slots=True)
class Ordered:
    """The table while it is filled, by `add`; `ordered` makes it."""

    schema: pa.Schema
    _spill: IO[bytes]
    _buffer: list[tuple[Places, pa.Table]] = field(default_factory=list)
    _size: int = 0
    _segments: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Of each bucket where in the spilled file what belongs to it begins, and how long it is."""

    def add(self, places: Places, batch: pa.Table) -> None:
        """Takes rows, each with its place; those of one place stay in their order."""
        if not len(places):
            return
        self._buffer.append((places, batch.select(self.schema.names).cast(self.schema)))
        self._size += batch.nbytes
        if self._size >= _BUFFER:
            self._put_aside()

    def _sorted(self) -> tuple[Places, pa.Table]:
        """The buffer in the order of the places; it is empty then."""
        none = np.zeros(0, dtype=np.int64)
        places = np.concatenate([none, *(places for places, _ in self._buffer)])
        tables = [table for _, table in self._buffer] or [self.schema.empty_table()]
        self._buffer, self._size = [], 0
        # stable: rows of one place come in one batch, and stay as they stood there
        order = np.argsort(places, kind="stable")
        return places[order], pa.concat_tables(tables).combine_chunks().take(pa.array(order))

    def _put_aside(self) -> None:
        places, table = self._sorted()
        buckets, starts = np.unique(places // _BUCKET, return_index=True)
        for bucket, start, end in zip(buckets, starts, [*starts[1:], len(places)], strict=True):
            rows = table.slice(start, end - start).append_column("", pa.array(places[start:end]))
            (batch,) = rows.combine_chunks().to_batches()
            begin = self._spill.tell()
            self._spill.write(batch.serialize())
            self._segments.setdefault(int(bucket), []).append((begin, self._spill.tell() - begin))

    def _buckets(self) -> Iterator[pa.Table]:
        """The rows in order, as tables that fit into memory."""
        if not self._segments:
            yield self._sorted()[1]
            return
        if self._buffer:
            self._put_aside()
        schema = self.schema.append(pa.field("", pa.int64()))
        for bucket in sorted(self._segments):
            for begin, length in self._segments[bucket]:
                self._spill.seek(begin)
                segment = pa.py_buffer(self._spill.read(length))
                rows = pa.Table.from_batches([pa.ipc.read_record_batch(segment, schema)])
                places = rows.column(rows.num_columns - 1).to_numpy()
                self._buffer.append((places, rows.select(self.schema.names)))
            yield self._sorted()[1]

    def _write(self, part: Path) -> None:
        """Writes the rows in groups of one size, in which the batches leave no trace."""
        waiting, groups = self.schema.empty_table(), 0
        with pq.ParquetWriter(part, self.schema, compression="zstd") as writer:
            for table in self._buckets():
                waiting = pa.concat_tables([waiting, table])
                whole = len(waiting) // ROW_GROUP * ROW_GROUP
                for start in range(0, whole, ROW_GROUP):
                    # one array per column: a page ends where a chunk does
                    group = waiting.slice(start, ROW_GROUP).combine_chunks()
                    writer.write_table(group, row_group_size=ROW_GROUP)
                    groups += 1
                waiting = waiting.slice(whole)
            if len(waiting) or not groups:
                writer.write_table(waiting.combine_chunks(), row_group_size=ROW_GROUP)


@contextmanager
def ordered(path: Path, schema: pa.Schema) -> Iterator[Ordered]:
    """Writes a Parquet table of rows that come in any order, whole or not at all.

    Several rows may share a place (a response has a judgement per criterion), and a place may stay
    empty. What does not fit into memory lies meanwhile in a file without a name beside `path`, of
    which nothing stays when the process is killed.

        with ordered(run / RESPONSES, response.SCHEMA) as table:
            table.add(np.array([1]), second)
            table.add(np.array([0]), first)
    """
    with replacing(path) as part, TemporaryFile(dir=path.parent) as spill:
        table = Ordered(schema, spill)
        yield table
        table._write(part)
