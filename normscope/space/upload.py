"""A visitor's file: looked at before it is read, then read with bounds, its columns guessed."""

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..errors import DataError, LimitError
from ..messages import marked, replaced
from ..tables import FORMATS, read_table
from ..text_tables import Limits
from . import limits
from .texts import VisitorError

_ZIP, _PARQUET, _OLD_EXCEL = b"PK\x03\x04", b"PAR1", b"\xd0\xcf\x11\xe0"
_GZIP = b"\x1f\x8b"

LIMITS = Limits(limits.MAX_ROWS, limits.MAX_COLUMNS, limits.MAX_TABLE_BYTES)

Row = dict[str, str | None]

NAMES = {
    "question": ("question", "prompt", "instruction", "query", "input", "user", "问题", "提问"),
    "answer": ("answer", "response", "output", "completion", "reply", "text", "回答", "回复"),
    "category": ("category", "type", "kind", "area", "类别", "类型"),
    "language": ("language", "lang", "语言"),
}
"""What the columns are called elsewhere, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was read: its name, its rows (cells as text or null), its columns."""

    name: str
    rows: list[Row]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what; an empty name for none."""

    question: str
    answer: str
    category: str = ""
    language: str = ""


def path_of(file: str | None) -> Path:
    """The path of the file, or an error where none was sent."""
    if file is None:
        raise VisitorError("There is no file yet.")
    return Path(file)


def read_upload(path: Path) -> Upload:
    """The rows of a CSV, JSONL or Parquet file within `LIMITS`, or an error that says what to do.

    What the file is called is not trusted: a workbook that is named .csv is found to be one.
    """
    with readable(path, FORMATS):
        rows = read_table(path, limits=LIMITS).to_rows()
    cells = [{name: _cell(value) for name, value in row.items()} for row in rows]
    return Upload(path.name, cells, tuple(rows[0]))


@contextmanager
def readable(
    path: Path, endings: Sequence[str], *, most: int = limits.MAX_FILE_BYTES
) -> Iterator[None]:
    """Looks at the file of one of these endings and at most so many bytes, then lets it be read.

    What is wrong becomes an error without the path.
    """
    name, size = path.name, path.stat().st_size
    if size > most:
        raise VisitorError(
            "The file has {size}; up to {most} are taken. Split it, or use Normscope "
            "on your own machine.",
            size=in_megabytes(size),
            most=in_megabytes(most),
        )
    if path.suffix not in endings:
        raise VisitorError(
            "{name} is none of the three kinds: its name should end in .csv, .jsonl or .parquet.",
            name=name,
        )
    _look_at(path)
    try:
        yield
    except LimitError as error:
        raise _too_much(name, error) from None
    except (RecursionError, MemoryError, OverflowError, pa.ArrowException, zlib.error):
        raise _unreadable(name) from None
    except DataError as error:
        # its message begins with a path of this machine
        raise DataError(replaced(error.message, f"{path.parent}{os.sep}", "")) from None


def _unreadable(name: str) -> VisitorError:
    return VisitorError(
        "{name} could not be read. It may be cut short, or of another kind than its name says.",
        name=name,
    )


def _too_much(name: str, error: LimitError) -> VisitorError:
    if error.what == "rows":
        text = marked(
            "The file has more than {most} rows. Split it, or use Normscope on your own machine."
        )
    elif error.what == "columns":
        text = marked("The file has more than {most} columns. Leave out those that are not needed.")
    elif error.what == "bytes in a line":
        text = marked(
            "{name} has a line of more than {most}, which is more than is read at once. Shorten it."
        )
    else:
        text = marked(
            "{name} has more than {most} once it is read, whatever its size on disk. Split it, "
            "leave out columns that are not needed, or use Normscope on your own machine."
        )
    counted = error.what in {"rows", "columns"}
    return VisitorError(
        text, name=name, most=f"{error.limit:,}" if counted else in_megabytes(error.limit)
    )


def guess(columns: Sequence[str]) -> Columns:
    """Which column is likeliest to hold what: by its name, then by a part of its name.

    >>> guess(["id", "Prompt", "model_output", "lang"])
    Columns(question='Prompt', answer='model_output', category='', language='lang')
    """
    guessed: dict[str, str] = {}
    for exact in (True, False):
        for role, names in NAMES.items():
            if role not in guessed:
                used = set(guessed.values())
                free = [column for column in columns if column not in used]
                if match := _first_match(free, names, exact=exact):
                    guessed[role] = match
    return Columns(**{"question": "", "answer": "", **guessed})


def _first_match(columns: Sequence[str], names: Sequence[str], *, exact: bool) -> str | None:
    for name in names:
        for column in columns:
            title = column.strip().lower()
            if title == name or (not exact and len(name) > 1 and name in title):
                return column
    return None


def _look_at(path: Path) -> None:
    """Refuses what is not the kind of file that its name says, before it is read."""
    with path.open("rb") as file:
        start = file.read(4096)
    if not start:
        raise VisitorError("{name} is empty.", name=path.name)
    if start[:4] in {_ZIP, _OLD_EXCEL} or start[:2] == _GZIP:
        raise VisitorError(
            "{name} is an archive or a spreadsheet workbook, whatever its name says. "
            "Unpack it, or save the sheet as CSV (UTF-8).",
            name=path.name,
        )
    if path.suffix == ".parquet":
        if not _is_parquet(path):
            raise _unreadable(path.name)
        return
    if start[:4] == _PARQUET:
        raise VisitorError(
            "{name} is a Parquet file: give it a name that ends in .parquet.", name=path.name
        )
    # as in UTF-16, in which some spreadsheets save
    if b"\x00" in start:
        raise VisitorError("{name} is no text. Save it as CSV in UTF-8.", name=path.name)


def _is_parquet(path: Path) -> bool:
    """Whether the file has Parquet's mark at both ends."""
    with path.open("rb") as file:
        first = file.read(len(_PARQUET))
        file.seek(-len(_PARQUET), os.SEEK_END)
        return first == _PARQUET == file.read()


def _cell(value: object) -> str | None:
    return None if value is None else str(value)


def in_megabytes(size: int) -> str:
    """A size in megabytes.

    >>> in_megabytes(50_000_000), in_megabytes(1_500_000)
    ('50 MB', '1.5 MB')
    """
    return f"{size / 1e6:.3g} MB"
