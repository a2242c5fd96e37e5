"""A visitor's file: looked at before it is read, then read with bounds, its columns guessed."""

import shutil
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import DataError
from ...files import unpacked_bytes
from ...rows import FORMATS, Rows, read_rows
from . import limits
from .words import Told

_ZIP, _PARQUET, _OLD_EXCEL = b"PK\x03\x04", b"PAR1", b"\xd0\xcf\x11\xe0"
_GZIP = b"\x1f\x8b"

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


def read_upload(path: Path) -> Upload:
    """The rows of a CSV, JSONL or Parquet file within the limits, or a `Told` that says what to do.

    What the file is called is not trusted: a workbook that is named .csv is told to be one.
    """
    name = path.name
    size = path.stat().st_size
    if size > limits.MAX_FILE_BYTES:
        raise Told("file_too_large", size=_mb(size), most=_mb(limits.MAX_FILE_BYTES))
    if path.suffix.lower() not in FORMATS:
        raise Told("file_unknown", name=name)
    look_at(path)
    try:
        rows = _read(path)
    except (RecursionError, MemoryError, OverflowError, pa.ArrowException, zlib.error):
        raise Told("file_unreadable", name=name) from None
    except DataError as error:
        # its message begins with a path of this machine
        raise DataError(str(error).replace(str(path), name)) from None
    return _checked(name, rows)


def _read(path: Path) -> Rows:
    """The rows; an ending in capitals is as good."""
    if path.suffix in FORMATS:
        return read_rows(path)
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        alike = Path(folder) / path.with_suffix(path.suffix.lower()).name
        shutil.copyfile(path, alike)
        return read_rows(alike)


def guess(columns: Sequence[str]) -> Columns:
    """Which column is likeliest to hold what: by its name, then by a part of its name.

    >>> guess(["id", "Prompt", "model_output", "lang"])
    Columns(question='Prompt', answer='model_output', category='', language='lang')
    """
    found: dict[str, str] = {}
    for exact in (True, False):
        for role, names in NAMES.items():
            if role not in found:
                taken = set(found.values())
                free = [column for column in columns if column not in taken]
                if match := _named(free, names, exact=exact):
                    found[role] = match
    return Columns(**{"question": "", "answer": "", **found})


def _named(columns: Sequence[str], names: Sequence[str], *, exact: bool) -> str | None:
    for name in names:
        for column in columns:
            told = column.strip().lower()
            if told == name or (not exact and len(name) > 1 and name in told):
                return column
    return None


def look_at(path: Path) -> None:
    """Refuses what is not the kind of file that its name says, before it is read."""
    with path.open("rb") as file:
        start = file.read(4096)
    parquet = path.suffix.lower() == ".parquet"
    if not start:
        raise Told("file_empty", name=path.name)
    if start[:4] in {_ZIP, _OLD_EXCEL} or start[:2] == _GZIP:
        raise Told("file_archive", name=path.name)
    if parquet:
        _look_at_parquet(path)
    elif start[:4] == _PARQUET:
        raise Told("file_is_parquet", name=path.name)
    elif b"\x00" in start:
        raise Told("file_binary", name=path.name)


def _look_at_parquet(path: Path) -> None:
    try:
        facts = pq.ParquetFile(path).metadata
    except (pa.ArrowException, OSError):
        raise Told("file_unreadable", name=path.name) from None
    if facts.num_rows > limits.MAX_ROWS:
        raise _too_many(facts.num_rows)
    if facts.num_columns > limits.MAX_COLUMNS:
        raise Told("file_wide", columns=facts.num_columns, most=limits.MAX_COLUMNS)
    unpacked = unpacked_bytes(facts)
    if unpacked > limits.MAX_TABLE_BYTES:
        raise Told("file_too_large", size=_mb(unpacked), most=_mb(limits.MAX_TABLE_BYTES))


def _checked(name: str, rows: Rows) -> Upload:
    if not rows:
        raise Told("file_no_rows", name=name)
    if len(rows) > limits.MAX_ROWS:
        raise _too_many(len(rows))
    columns = tuple(str(column) for column in rows[0])
    if len(columns) > limits.MAX_COLUMNS:
        raise Told("file_wide", columns=len(columns), most=limits.MAX_COLUMNS)
    return Upload(
        name, [{str(key): _cell(value) for key, value in r.items()} for r in rows], columns
    )


def _too_many(rows: int) -> Told:
    return Told("file_too_many", rows=f"{rows:,}", most=f"{limits.MAX_ROWS:,}")


def _cell(value: object) -> str | None:
    return None if value is None else str(value)


def _mb(size: int) -> str:
    """A size in megabytes.

    >>> _mb(50_000_000), _mb(1_500_000)
    ('50 MB', '1.5 MB')
    """
    return f"{size / 1e6:.3g} MB"
