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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...budget import Budget, Meter
from ...csv_text import check_csv
from ...errors import BudgetError, DataError
from ...files import unreadable_parquet
from ...messages import marked, replaced
from ...parquet_pages import batches
from ...pipeline.importing.table import csv_columns
from ...rows import FORMATS, Rows, json_lines, read_rows
from . import limits
from .texts import VisitorError

_ZIP, _PARQUET, _OLD_EXCEL = b"PK\x03\x04", b"PAR1", b"\xd0\xcf\x11\xe0"
_GZIP = b"\x1f\x8b"

BUDGET = Budget(limits.MAX_ROWS, limits.MAX_COLUMNS, limits.MAX_TABLE_BYTES)
LONG_BUDGET = Budget(limits.MAX_LONG_ROWS, columns=limits.MAX_COLUMNS, bytes=300_000_000)

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


@dataclass(frozen=True, slots=True, eq=False)
class LongTable:
    """A table: its file's name, the names of all its columns, and the wanted ones of them."""

    name: str
    names: tuple[str, ...]
    table: pa.Table

    def column(self, name: str) -> list[Any]:
        """The values of the column as a new list; nulls where the file has none of that name."""
        values: list[Any] = self.array(name).to_pylist()
        return values

    def array(self, name: str) -> pa.ChunkedArray:
        """The column; nulls where the file has none of that name."""
        if self.has(name):
            return self.table[name]
        return pa.chunked_array([pa.nulls(len(self.table))])

    def texts(self, name: str) -> pa.Array:
        """The column as texts; nulls where it holds what is none."""
        column = self.array(name).combine_chunks()
        try:
            return column.cast(pa.string())
        except pa.ArrowException:
            return pa.nulls(len(column), pa.string())

    def where(self, kept: pa.Array) -> "LongTable":
        """The rows that are marked."""
        return replace(self, table=self.table.filter(kept))

    def having(self, **columns: pa.Array) -> "LongTable":
        """The same with these columns, each in the place of that of its name."""
        table = self.table.drop_columns([name for name in columns if self.has(name)])
        for name, column in columns.items():
            table = table.append_column(name, column)
        return replace(self, table=table)

    def has(self, *names: str) -> bool:
        """Whether all of these columns are there."""
        return all(name in self.table.column_names for name in names)


def read_long(path: Path, requested: Sequence[str]) -> LongTable:
    """The wanted columns of a CSV, JSONL or Parquet file, or an error that says what to do."""
    with readable(path, FORMATS, most=limits.MAX_LONG_BYTES) as alike:
        meter = Meter(alike, LONG_BUDGET)
        if alike.suffix == ".parquet":
            names, table = _parquet(alike, meter, requested)
        elif alike.suffix == ".csv":
            names, table = _csv(alike, meter)
        else:
            rows = [row for _, row in json_lines(alike, meter)]
            names = list(dict.fromkeys(name for row in rows for name in row))
            wanted = [name for name in names if name in requested]
            columns = {name: _array([row.get(name) for row in rows]) for name in wanted}
            # without a wanted column a table would have forgotten its rows
            table = pa.table(columns or {"": pa.nulls(len(rows))})
    wanted = [name for name in table.column_names if name in requested]
    return LongTable(path.name, tuple(names), table.select(wanted) if wanted else table)


def _csv(path: Path, meter: Meter) -> tuple[Sequence[str], pa.Table]:
    content = path.read_bytes()
    names, _ = check_csv(path, content, rows=0)
    # before the rows, since ten million commas are as many columns
    meter.columns(names)
    table = csv_columns(path, content)
    meter.take(table.nbytes)
    meter.rows(len(table))
    return names, table


def _parquet(path: Path, meter: Meter, requested: Sequence[str]) -> tuple[Sequence[str], pa.Table]:
    with unreadable_parquet(path):
        several = list(batches(path, meter, requested))
    return meter.names, pa.Table.from_batches(several) if several else pa.table({})


def _array(values: Sequence[Any]) -> pa.Array:
    """The values with the type that all of them have, else as texts."""
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if value is None else str(value) for value in values])


@contextmanager
def readable(
    path: Path, endings: Sequence[str], *, most: int = limits.MAX_FILE_BYTES
) -> Iterator[Path]:
    """The file under a name whose ending is one of these, in small letters, while it is read.

    Of `most` bytes. It is looked at before; what is wrong becomes an error without the path.
    """
    name, size, kind = path.name, path.stat().st_size, path.suffix.lower()
    if size > most:
        raise VisitorError(
            "The file has {size}; up to {most} are taken. Split it, or use Normscope "
            "on your own machine.",
            size=in_megabytes(size),
            most=in_megabytes(most),
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


def in_megabytes(size: int) -> str:
    """A size in megabytes.

    >>> in_megabytes(50_000_000), in_megabytes(1_500_000)
    ('50 MB', '1.5 MB')
    """
    return f"{size / 1e6:.3g} MB"
