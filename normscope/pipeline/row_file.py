"""Files of rows that are judged in place: how one is read, and written again with its judgements.

A table (CSV, JSONL, Parquet) is one; the logs of other tools are others, which stand with the tool.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import pyarrow as pa

from ..judges.judge import Questions
from ..rows import Rows, check_writable, read_rows, types_of, write_rows
from .judged_rows import Judged

Names = Mapping[str, str]
"""The columns of a file that have another name in what is written, and which."""

_SAME: Names = MappingProxyType({})


class RowFile(Protocol):
    """A file of rows, opened by its path."""

    def rows(self) -> Rows:
        """The rows, each with the same columns; what they hold is named as `answered.ROLES`."""

    def place(self, number: int) -> str:
        """Where the row of this number (from 1) stands, for errors."""

    def check(self, out: Path, rows: Rows | None = None, names: Names = _SAME) -> None:
        """An error now, not after hours of work, if these rows could not be written to `out`.

        Without rows, if none could.
        """

    def write(
        self, out: Path, rows: Rows, judged: Judged, questions: Questions, names: Names
    ) -> None:
        """Writes the rows, which have their judgements beside them, whole or not at all."""


class TableFile:
    """A CSV, JSONL or Parquet file."""

    def __init__(self, path: Path) -> None:
        """Nothing is read yet."""
        self._path = path

    def rows(self) -> Rows:
        """The rows as they stand there."""
        return read_rows(self._path)

    def place(self, number: int) -> str:
        """A file has no ids: the number by which its errors name a row."""
        return f"{self._path}, row {number}"

    def check(self, out: Path, rows: Rows | None = None, names: Names = _SAME) -> None:
        """An error if a cell has no form in the format that the ending of `out` names."""
        if rows is None:
            check_writable(out)
        else:
            check_writable(out, rows, types=self._types(names))

    def write(
        self,
        out: Path,
        rows: Rows,
        judged: Judged,  # noqa: ARG002
        questions: Questions,  # noqa: ARG002
        names: Names,
    ) -> None:
        """Writes a table; of a Parquet file each column keeps its type in another."""
        write_rows(out, rows, types=self._types(names))

    def _types(self, names: Names) -> pa.Schema:
        known = types_of(self._path)
        return pa.schema([each.with_name(names.get(each.name, each.name)) for each in known])
