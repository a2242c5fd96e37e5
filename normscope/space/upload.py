"""A visitor's file: read within bounds, its columns guessed."""

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..errors import DataError
from ..messages import replaced
from ..tables import read_table
from ..text_tables import Limits
from . import limits
from .texts import VisitorError

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
    """The rows of a CSV, JSONL or Parquet file within `LIMITS`; errors say what to do."""
    with readable(path):
        rows = read_table(path, limits=LIMITS).to_rows()
    cells = [{name: _cell(value) for name, value in row.items()} for row in rows]
    return Upload(path.name, cells, tuple(rows[0]))


@contextmanager
def readable(path: Path, *, most: int = limits.MAX_FILE_BYTES) -> Iterator[None]:
    """Refuses a file of more than `most` bytes, then lets it be read.

    What is wrong becomes an error without the path.
    """
    size = path.stat().st_size
    if size > most:
        raise VisitorError(
            "The file has {size}; up to {most} are taken. Split it, or use Normscope "
            "on your own machine.",
            size=in_megabytes(size),
            most=in_megabytes(most),
        )
    try:
        yield
    except (RecursionError, MemoryError, OverflowError, pa.ArrowException, zlib.error):
        raise VisitorError(
            "{name} could not be read. It may be cut short, or of another kind than its name says.",
            name=path.name,
        ) from None
    except DataError as error:
        # its message begins with a path of this machine
        raise DataError(replaced(error.message, f"{path.parent}{os.sep}", "")) from None


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


def _cell(value: object) -> str | None:
    return None if value is None else str(value)


def in_megabytes(size: int) -> str:
    """A size in megabytes.

    >>> in_megabytes(50_000_000), in_megabytes(1_500_000)
    ('50 MB', '1.5 MB')
    """
    return f"{size / 1e6:.3g} MB"
