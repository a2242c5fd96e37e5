"""Datasets on disk in the form that `load_dataset` reads, and a hash of what is in them."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..files import canonical_json, hash_file, hash_value, write_parquet, write_text
from .builder import Builder
from .card import file_of, render_card
from .registry import builder


def build(
    slug: str,
    out: str | os.PathLike[str],
    *,
    source: str | os.PathLike[str] | None = None,
    unpinned: bool = False,
) -> dict[str, int]:
    """Writes the dataset into `out/<slug>`; returns the number of rows of each config.

    Where a dataset's sentences may not be passed on they are fetched from their authors at a pinned
    commit, or read from the folder `source`; a `SourceError` says which file is missing or is not
    the pinned one, which `unpinned` takes all the same. An unknown `slug` is a `UsageError`.
    """
    dataset = builder(slug)
    tables = dataset.tables(None if source is None else Path(source), unpinned=unpinned)
    write_dataset(dataset, Path(out) / slug, tables)
    return {config: table.num_rows for config, table in tables.items()}


def write_dataset(builder: Builder, folder: Path, tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """Writes `<config>/test.parquet` per config and the card; returns each file's SHA-256.

    The same tables give the same bytes. The card is written last: it makes the folder a dataset.
    """
    paths = {config: folder / file_of(config) for config in tables}
    for config, table in tables.items():
        write_parquet(paths[config], table)
    write_text(folder / "README.md", render_card(builder, tables))
    return {config: hash_file(path) for config, path in paths.items()}


def content_hash(tables: Mapping[str, pa.Table]) -> str:
    """The SHA-256 of what the tables say: their configs, columns, types and values in order.

    How they are chunked, stored or compressed does not change it, so that a table and its Parquet
    file have the same hash under any version of the writer.

    >>> one = pa.table({"a": ["x", None]})
    >>> content_hash({"c": one}) == content_hash({"c": pa.concat_tables([one[:1], one[1:]])})
    True
    """
    return hash_value({config: _hash_table(table) for config, table in tables.items()})


def _hash_table(table: pa.Table) -> str:
    digest = hashlib.sha256()
    for field in table.schema:
        digest.update(canonical_json([field.name, _type_name(field.type), table.num_rows]).encode())
        for chunk in _column_bytes(table[field.name]):
            # with its length: bytes that move from one chunk to the next change the hash
            digest.update(len(chunk).to_bytes(8, "big"))
            digest.update(chunk)
    return digest.hexdigest()


def _column_bytes(column: pa.ChunkedArray) -> Iterator[bytes]:
    """The column's distinct values in order of appearance and, per row, the number of its value."""
    if pa.types.is_nested(column.type):
        yield _json_bytes(column)
        return
    coded = column.combine_chunks().dictionary_encode()
    yield _json_bytes(coded.dictionary)
    yield np.asarray(coded.indices.fill_null(-1)).astype("<i4").tobytes()


def _json_bytes(values: pa.Array | pa.ChunkedArray) -> bytes:
    """The values as a list in canonical JSON, written a part at a time: their objects are large.

    >>> _json_bytes(pa.array(["a", None]))
    b'["a",null]'
    """
    starts = range(0, len(values), 4096)
    parts = (canonical_json(values.slice(start, 4096).to_pylist())[1:-1] for start in starts)
    return b"[" + b",".join(part.encode() for part in parts) + b"]"


def _type_name(kind: pa.DataType) -> str:
    """The type without the names that a writer gives to the elements of a list.

    >>> _type_name(pa.list_(pa.field("element", pa.struct([("letter", pa.string())]))))
    'list<struct<letter: string>>'
    """
    if pa.types.is_list(kind):
        return f"list<{_type_name(kind.value_type)}>"
    if pa.types.is_struct(kind):
        members = (kind.field(index) for index in range(kind.num_fields))
        types = ", ".join(f"{member.name}: {_type_name(member.type)}" for member in members)
        return f"struct<{types}>"
    return str(kind)
