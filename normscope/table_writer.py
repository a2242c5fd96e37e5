"""Rows written as CSV, JSONL or Parquet, with errors that name the column."""

import csv
import json
import math
import re
from collections.abc import Sequence
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
_WORDLESS = re.compile(r"\b\w*binary\b(?!:)|\bduration\[")
"""What of a type's name says that its values have no form in text; before a colon is a name."""


def write_rows(path: Path, rows: Rows, *, types: pa.Schema = _NO_TYPES) -> None:
    """Writes the rows in the format of the path's ending, whole or not at all.

    In CSV and JSONL a time is written as ISO 8601 and a decimal as its digits; NaN and infinity are
    null in JSON, which has neither. In Parquet a column has its type of `types`, else the one that
    its values have. What cannot be written is an error that names the column.
    """
    kind = table_format(path)
    if kind == ".parquet":
        columns = {name: _column(path, name, rows, types) for name in rows[0]} if rows else {}
        write_parquet(path, pa.table(columns))
        return
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        if kind == ".jsonl":
            file.writelines(json.dumps(_in_json(row), ensure_ascii=False) + "\n" for row in rows)
        else:
            names = [*rows[0]] if rows else []
            writer = csv.DictWriter(_LineFeeds(file), names, lineterminator="\r\n")
            writer.writeheader()
            writer.writerows({name: _in_csv(cell) for name, cell in row.items()} for row in rows)


def check_writable(path: Path, rows: Sequence[Row] = (), *, types: pa.Schema = _NO_TYPES) -> None:
    """An error now, not after hours of work, if the rows could not be written there."""
    is_parquet = table_format(path) == ".parquet"
    if path.is_dir():
        raise DataError(f"{path} is a folder: name a file")
    for name in rows[0] if rows else ():
        if is_parquet:
            _column(path, name, rows, types)
        elif name in types.names and _WORDLESS.search(str(types.field(name).type)):
            raise DataError(
                f"{path}: column {name!r} holds {types.field(name).type}, which has no form in "
                "text: leave the column out, or name an --out that ends in .parquet"
            )


def _in_csv(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return canonical_json(_in_json(value))
    # a CSV takes NaN and infinity as they are, which JSON has no form for
    return value if isinstance(value, float) else _in_json(value)


def _in_json(value: Any) -> Any:
    """The value in JSON's types."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(name): _in_json(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_in_json(member) for member in value]
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def _column(path: Path, name: str, rows: Sequence[Row], types: pa.Schema) -> pa.Array:
    """The column as Parquet holds it, or an error that names it: it has one type in all rows."""
    kind = types.field(name).type if name in types.names else None
    try:
        column = pa.array([row[name] for row in rows], type=kind)
        pq.write_table(pa.table({name: column}), pa.MockOutputStream())
    except (pa.ArrowException, OverflowError, UnicodeEncodeError) as error:
        first = str(error).partition("\n")[0][:200]
        raise DataError(
            f"{path}: column {name!r} cannot be written as Parquet ({first}): leave it out, or "
            "name an --out that ends in .jsonl"
        ) from error
    return column


class _LineFeeds:
    """A file whose rows come with CR LF and are written with LF.

    The csv module quotes a carriage return in a cell only where it is part of the line's end.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        """Writes one row."""
        return self._file.write(row.removesuffix("\r\n") + "\n")
