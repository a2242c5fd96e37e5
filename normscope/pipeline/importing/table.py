"""A table of recorded answers (CSV, JSONL, Parquet) as it stands in its file, nothing understood.

Every cell of a CSV is text, so that an id such as 007 stays; a value of JSONL and Parquet keeps its
type where the whole column has it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from ...csv_text import check_csv, refuse_twice
from ...errors import DataError
from ...files import canonical_json, read_parquet
from ...messages import message
from ...rows import read_rows
from .raw import RawAnswers

ENDINGS = (".csv", ".csv.gz", ".jsonl", ".parquet")
"""What a table's file is called at its end; a `.csv.gz` is unpacked while it is read."""

_MOST_BYTES = 4 << 30
_BLOCK_BYTES = 64 << 20
"""A row may reach into two blocks at most, and those of the reader itself have 1 MB each."""
_TEXT = pa.string()


def read_table(path: Path) -> RawAnswers:
    """The file's rows; a `DataError` names what cannot be read, with its line."""
    if path.name.endswith((".csv", ".csv.gz")):
        return _of_csv(path)
    if path.suffix == ".jsonl":
        return _of_jsonl(path)
    if path.suffix == ".parquet":
        table = read_parquet(path)
        refuse_twice(table.column_names, str(path))
        return filled(path, RawAnswers("Parquet", table, _numbered(len(table), "row", 1)))
    raise DataError(
        message(
            "{path}: a table's name ends in {endings}; rename it, or say what it is with --format",
            path=path,
            endings=", ".join(ENDINGS),
        )
    )


def csv_columns(path: Path, content: bytes) -> pa.Table:
    """The columns of a CSV as texts; `path` is for messages.

    A `DataError` names the line that cannot be read. Columns keep their names and places.
    """
    # Python's reader has errors with their line; it looks at more than the header where cells are
    # in quotes, since a mark that is missing would swallow every row after it
    names, sign = check_csv(path, content, rows=None if b'"' in content else 0)
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(content),
            read_options=pa_csv.ReadOptions(block_size=_BLOCK_BYTES),
            parse_options=pa_csv.ParseOptions(delimiter=sign, newlines_in_values=True),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(names, _TEXT),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        check_csv(path, content)
        first = str(error).partition("\n")[0][:200]
        raise DataError(
            message("{path} is not readable as CSV ({error})", path=path, error=first)
        ) from error
    # what pyarrow made of a column without a name is text as well
    return pa.table([column.cast(_TEXT) for column in table.columns], names=table.column_names)


def _of_csv(path: Path) -> RawAnswers:
    content = _content(path)
    table = csv_columns(path, content)
    names = [name or f"column {at}" for at, name in enumerate(table.column_names, start=1)]
    named = table.rename_columns(names)
    return filled(path, RawAnswers("CSV", named, _lines(content, named)))


def _content(path: Path) -> bytes:
    with pa.input_stream(str(path), compression="detect") as file:
        try:
            content: bytes = file.read(_MOST_BYTES)
        except OSError as error:
            raise DataError(
                message(
                    "{path} cannot be unpacked ({error}): it may be cut off; get it again",
                    path=path,
                    error=str(error).partition("\n")[0][:200],
                )
            ) from error
    if len(content) == _MOST_BYTES:
        raise DataError(
            message("{path} holds over 4 GiB; save it as Parquet, or in several files", path=path)
        )
    return content


def _of_jsonl(path: Path) -> RawAnswers:
    rows = read_rows(path)
    names = list(rows[0]) if rows else []
    table = pa.table({name: _column([row[name] for row in rows]) for name in names})
    with path.open("rb") as file:
        lines = [number for number, line in enumerate(file, start=1) if line.strip()]
    return filled(path, RawAnswers("JSONL", table, _numbered(lines, "line")))


def _column(values: Sequence[Any]) -> pa.Array:
    """The values with the type that all of them have, else as texts."""
    try:
        array = pa.array(values)
    except pa.ArrowException:
        array = pa.nulls(len(values), pa.list_(_TEXT))
    if not pa.types.is_nested(array.type):
        return array
    texts = [v if v is None or isinstance(v, str) else canonical_json(v) for v in values]
    return pa.array(texts, _TEXT)


def _lines(content: bytes, table: pa.Table) -> pa.Array:
    """Where each row begins; by its number where blank lines are left out of the count."""
    if any(blank in content for blank in (b"\n\n", b"\r\n\r\n", b"\n\r\n")) or b"\n" not in content:
        return _numbered(len(table), "row", 1)
    inside = np.zeros(len(table), np.int64)
    for column in table.columns:
        inside += pc.count_substring(column, "\n").to_numpy()
    # the header may hold a line break as well
    header = 1 + sum(name.count("\n") for name in table.column_names)
    before = np.concatenate([[0], np.cumsum(inside)[:-1]]) if len(table) else inside
    return _numbered(np.arange(len(table)) + before + header + 1, "line")


def _numbered(numbers: Any, what: str, first: int = 0) -> pa.Array:
    if isinstance(numbers, int):
        numbers = np.arange(first, first + numbers)
    texts = pa.array(numbers, pa.int64()).cast(_TEXT)
    return pc.binary_join_element_wise(what, texts, " ")


def filled(path: Path, raw: RawAnswers) -> RawAnswers:
    """The same; a `DataError` where there is no row."""
    if not len(raw.table):
        raise DataError(message("{path} is empty: it has no row of answers", path=path))
    return raw
