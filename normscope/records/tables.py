"""How records with a response's key become tables and come back, column by column."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

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


def from_columns(table: pa.Table, schema: pa.Schema) -> Iterator[dict[str, Any]]:
    """The fields of each record in the table, as far as it has them; its key under `key`."""
    names = [name for name in schema.names if name not in KEYS and name in table.column_names]
    columns = [table.column(name).to_pylist() for name in (*KEYS, *names)]
    for row in zip(*columns, strict=True):
        yield {"key": row[: len(KEYS)], **dict(zip(names, row[len(KEYS) :], strict=True))}
