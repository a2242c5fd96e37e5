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

from ...errors import DataError
from ...files import canonical_json, read_parquet
from ...messages import message
from ...rows import check_csv, read_rows, refuse_twice
from .raw import RawAnswers

ENDINGS = (".csv", ".csv.gz", ".jsonl", ".parquet")
"""What a table's file is called at its end; a `.csv.gz` is unpacked while it is read."""

_MOST_BYTES = 4 << 30
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


def _of_csv(path: Path) -> RawAnswers:
    content = _content(path)
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(_other_encoding(path, content, error.start)) from error
    # Python's reader has errors with their line; it looks at more than the header where cells are
    # in quotes, since a mark that is missing would swallow every row after it
    names = check_csv(path, content, rows=None if b'"' in content else 0)
    if len(names) == 1 and (mark := next((m for m in ";\t|" if m in names[0]), None)):
        raise DataError(
            message(
                "{path}: its columns are separated by {mark}, not by commas; save it as CSV with "
                "commas",
                path=path,
                mark=repr(mark),
            )
        )
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(content),
            parse_options=pa_csv.ParseOptions(newlines_in_values=True),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(names, _TEXT), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        check_csv(path, content)
        first = str(error).partition("\n")[0][:200]
        raise DataError(
            message("{path} is not readable as CSV ({error})", path=path, error=first)
        ) from error
    labels = [name or f"column {at}" for at, name in enumerate(names, start=1)]
    # what pyarrow made of a column without a name is text as well
    texts = [column.cast(_TEXT) for column in table.columns]
    named = pa.table(texts, names=labels)
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


def _other_encoding(path: Path, content: bytes, at: int) -> str:
    line = content.count(b"\n", 0, at) + 1
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return message(
            "{path} is saved as UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)", path=path
        )
    return message(
        "{path}:{line}: byte {byte} (0x{value}) is not UTF-8 text: the file has another encoding, "
        "such as Windows-1252 or GBK; save it as UTF-8 (in Excel: CSV UTF-8)",
        path=path,
        line=line,
        byte=at,
        value=f"{content[at]:02x}",
    )


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
