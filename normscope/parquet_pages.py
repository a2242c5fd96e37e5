"""Parquet files from strangers, whose pages are counted before any of them is unpacked.

What the footer says of sizes is not believed: Arrow unpacks a page into as many bytes as the page's
own header names, and repeats a value of a dictionary as often as the rows point to it. So the
headers are walked (Thrift's compact protocol, as far as a page's header has it), texts stay in
their dictionaries, and what a batch takes as Python values is worked out before it is made. Texts
within lists and structs cannot stay there in all versions of Arrow: for them the longest text of a
dictionary counts as often as one is pointed to.
"""

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .budget import Budget, Meter
from .errors import DataError

_BATCH = 1024
_FOOTER = 1 << 20
"""Bytes. Arrow takes 600 bytes for a column of a row group that a footer tells in four."""
_PER_PAGE, _PER_VALUE = 1024, 8
_PER_CELL = 64
"""Bytes of a small Python value and the place where it is kept."""
_PLAIN_DICTIONARY, _DELTA_BYTE_ARRAY, _RLE_DICTIONARY = 2, 7, 8

# fields of Parquet's PageHeader, of its three kinds of pages, and of their encodings
_UNPACKED, _PACKED, _DATA, _DICTIONARY, _DATA_V2 = 2, 3, 5, 7, 8
_VALUES = 1
_ENCODING = {_DATA: 2, _DATA_V2: 4}


