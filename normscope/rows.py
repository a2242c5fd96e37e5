"""Users' files of rows: CSV, JSONL or Parquet in, the same out, with errors that name the line."""

import csv
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, time
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from .budget import Budget, Meter, check_parquet
from .csv_text import csv_records, decoded, parted_by, refuse_twice
from .errors import DataError
from .files import (
    canonical_json,
    check_regular,
    read_parquet,
    replacing,
    unreadable_parquet,
    write_parquet,
)
from .messages import message

Row = dict[str, Any]
Rows = list[Row]

FORMATS = (".csv", ".jsonl", ".parquet")

_NO_TYPES = pa.schema([])


def read_rows(path: Path, *, needed: Sequence[str] = (), budget: Budget | None = None) -> Rows:
    """The file's rows as dicts; a needed column that is missing is an error that names the rest.

    Every cell of a CSV is text, so that an id such as 007 comes back as it was. A column that is
    there twice is an error in every format, since one of the two would be lost. A file of a
    stranger's is read with a `budget`: a `BudgetError` where it holds more.
    """
    check_regular(path)
    read = {".csv": _read_csv, ".jsonl": _read_jsonl, ".parquet": _read_parquet}[_format(path)]
    rows = read(path, Meter(path, budget))
    have = list(dict.fromkeys(name for row in rows for name in row))
    for name in needed:
        if name not in have:
            text = ", ".join(have) or "no column"
            raise DataError(
                message(
                    "{path} has no column {name!r}: rename or add it (it has {text})",
                    path=path,
                    name=name,
                    text=text,
                )
            )
    return [{name: row.get(name) for name in have} for row in rows]


def types_of(path: Path) -> pa.Schema:
    """The types of a Parquet file's columns, to be written again; of other files none."""
    return pq.read_schema(path) if _format(path) == ".parquet" else _NO_TYPES


def write_rows(path: Path, rows: Rows, *, types: pa.Schema = _NO_TYPES) -> None:
    """Writes the rows in the format of the path's ending, whole or not at all.

    In CSV and JSONL a time is written as ISO 8601 and a decimal as its digits; NaN is null in JSON,
    which has none. In Parquet a column has its type of `types`, else the one that its values have.
    What cannot be written is an error that names the column.
    """
    kind = _format(path)
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
    kind = _format(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder: name a file")
    if kind == ".parquet":
        for name in rows[0] if rows else ():
            _column(path, name, rows, types)
        return
    for _ in _plain(path, rows):
        pass


def _format(path: Path) -> str:
    if path.suffix not in FORMATS:
        raise DataError(
            message(
                "{path}: the ending is {ending}, not {known}",
                path=path,
                ending=path.suffix or "missing",
                known=", ".join(FORMATS),
            )
        )
    return path.suffix


def csv_lines(path: Path, meter: Meter | None = None) -> Iterator[tuple[int, Row]]:
    """The rows of a CSV with the line on which each begins; a `DataError` names a line amiss."""
    meter = meter or Meter(path, None)
    text = decoded(path, path.read_bytes())
    names, records = csv_records(path, text, parted_by(text))
    meter.columns(names)
    # spreadsheets leave empty columns behind, all without a name
    blank = [at for at, name in enumerate(names) if not name] if names.count("") > 1 else []
    for line, cells in records:
        if any(cells[at] for at in blank):
            raise DataError(
                message(
                    "{path}:{line}: a value in one of several columns without a name",
                    path=path,
                    line=line,
                )
            )
        row = dict(zip(names, cells, strict=True))
        meter.row(row)
        yield line, row


def json_lines(path: Path, meter: Meter | None = None) -> Iterator[tuple[int, Row]]:
    """The objects of a JSONL file with their lines, one after the other; blank lines are skipped.

    A `DataError` names the line that is no object, or in which a name stands twice.
    """
    meter = meter or Meter(path, None)
    with path.open("rb") as file:
        for number, line in enumerate(meter.lines(file), start=1):
            if not line.strip():
                continue
            where = f"{path}:{number}"
            try:
                row = json.loads(
                    line.decode("utf-8-sig"), object_pairs_hook=partial(_object, where)
                )
            except ValueError as error:
                raise DataError(
                    message(
                        "{where}: not a JSON object ({problem}); if the file was cut off, leave "
                        "the line out or get the file again",
                        where=where,
                        problem=error,
                    )
                ) from error
            except RecursionError:
                raise DataError(
                    message("{where}: the object is nested beyond reason", where=where)
                ) from None
            if not isinstance(row, dict):
                raise DataError(
                    message(
                        "{where}: not a JSON object but {kind}; each line holds an object in "
                        "braces",
                        where=where,
                        kind=type(row).__name__,
                    )
                )
            meter.row(row)
            yield number, well_formed(row) if b"\\u" in line else row


def _read_csv(path: Path, meter: Meter) -> Rows:
    return [row for _, row in csv_lines(path, meter)]


def _read_jsonl(path: Path, meter: Meter) -> Rows:
    return [row for _, row in json_lines(path, meter)]


def _object(where: str, pairs: list[tuple[str, Any]]) -> Row:
    row = dict(pairs)
    if len(row) < len(pairs):
        refuse_twice((name for name, _ in pairs), where)
    return row


def well_formed(row: Row) -> Row:
    """The row without lone surrogates, which JSON can spell and UTF-8 cannot hold."""
    text = json.dumps(row, ensure_ascii=False)
    valid: Row = row if text.isascii() else json.loads(text.encode("utf-8", "replace"))
    return valid


def _read_parquet(path: Path, meter: Meter) -> Rows:
    rows: Rows
    try:
        if meter.budget is not None:
            with unreadable_parquet(path):
                check_parquet(path, meter.budget)
        # what is no Parquet file is told below
        with suppress(pa.ArrowException, OSError):
            refuse_twice(pq.read_schema(path).names, str(path))
        rows = read_parquet(path).to_pylist()
    except (ValueError, OverflowError) as error:
        raise DataError(
            message(
                "{path} holds a value that cannot be read ({error}): write it again without it",
                path=path,
                error=_first_line(error),
            )
        ) from error
    return rows


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
