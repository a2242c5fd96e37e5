"""A table that a person brings, as Arrow: a file (CSV, JSONL, Parquet), a frame, a dataset.

Every cell of a CSV is text, so that an id such as 007 stays; elsewhere a value keeps its type where
the whole column has one, and is text where it has several.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .csv_text import refuse_twice
from .errors import DataError, UsageError, nearest
from .files import canonical_json, check_regular, read_parquet
from .frames import is_missing
from .rows import FORMATS, csv_lines, json_lines

_TEXT = pa.string()
_WHOLE = r"^(-?\d+)\.0*$"
_MOST = 10


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with the place where each stands, for errors ("line 7").

    `form` is what they were read from, `note` what a reader should know of how.
    """

    form: str
    rows: pa.Table
    places: list[str] = field(default_factory=list)
    note: str = ""

    def __post_init__(self) -> None:
        """Rows without places are counted from 1."""
        if len(self.places) != len(self.rows):
            count = range(1, len(self.rows) + 1)
            object.__setattr__(self, "places", [f"row {number}" for number in count])

    def take(self, at: pa.Array) -> "Table":
        """The rows of these numbers."""
        places = [self.places[row] for row in at.to_pylist()]
        return Table(self.form, self.rows.take(at), places, self.note)

    def where(self, values: Mapping[str, str]) -> "Table":
        """The rows that have each of these values in its column; an error names those there are.

        >>> table = Table("CSV", pa.table({"model": ["a", "b", "a"]}))
        >>> table.where({"model": "a"}).places
        ['row 1', 'row 3']
        """
        table = self
        for column, value in values.items():
            texts = table.texts(column)
            kept = pc.indices_nonzero(pc.fill_null(pc.equal(texts, value), False))
            if not len(kept):
                known = texts.unique().drop_null().to_pylist()
                more = ", …" if len(known) > _MOST else ""
                raise DataError(
                    f"no row has {value!r} in {column!r}; it has {', '.join(known[:_MOST])}{more}"
                )
            table = table.take(kept)
        return table

    def texts(self, column: str) -> pa.Array:
        """A column as texts; a whole number has no decimals, so that 3.0 is the prompt variant 3.

        >>> Table("", pa.table({"n": [3.0, None, 0.5]})).texts("n").to_pylist()
        ['3', None, '0.5']
        """
        known = self.rows.column_names
        if column not in known:
            raise UsageError(f"there is no column {column!r}; {nearest(column, known)}")
        values = self.rows[column].combine_chunks()
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        kind = values.type
        if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise DataError(
                f"the column {column!r} holds lists, objects or bytes: write it as text"
            )
        if not pa.types.is_floating(kind):
            return values.cast(_TEXT)
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, kind), values)
        return pc.replace_substring_regex(values.cast(_TEXT), _WHOLE, r"\1")


def read_table(source: Any) -> Table:
    """The rows of a file, a data frame, an Arrow table, a dataset, or a mapping of columns.

    A `DataError` names what cannot be read with its line, and a source without a row.
    """
    if isinstance(source, str | os.PathLike):
        table = _of_file(Path(source))
    elif hasattr(source, "to_arrow"):
        table = Table("table", source.to_arrow())
    else:
        table = _of_columns(source)
    if not len(table.rows):
        whose = source if isinstance(source, str | os.PathLike) else f"the {table.form}"
        raise DataError(f"{whose} is empty: it has no row")
    return table


def _of_file(path: Path) -> Table:
    check_regular(path)
    if path.suffix == ".parquet":
        rows = read_parquet(path)
        refuse_twice(rows.column_names, str(path))
        return Table("Parquet", rows)
    if path.suffix not in FORMATS:
        raise DataError(f"{path}: a table's name ends in {', '.join(FORMATS)}")
    lines = list((csv_lines if path.suffix == ".csv" else json_lines)(path))
    return of_rows(
        path.suffix[1:].upper(), [row for _, row in lines], [f"line {line}" for line, _ in lines]
    )


def of_rows(form: str, rows: list[dict[str, Any]], places: list[str], note: str = "") -> Table:
    """The table of these rows; a value that a row lacks is null."""
    columns = dict.fromkeys(name for row in rows for name in row)
    arrays = {name: _array([row.get(name) for row in rows]) for name in columns}
    return Table(form, pa.table(arrays), places, note)


def _of_columns(source: Any) -> Table:
    """The columns of a frame, a dataset, an Arrow table or a mapping."""
    index: Sequence[Any] = ()
    form = "table"
    if hasattr(source, "column_names"):
        columns = {name: source[name] for name in source.column_names}
    elif isinstance(source, Mapping):
        columns = dict(source)
    elif hasattr(source, "columns") and hasattr(source, "to_numpy"):
        form, index = "data frame", source.index
        columns = {name: source[name] for name in source.columns}
    else:
        raise UsageError(
            "a table is a data frame, Arrow, a dataset, a mapping of columns or a file, not a "
            f"{type(source).__name__}"
        )
    rows = pa.table({str(name): _array(column) for name, column in columns.items()})
    return Table(form, rows, [f"row {each}" for each in index])


def _array(column: Any) -> pa.Array:
    """The column with the type that all its values have, else as texts; an object is its JSON."""
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column
    labels: Any = getattr(column, "features", None)
    if hasattr(labels, "int2str"):
        # the numbers of a dataset's `ClassLabel` stand for words, -1 for none
        return pa.array([None if at in {None, -1} else labels.int2str(at) for at in column])
    try:
        array = pa.array(column, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        array = pa.nulls(0, pa.list_(_TEXT))
    if not pa.types.is_nested(array.type):
        return array
    return pa.array([_text(value) for value in column], _TEXT)


def _text(value: Any) -> str | None:
    # an array in a cell of a data frame
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict | list):
        return canonical_json(value)
    return None if is_missing(value) else str(value)
