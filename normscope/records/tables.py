"""How records with a response's key become tables and come back, column by column."""

from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ..files import typed

T = TypeVar("T", bound=Hashable)

TEXT = pa.string()
PROBS = pa.list_(pa.float64())

KEY_FIELDS = (
    pa.field("benchmark", TEXT, nullable=False),
    pa.field("item_id", TEXT, nullable=False),
    pa.field("variant_id", TEXT, nullable=False),
    pa.field("scale_order", TEXT, nullable=False),
    pa.field("sample", pa.int32(), nullable=False),
    pa.field("temperature", pa.float64()),
    pa.field("model", TEXT, nullable=False),
)
"""What identifies a response; a judgement has the same and a criterion."""

KEYS = tuple(field.name for field in KEY_FIELDS)


def joined(table: pa.Table, names: Sequence[str]) -> pa.ChunkedArray:
    """The texts of these columns as one text per row, by which rows of two tables are paired."""
    # no name has a unit separator in it
    return pc.binary_join_element_wise(*(table[name] for name in names), "\x1f")


def to_columns(records: Sequence[Any], schema: pa.Schema) -> pa.Table:
    """The records as a table; a column is a part of the record's `key`, or a field of it."""
    # column by column: a dict for each of a million rows would take a gigabyte
    arrays = [
        pa.array(
            [getattr(record.key, field.name) for record in records]
            if field.name in KEYS
            else [getattr(record, field.name) for record in records],
            type=field.type,
        )
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def from_columns(table: pa.Table, schema: pa.Schema, kind: type[T]) -> list[T]:
    """The records of the table; a column of the schema that it lacks is the field's default."""
    names = [name for name in schema.names if name not in KEYS and name in table.column_names]
    columns = [table.column(name).to_pylist() for name in (*KEYS, *names)]
    return [
        typed(kind, {"key": row[: len(KEYS)], **dict(zip(names, row[len(KEYS) :], strict=True))})
        for row in zip(*columns, strict=True)
    ]


def to_json(record: Any) -> dict[str, Any]:
    """The record's fields as JSON values, of which `typed` makes it again."""
    # not dataclasses.asdict: its deep copies took longer than the prompts took to write
    return {name: getattr(record, name) for name in record.__slots__}


def stream_of(table: pa.Table) -> bytes:
    """The table as an Arrow stream, compressed as a whole."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    # buffer by buffer, as Arrow itself compresses, a unit would take five times as long
    content: bytes = pa.compress(sink.getvalue(), codec="zstd", asbytes=True)
    return content


def table_of(content: bytes) -> pa.Table:
    """The table of such a stream."""
    stream = pa.CompressedInputStream(pa.BufferReader(content), "zstd")
    with pa.ipc.open_stream(stream, options=pa.ipc.IpcReadOptions(use_threads=False)) as reader:
        return reader.read_all()
