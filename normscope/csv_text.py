"""The text of a CSV file as rows of cells, with errors that name the line.

Python's reader takes the files; what is ours is what people get wrong: encodings, signs between
columns, lone carriage returns, rows that were cut off.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from .errors import DataError
from .messages import message

# A lone surrogate: no text that was decoded as UTF-8 has one, so that it can stand for another.
_RETURN = "\udc0d"
_LONE_RETURN = re.compile(r"\r(?!\r*\n)")


def csv_records(
    path: Path, text: str, sign: str
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The columns' names, and of each row that is not blank its first line and its cells.

    `sign` parts the columns (`parted_by`). A row of another number of cells is an error once it is
    reached.
    """
    records = _records(path, text, sign)
    _, names = next(records, (0, []))
    if not names:
        raise DataError(
            message("{path} is empty: its first line is to name the columns", path=path)
        )
    refuse_twice((name for name in names if name), str(path))
    return names, _of_width(path, records, len(names))


def _of_width(
    path: Path, records: Iterator[tuple[int, list[str]]], width: int
) -> Iterator[tuple[int, list[str]]]:
    for line, cells in records:
        if len(cells) != width:
            where, ragged = f"{path}:{line}", _ragged(len(cells), width)
            raise DataError(message("{place}: {problem}", place=where, problem=ragged))
        yield line, cells


def decoded(path: Path, content: bytes) -> str:
    """The file's text, its lone carriage returns marked; which encoding it has is not guessed.

    Python and pandas write such a one unquoted. It ends a row only where there is no line feed at
    all (old Macintosh files); elsewhere it is part of a cell.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(_other_encoding(path, content, error.start)) from error
    return _LONE_RETURN.sub(_RETURN, text) if "\n" in text else text


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


def parted_by(text: str) -> str:
    """What parts the columns: a comma, unless the header has none and is parted by another sign.

    Spreadsheets write semicolons in countries whose numbers have a decimal comma.

    >>> parted_by("item_id;answer\\nx;So, so\\n"), parted_by("question\\nWhy; how?\\n")
    (';', ',')
    """

    def header(sign: str) -> list[str]:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
        with suppress(csv.Error):
            return next((cells for cells in reader if cells), [])
        return []

    if len(header(",")) > 1:
        return ","
    return next((sign for sign in ";\t|" if len(header(sign)) > 1), ",")


def _records(path: Path, text: str, sign: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not blank, with the line on which it begins."""
    # the module's own limit of 131,072 characters is shorter than a long answer
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    marked = _RETURN in text
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, [c.replace(_RETURN, "\r") for c in cells] if marked else cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            message(
                "{path}:{line}: not readable as CSV ({error}); is a quotation mark within "
                'a quoted cell not doubled (""), or the last one of a cell missing?',
                path=path,
                line=line,
                error=error,
            )
        ) from error


def _ragged(cells: int, names: int) -> str:
    """What is likely wrong with a row that has another number of cells than the header."""
    if cells > names:
        return message(
            "{cells} cells in a row under {names} columns; is there a comma in a cell without "
            "quotation marks around it?",
            cells=cells,
            names=names,
        )
    return message(
        "{cells} cells in a row under {names} columns; is there a line break in a cell without "
        "quotation marks, or was the row cut off?",
        cells=cells,
        names=names,
    )


def refuse_twice(names: Iterable[str], where: str) -> None:
    """An error that names a column that stands there more than once: one of them would be lost."""
    for name, times in Counter(names).items():
        if times > 1:
            raise DataError(
                message(
                    "{where}: {name!r} is there {times} times: rename all but one",
                    where=where,
                    name=name,
                    times=times,
                )
            )
