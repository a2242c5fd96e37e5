"""CSV and JSONL files row by row, with errors that name the line.

Python's readers take the files: DuckDB's CSV reader drops without a word the rows behind a quote
that is never closed and refuses a carriage return in a cell, and its JSON reader guesses a type for
each column. What is ours is what people get wrong: encodings, signs between columns, rows that were
cut off.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from .errors import DataError
from .files import encoding_problem
from .messages import marked, message

Row = dict[str, Any]
Rows = list[Row]

_CHUNK = 20_000
"""Rows whose cells are Python's at one time."""


_BOUNDED = {
    "rows": message("rows"),
    "columns": message("columns"),
    "bytes": message("bytes once it is read"),
    "line": message("bytes in a line"),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be read of a file: rows, columns, and bytes of memory that its cells take.

    `line` is the longest line of a JSONL file, in bytes: a line is decoded at once, and may become
    thirty times as large as it was.
    """

    rows: int
    columns: int
    bytes: int
    line: int = 1 << 20

    def check(self, path: Path, what: str, count: int) -> None:
        """Raise a `DataError` if the file has more of what a field bounds than may be read."""
        limit = getattr(self, what)
        if count > limit:
            raise DataError(
                message(
                    "{path} has more than {limit} {what}, which is all that is read of a file "
                    "here: split it, or leave columns out",
                    path=path,
                    limit=f"{limit:,}",
                    what=_BOUNDED[what],
                )
            )


_NO_LIMITS = Limits(*(1 << 62,) * 4)


def csv_table(path: Path, limits: Limits = _NO_LIMITS) -> tuple[pa.Table, list[int]]:
    """The rows of a CSV, and the line on which each begins; blank lines are skipped.

    Every cell is text, so that an id such as 007 stays. A `DataError` names a line amiss.
    """
    records = _records(path, _separator(path))
    names = next(records, (0, []))[1]
    limits.check(path, "columns", len(names))
    if not names:
        raise DataError(
            message("{path} is empty: its first line is to name the columns", path=path)
        )
    refuse_twice((name for name in names if name), str(path))
    # spreadsheets leave empty columns behind, all without a name
    blank = [at for at, name in enumerate(names) if not name] if names.count("") > 1 else []
    chosen = dict(zip(names, range(len(names)), strict=True))
    schema = pa.schema([(name, pa.string()) for name in chosen])
    chunks: list[pa.Table] = []
    lines: list[int] = []
    while rows := list(islice(records, _CHUNK)):
        for line, cells in rows:
            if len(cells) != len(names) or (blank and any(cells[at] for at in blank)):
                raise _bad_row(f"{path}:{line}", len(cells), len(names))
            lines.append(line)
        limits.check(path, "rows", len(lines))
        columns = [*zip(*(cells for _, cells in rows), strict=True)]
        arrays = [pa.array(columns[at], pa.string()) for at in chosen.values()]
        chunks.append(pa.Table.from_arrays(arrays, schema=schema))
    return pa.concat_tables(chunks or [schema.empty_table()]), lines


def json_lines(path: Path, limits: Limits = _NO_LIMITS) -> Iterator[tuple[int, Row]]:
    """The objects of a JSONL file with their lines, one after the other; blank lines are skipped.

    A `DataError` names the line that is no object, or in which a name stands twice.
    """
    names: set[str] = set()
    rows = 0
    with path.open("rb") as file:
        for number, line in enumerate(iter(partial(file.readline, limits.line + 1), b""), start=1):
            limits.check(path, "line", len(line))
            if line.strip():
                row = _json_object(line, f"{path}:{number}")
                names |= row.keys()
                rows += 1
                limits.check(path, "columns", len(names))
                limits.check(path, "rows", rows)
                yield number, row


def _amiss(place: object, text: str, /, **slots: object) -> DataError:
    """The error that names the place, a file and where that is known its line."""
    return DataError(message("{place}: {problem}", place=place, problem=message(text, **slots)))


def refuse_twice(names: Iterable[str], where: str) -> None:
    """An error that names a column that stands there more than once: one of them would be lost."""
    for name, times in Counter(names).items():
        if times > 1:
            raise _amiss(
                where, "{name!r} is there {times} times: rename all but one", name=name, times=times
            )


class _TwiceError(Exception):
    """An object has a name twice; with all its names."""


def _unique(pairs: Sequence[tuple[str, Any]]) -> Row:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise _TwiceError([name for name, _ in pairs])
    return row


# made once: to make one for each line takes as long as the line does
_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def _json_object(line: bytes, where: str) -> Row:
    row: Any = None
    try:
        row = _DECODER.decode(line.decode("utf-8-sig"))
    except _TwiceError as error:
        refuse_twice(error.args[0], where)
    except ValueError as error:
        raise _amiss(
            where,
            "not a JSON object ({problem}); if the file was cut off, leave the line out or get the "
            "file again",
            problem=error,
        ) from error
    except RecursionError:
        raise _amiss(where, "the object is nested beyond reason") from None
    if not isinstance(row, dict):
        raise _amiss(
            where,
            "not a JSON object but {kind}; each line holds an object in braces",
            kind=type(row).__name__,
        )
    if b"\\u" in line:
        # JSON can spell lone surrogates, which UTF-8 cannot hold
        text = json.dumps(row, ensure_ascii=False)
        row = row if text.isascii() else json.loads(text.encode("utf-8", "replace"))
    return dict(row)


def _text_lines(path: Path) -> Iterator[str]:
    """The file's lines; an encoding is not guessed."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from file
    except UnicodeDecodeError as error:
        number, problem = encoding_problem(path.read_bytes()) or (0, str(error))
        place = f"{path}:{number}" if number else path
        raise DataError(message("{place}: {problem}", place=place, problem=problem)) from error


def _separator(path: Path) -> str:
    """What parts the columns: a comma, unless the header has none and is parted by another sign.

    Spreadsheets write semicolons in countries whose numbers have a decimal comma.
    """

    def width(sign: str) -> int:
        reader = csv.reader(_text_lines(path), delimiter=sign, strict=True)
        with suppress(csv.Error):
            return next((len(cells) for cells in reader if cells), 0)
        return 0

    return next((sign for sign in ",;\t|" if width(sign) > 1), ",")


def _records(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not blank, with the line on which it begins."""
    # the module's own limit of 131,072 characters is shorter than a long answer
    csv.field_size_limit(max(csv.field_size_limit(), path.stat().st_size))
    reader = csv.reader(_text_lines(path), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise _amiss(
            f"{path}:{line}",
            "not readable as CSV ({error}); is a quotation mark within a quoted cell not doubled "
            '(""), or the last one of a cell missing?',
            error=error,
        ) from error


def _bad_row(place: str, cells: int, names: int) -> DataError:
    """What is likely wrong with a row under a header of so many names."""
    if cells == names:
        return _amiss(place, "a value in one of several columns without a name")
    text = (
        marked(
            "{cells} cells in a row under {names} columns; is there a comma in a cell without "
            "quotation marks around it?"
        )
        if cells > names
        else marked(
            "{cells} cells in a row under {names} columns; is there a line break in a cell without "
            "quotation marks, or was the row cut off?"
        )
    )
    return _amiss(place, text, cells=cells, names=names)
