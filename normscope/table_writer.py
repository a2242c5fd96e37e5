"""Rows written as CSV, JSONL or Parquet, with errors that name the column."""

import csv
import json
import math
from collections.abc import Iterator, Sequence
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from .errors import DataError
from .files import canonical_json, replacing, write_parquet
from .tables import table_format
from .text_tables import Row, Rows

_NO_TYPES = pa.schema([])


def write_rows(path: Path, rows: Rows, *, types: pa.Schema = _NO_TYPES) -> None:
    """Writes the rows in the format of the path's ending, whole or not at all.

    In CSV and JSONL a time is written as ISO 8601 and a decimal as its digits; NaN is null in JSON,
    which has none. In Parquet a column has its type of `types`, else the one that its values have.
    What cannot be written is an error that names the column.
    """
    kind = table_format(path)
    if kind == ".parquet":
        columns = {name: _column(path, name, rows, types) for name in rows[0]} if rows else {}
        write_parquet(path, pa.table(columns))
        return
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        if kind == ".jsonl":
            file.writelines(json.dumps(r, ensure_ascii=False) + "\n" for r in _plain(path, rows))
        else:
            writer = csv.DictWriter(
                _LineFeeds(file), list(rows[0]) if rows else [], lineterminator="\r\n"
            )
            writer.writeheader()
            writer.writerows(_plain(path, rows))


def check_writable(path: Path, rows: Sequence[Row] = (), *, types: pa.Schema = _NO_TYPES) -> None:
    """An error now, not after hours of work, if the rows could not be written there."""
    kind = table_format(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder: name a file")
    if kind == ".parquet":
        for name in rows[0] if rows else ():
            _column(path, name, rows, types)
        return
    for _ in _plain(path, rows):
        pass


def _plain(path: Path, rows: Sequence[Row]) -> Iterator[Row]:
    """The rows in values that the text format has, or an error that names row and column."""
    cell = _in_json if path.suffix == ".jsonl" else _in_csv
    for number, row in enumerate(rows, start=1):
        plain = {}
        for name, value in row.items():
            try:
                plain[name] = cell(value)
            except TypeError as error:
                raise DataError(
                    f"{path}: row {number}, column {name!r} holds {error}, which "
                    f"{path.suffix[1:].upper()} cannot: leave the column out, or name an --out "
                    "that ends in .parquet"
                ) from error
        yield plain


def _in_csv(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return canonical_json(_in_json(value))
    # a CSV takes NaN and infinity as they are, which JSON has no form for
    return value if isinstance(value, float) else _in_json(value)


def _in_json(value: Any) -> Any:
    """The value in JSON's types; a `TypeError` that names what JSON has no one form for."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        if math.isinf(value):
            raise TypeError("an infinite number")
        return None if math.isnan(value) else value
    if isinstance(value, dict):
        return {str(name): _in_json(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_in_json(member) for member in value]
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"a value of type {type(value).__name__}")


def _column(path: Path, name: str, rows: Sequence[Row], types: pa.Schema) -> pa.Array:
    """The column as Parquet holds it, or an error that names it: it has one type in all rows."""
    kind = types.field(name).type if name in types.names else None
    try:
        column = pa.array([row[name] for row in rows], type=kind)
        pq.write_table(pa.table({name: column}), pa.MockOutputStream())
    except (pa.ArrowException, OverflowError, UnicodeEncodeError) as error:
        raise DataError(
            f"{path}: column {name!r} cannot be written as Parquet ({_first_line(error)}): leave "
            "it out, or name an --out that ends in .jsonl"
        ) from error
    return column


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]


class _LineFeeds:
    """A file whose rows come with CR LF and are written with LF.

    The csv module quotes a carriage return in a cell only where it is part of the line's end.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        """Writes one row."""
        return self._file.write(row.removesuffix("\r\n") + "\n")
