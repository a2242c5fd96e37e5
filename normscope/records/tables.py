"""How the dataclasses of rows become Arrow tables and come back, column by column."""

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from enum import Enum
from itertools import islice, pairwise, repeat, starmap
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.compute as pc

from ..categorical import Categorical

T = TypeVar("T")

TEXT = pa.string()
PROBS = pa.list_(pa.float64())


def never_null(kind: pa.DataType, *names: str) -> list[pa.Field]:
    """Columns of one type, each of which has a value in every row."""
    return [pa.field(name, kind, nullable=False) for name in names]


KEY_FIELDS = (
    *never_null(TEXT, "benchmark", "item_id", "variant_id", "scale_order"),
    *never_null(pa.int32(), "sample"),
    pa.field("temperature", pa.float64()),
    *never_null(TEXT, "model"),
)
"""What identifies a response; a judgement has the same and a criterion."""

KEYS = tuple(field.name for field in KEY_FIELDS)


def joined(table: pa.Table, names: Sequence[str]) -> pa.ChunkedArray:
    """The texts of these columns as one text per row, by which rows of two tables are paired."""
    # no name has a unit separator in it
    return pc.binary_join_element_wise(*(table[name] for name in names), "\x1f")


def to_table(records: Iterable[Any], schema: pa.Schema) -> pa.Table:
    """The records as a table; a column is a part of a record's `key`, or a field of it."""
    rows = list(records)
    # column by column: a dict for each of a million rows would take a gigabyte
    columns = (
        map(attrgetter(f.name if rows and hasattr(rows[0], f.name) else f"key.{f.name}"), rows)
        for f in schema
    )
    arrays = [
        pa.array(map(list, map(dict.items, c)) if pa.types.is_map(f.type) else c, f.type)
        for c, f in zip(columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def from_table(table: pa.Table, kind: type[T]) -> list[T]:
    """The records of a kind that `to_table` made a table of; its other columns are left out.

    A column that the table lacks is the field's default, or empty where it has none.
    """
    hints = get_type_hints(kind)
    columns: list[Iterable[Any]] = []
    for field in fields(kind):  # type: ignore[arg-type]  # its kinds are dataclasses
        hint = hints[field.name]
        if field.name in table.column_names:
            columns.append(_cells(table[field.name], hint))
        elif field.name == "key":
            cells = (_cells(table[name], str) for name in KEYS)
            columns.append(starmap(hint, zip(*cells, strict=True)))
        elif field.default_factory is not MISSING:
            columns.append(iter(field.default_factory, None))
        else:
            columns.append(repeat(() if field.default is MISSING else field.default))
    return list(starmap(kind, islice(zip(*columns, strict=False), table.num_rows)))


def _cells(column: pa.ChunkedArray, hint: Any) -> Iterable[Any]:
    """The cells of a column as a field of this type has them."""
    is_optional = get_origin(hint) in {Union, UnionType}
    kind = next(one for one in get_args(hint) if one is not NoneType) if is_optional else hint
    if not pa.types.is_nested(column.type):
        values = _values(column)
        if not isinstance(kind, type) or not issubclass(kind, Enum):
            return values
        return (None if value is None else kind(value) for value in values)
    nested = column.combine_chunks()
    offsets = pairwise(nested.offsets.to_pylist())
    if pa.types.is_map(column.type):
        pairs = [*zip(_values(nested.keys), _values(nested.items), strict=True)]
        return (dict(pairs[low:high]) for low, high in offsets)
    if pa.types.is_struct(column.type.value_type):
        record = get_args(kind)[0]
        members: Sequence[Any] = [*map(record, *map(_values, nested.values.flatten()))]
    else:
        members = [*_values(nested.values)]
    there = nested.is_valid().to_pylist() if is_optional else repeat(True)
    cells = zip(offsets, there, strict=False)
    return (tuple(members[low:high]) if is_there else None for (low, high), is_there in cells)


def _values(column: pa.Array | pa.ChunkedArray) -> Iterable[Any]:
    """The values of a column; of a long one, a text that stands in many rows is one string."""
    is_text = pa.types.is_string(column.type) or pa.types.is_dictionary(column.type)
    # long texts, of which no array could hold all, are rarely repeated
    if is_text and len(column) >= _MANY and column.nbytes < _LONG:
        return Categorical.of(column).tolist()
    values: list[Any] = column.to_pylist()
    return values


# of a unit's rows, or of one that is opened, numbering the texts takes longer than making them
_MANY = 1024
_LONG = 1 << 30


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
