"""A visitor's file: looked at before it is read, then read with bounds, its columns guessed.

A file that is judged here is read whole, as rows of text. Of a long table that is only looked at
(answers to vignettes, judgements), tens of thousands of rows, what is needed is unpacked.
"""

import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...budget import Budget, Meter
from ...errors import BudgetError, DataError
from ...files import unreadable_parquet
from ...messages import marked, replaced
from ...parquet_pages import batches
from ...rows import FORMATS, Rows, read_rows
from . import limits
from .texts import VisitorError

_ZIP, _PARQUET, _OLD_EXCEL = b"PK\x03\x04", b"PAR1", b"\xd0\xcf\x11\xe0"
_GZIP = b"\x1f\x8b"

BUDGET = Budget(limits.MAX_ROWS, limits.MAX_COLUMNS, limits.MAX_TABLE_BYTES)
LONG_BUDGET = Budget(rows=60_000, columns=limits.MAX_COLUMNS, bytes=300_000_000)

NAMES: dict[str, tuple[str, ...]] = {
    "question": (
        "question",
        "prompt",
        "instruction",
        "query",
        "input",
        "user",
        "问题",
        "提问",
        "指令",
    ),
    "answer": (
        "answer",
        "response",
        "output",
        "completion",
        "reply",
        "text",
        "回答",
        "回复",
        "答案",
    ),
    "category": ("category", "type", "kind", "area", "类别", "类型"),
    "language": ("language", "lang", "语言"),
}
"""What the columns are called elsewhere, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was read: its name, its rows (cells as text or null), its columns."""

    name: str
    rows: Rows
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
    """The rows of a CSV, JSONL or Parquet file within the limits, or an error that says what to do.

    What the file is called is not trusted: a workbook that is named .csv is found to be one.
    """
    with readable(path, FORMATS) as alike:
        rows = read_rows(alike, budget=BUDGET)
    if not rows:
        raise VisitorError("{name} has no row below its head.", name=path.name)
    columns = tuple(map(str, rows[0]))
    cells = [{str(name): _cell(value) for name, value in row.items()} for row in rows]
    return Upload(path.name, cells, columns)


@dataclass(frozen=True, slots=True)
class LongTable:
    """A table: its file's name, the names of all its columns, and the values of the wanted ones."""

    name: str
    names: tuple[str, ...]
    columns: dict[str, list[Any]]
    size: int

    def column(self, name: str) -> list[Any]:
        """The values of the column; nulls where the file has none of that name."""
        return self.columns.get(name) or [None] * self.size

    def has(self, *names: str) -> bool:
        """Whether all of these columns are there."""
        return all(name in self.columns for name in names)


def read_long(path: Path, requested: Sequence[str]) -> LongTable:
    """The wanted columns of a CSV, JSONL or Parquet file, or an error that says what to do."""
    with readable(path, FORMATS) as alike:
        if alike.suffix == ".parquet":
            return _long_parquet(path.name, alike, requested)
        rows = read_rows(alike, budget=LONG_BUDGET)
    names = tuple(rows[0]) if rows else ()
    columns = {name: [row[name] for row in rows] for name in names if name in requested}
    return LongTable(path.name, names, columns, len(rows))


def _long_parquet(name: str, path: Path, requested: Sequence[str]) -> LongTable:
    meter, size = Meter(path, LONG_BUDGET), 0
    values: dict[str, list[Any]] = {}
    with unreadable_parquet(path):
        for batch in batches(path, meter, requested):
            size += batch.num_rows
            for column in batch.schema.names:
                values.setdefault(column, []).extend(batch[column].to_pylist())
    columns = {column: values.get(column, []) for column in meter.names if column in requested}
    return LongTable(name, meter.names, columns, size)


@contextmanager
def readable(path: Path, endings: Sequence[str]) -> Iterator[Path]:
    """The file under a name whose ending is one of these, in small letters, while it is read.

    It is looked at before; what is wrong with it becomes an error without the path.
    """
    name, size, kind = path.name, path.stat().st_size, path.suffix.lower()
    if size > limits.MAX_FILE_BYTES:
        raise VisitorError(
            "The file has {size}; up to {most} are taken. Split it, or use Normscope "
            "on your own machine.",
            size=_mb(size),
            most=_mb(limits.MAX_FILE_BYTES),
        )
    if kind not in endings:
        raise VisitorError(
            "{name} is none of the three kinds: its name should end in .csv, .jsonl or .parquet.",
            name=name,
        )
    _look_at(path)
    alike = path
    try:
        # readers go by the ending, which a visitor may write in capitals
        if path.suffix == kind:
            yield path
            return
        with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            alike = Path(shutil.copyfile(path, Path(folder) / path.with_suffix(kind).name))
            yield alike
    except BudgetError as error:
        raise _too_much(name, error) from None
    except (RecursionError, MemoryError, OverflowError, pa.ArrowException, zlib.error):
        raise _unreadable(name) from None
    except DataError as error:
        # its message begins with a path of this machine
        raise DataError(replaced(error.message, f"{alike.parent}{os.sep}", "")) from None


def _unreadable(name: str) -> VisitorError:
    return VisitorError(
        "{name} could not be read. It may be cut short, or of another kind than its name says.",
        name=name,
    )


def _too_much(name: str, error: BudgetError) -> VisitorError:
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
    return VisitorError(text, name=name, most=f"{error.limit:,}" if counted else _mb(error.limit))


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
    if path.suffix.lower() == ".parquet":
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


def _mb(size: int) -> str:
    """A size in megabytes.

    >>> _mb(50_000_000), _mb(1_500_000)
    ('50 MB', '1.5 MB')
    """
    return f"{size / 1e6:.3g} MB"