def batches(
    path: Path, meter: Meter, only: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of the file in small batches that were counted; with `only`, those columns.

    The meter has to have a budget. Raises `BudgetError` before more is taken than it has, and
    `pyarrow.ArrowException`, `OSError` or `DataError` where the file is damaged. The file itself
    has to fit into memory.
    """
    if (budget := meter.budget) is None:
        raise ValueError("a meter without a budget")
    data = path.read_bytes()
    file = _opened(path, data, budget)
    names = file.schema_arrow.names
    meter.columns(names)
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise DataError(f"{path}: {twice[0]!r} is there several times: rename all but one")
    chosen = [name for name in names if only is None or name in only]
    _count_pages(file, data, Meter(path, budget), chosen)
    leaves = [file.schema.column(at) for at in range(len(file.schema))]
    flat = [column.path for column in leaves if _is_text(column) and column.path in names]
    for batch in _open(data, read_dictionary=flat).iter_batches(
        _BATCH, columns=chosen, use_threads=False
    ):
        meter.take(sum(map(_as_python, batch.columns)))
        meter.rows(batch.num_rows)
        # that the texts fit is known now, and as Python values they come five times as fast
        plain = [
            column.dictionary_decode() if _is_coded(column) else column for column in batch.columns
        ]
        yield pa.RecordBatch.from_arrays(plain, names=batch.schema.names)


def _opened(path: Path, data: bytes, budget: Budget) -> pq.ParquetFile:
    # the file ends with the footer, its length and a mark
    length = int.from_bytes(data[-8:-4], "little")
    Meter(path, Budget(budget.rows, budget.columns, _FOOTER)).take(length)
    return _open(data)


def _open(data: bytes, **how: Any) -> pq.ParquetFile:
    return pq.ParquetFile(
        pa.BufferReader(data),
        thrift_string_size_limit=_FOOTER,
        thrift_container_size_limit=10_000,
        # an extension type may do as it likes when it is read
        arrow_extensions_enabled=False,
        **how,
    )


def _count_pages(file: pq.ParquetFile, data: bytes, meter: Meter, chosen: Sequence[str]) -> None:
    """Counts what the pages of the chosen columns are unpacked into."""
    facts, schema = file.metadata, file.schema_arrow
    for at in range(len(file.schema)):
        leaf = file.schema.column(at)
        name = next((column for column in chosen if f"{leaf.path}.".startswith(f"{column}.")), None)
        if name is None:
            continue
        width, filled = max(_PER_VALUE, leaf.length or 0), _slots(schema.field(name).type)
        # a null list of fixed size is filled up: once for a row, or for each in another list
        if filled > 1:
            meter.take(_BATCH * filled * width)
        each = width * (filled if leaf.max_repetition_level > 1 else 1)
        nested = _is_text(leaf) and leaf.path not in chosen
        for group in range(facts.num_row_groups):
            chunk, longest = facts.row_group(group).column(at), 0
            for page in _pages(data, chunk):
                # a page of nothing takes its place as well, and a file may have millions of them
                meter.take(max(page.unpacked, _PER_PAGE) + page.values * each)
                if nested and page.kind == _DICTIONARY:
                    longest = _longest(data, page, chunk.compression)
                elif page.encoding in {_PLAIN_DICTIONARY, _RLE_DICTIONARY}:
                    meter.take(page.values * longest)


def _slots(kind: pa.DataType) -> int:
    """How many places a null takes: one, but for lists of fixed size."""
    size = kind.list_size if pa.types.is_fixed_size_list(kind) else 1
    parts = (kind.field(at).type for at in range(kind.num_fields))
    return int(size * max(map(_slots, parts), default=1))


@dataclass(frozen=True, slots=True)
class _Page:
    """A page by its own header: what it is, its values, its bytes unpacked, where it stands."""

    kind: int
    encoding: int | None
    values: int
    unpacked: int
    start: int
    end: int


def _pages(data: bytes, chunk: pq.ColumnChunkMetaData) -> Iterator[_Page]:
    """The pages of a column's chunk."""
    start, first = chunk.data_page_offset, chunk.dictionary_page_offset
    if first is not None and 0 < first < start:
        start = first
    place, end = start, min(start + chunk.total_compressed_size, len(data))
    while 0 <= place < end:
        try:
            page = _page(data, place)
        except (IndexError, ValueError) as error:
            raise DataError(f"a page of column {chunk.path_in_schema!r} is damaged") from error
        # each text is written as what it adds to the one before: a few bytes can unpack without
        # bound
        if page.encoding == _DELTA_BYTE_ARRAY:
            raise DataError(
                f"column {chunk.path_in_schema!r} is encoded as DELTA_BYTE_ARRAY, whose size is "
                "not known before it is read: write it with another encoding"
            )
        yield page
        place = page.end


def _page(data: bytes, place: int) -> _Page:
    header, start = _struct(data, place, depth=4)
    kind = next((field for field in (_DATA, _DICTIONARY, _DATA_V2) if field in header), 0)
    facts = header.get(kind)
    facts = facts if isinstance(facts, dict) else {_VALUES: 0}
    return _Page(
        kind=kind,
        encoding=facts.get(_ENCODING.get(kind)),
        values=_number(facts.get(_VALUES)),
        unpacked=_number(header.get(_UNPACKED)),
        start=start,
        end=start + _number(header.get(_PACKED)),
    )


def _longest(data: bytes, page: _Page, codec: str) -> int:
    """The bytes of the longest text of a dictionary; the page's where they cannot be told."""
    packed = data[page.start : page.end]
    if codec != "UNCOMPRESSED":
        try:
            # what Parquet calls LZ4 today has no frame
            name = "lz4_raw" if codec == "LZ4" else codec.lower()
            packed = pa.decompress(packed, page.unpacked, name, asbytes=True)
        except (pa.ArrowException, ValueError, OSError):
            return page.unpacked
    longest = place = 0
    while place + 4 <= len(packed):
        length = int.from_bytes(packed[place : place + 4], "little")
        longest, place = max(longest, length), place + 4 + length
    return min(longest, page.unpacked)


def _as_python(column: pa.Array) -> int:
    """What the column takes as Python values, a text as often as it is pointed to."""
    size: int = _PER_CELL * (len(column) - column.null_count)
    kind = column.type
    if _is_coded(column):
        return size + _bytes_in(column.dictionary, column.indices)
    if pa.types.is_struct(kind):
        return size + sum(map(_as_python, column.flatten()))
    if pa.types.is_map(kind):
        # its items come as tuples
        return 2 * size + _as_python(column.keys) + _as_python(column.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return size + _as_python(column.flatten())
    return size + int(column.nbytes)


def _is_coded(column: pa.Array) -> bool:
    return bool(pa.types.is_dictionary(column.type))


def _bytes_in(texts: pa.Array, places: pa.Array) -> int:
    """The bytes of the texts at these places."""
    total = pc.sum(pc.take(pc.binary_length(texts), places).cast(pa.int64())).as_py()
    return int(total or 0)


def _is_text(leaf: pq.ColumnSchema) -> bool:
    return bool(leaf.physical_type == "BYTE_ARRAY")


_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


def _struct(data: bytes, place: int, *, depth: int) -> tuple[dict[int, Any], int]:
    """A struct's fields by number, and where it ends; what is no number or struct is passed."""
    if not depth:
        raise ValueError("nested too deeply")
    fields: dict[int, Any] = {}
    number = 0
    while kind := data[place]:
        place += 1
        if kind >> 4:
            number += kind >> 4
        else:
            number, place = _zigzag(data, place)
        value, place = _value(data, place, kind & 15, depth=depth)
        fields[int(number)] = value
    return fields, place + 1


def _value(data: bytes, place: int, kind: int, *, depth: int) -> tuple[Any, int]:
    if kind in {_TRUE, _FALSE}:
        return kind == _TRUE, place
    if kind in {_I16, _I32, _I64}:
        return _zigzag(data, place)
    if kind == _BINARY:
        length, place = _varint(data, place)
        return None, place + length
    if kind == _STRUCT:
        return _struct(data, place, depth=depth - 1)
    if kind in {_BYTE, _DOUBLE}:
        return None, place + struct.calcsize("b" if kind == _BYTE else "d")
    raise ValueError(f"a page's header has no field of kind {kind}")


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:  # noqa: PLR2004 - the highest bit says that more follows
            return value, place
        if shift > 63:  # noqa: PLR2004 - ten bytes hold every number
            raise ValueError("a number without an end")


def _zigzag(data: bytes, place: int) -> tuple[int, int]:
    value, place = _varint(data, place)
    return (value >> 1) ^ -(value & 1), place


def _number(value: Any) -> int:
    """A size that has to be there and cannot be negative."""
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"a size of {value!r}")
    return value
