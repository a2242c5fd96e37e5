"""A table that a person brings, as Arrow: a file (CSV, JSONL, Parquet), a frame, a dataset.

Every cell of a CSV is text; elsewhere a value keeps its type where the whole column has one, and is
text where it has several.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .errors import DataError, UsageError, nearest
from .files import check_regular, unreadable_parquet
from .frames import is_missing
from .messages import message
from .text_tables import Limits, Row, Rows, csv_table, json_lines, refuse_twice

FORMATS = (".csv", ".jsonl", ".parquet")

_TEXT = pa.string()
_MARK = b"PAR1"
_WHOLE = r"^(-?\d+)\.0*$"
_MOST = 10
_PER_VALUE = 64
"""Bytes of a small Python value and the place where it is kept."""
_FOOTER = 1 << 20
"""Bytes. Arrow takes 600 bytes for a column of a row group that a footer tells in four."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with the place where each stands, for errors ("line 7").

    `form` is what they were read from, `note` what a reader should know of how. A value of several
    parts is JSON in the `nested` columns, since Arrow has one set of parts for all rows.
    """

    form: str
    rows: pa.Table
    places: list[str] = field(default_factory=list)
    note: str = ""
    nested: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Rows without places are counted from 1."""
        if len(self.places) != len(self.rows):
            count = range(1, len(self.rows) + 1)
            object.__setattr__(self, "places", [f"row {number}" for number in count])

    def take(self, at: pa.Array) -> "Table":
        """The rows of these numbers."""
        places = [self.places[row] for row in at.to_pylist()]
        return Table(self.form, self.rows.take(at), places, self.note, self.nested)

    def where(self, wanted: Mapping[str, str]) -> "Table":
        """The rows that have each of these values in its column; an error names those there are.

        >>> table = Table("CSV", pa.table({"model": ["a", "b", "a"]}))
        >>> table.where({"model": "a"}).places
        ['row 1', 'row 3']
        """
        table = self
        for column, value in wanted.items():
            texts = table.texts(column)
            rows = pc.indices_nonzero(pc.fill_null(pc.equal(texts, value), False))
            if not len(rows):
                values = texts.unique().drop_null().to_pylist()
                more = ", …" if len(values) > _MOST else ""
                raise DataError(
                    f"no row has {value!r} in {column!r}; it has {', '.join(values[:_MOST])}{more}"
                )
            table = table.take(rows)
        return table

    def texts(self, column: str) -> pa.Array:
        """A column as texts; a whole number has no decimals, so that 3.0 is the prompt variant 3.

        >>> Table("", pa.table({"n": [3.0, None, 0.5]})).texts("n").to_pylist()
        ['3', None, '0.5']
        """
        names = self.rows.column_names
        if column not in names:
            raise UsageError(f"there is no column {column!r}; {nearest(column, names)}")
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

    def to_rows(self) -> Rows:
        """The rows as dicts of Python's values, those of several parts among them."""
        try:
            columns = {name: self.rows[name].to_pylist() for name in self.rows.column_names}
        except (ValueError, OverflowError) as error:
            raise DataError(f"a value of the {self.form} cannot be read ({error})") from error
        for name in self.nested:
            columns[name] = [value and json.loads(value) for value in columns[name]]
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def read_table(source: Any, *, needed: Sequence[str] = (), limits: Limits | None = None) -> Table:
    """The rows of a file, a data frame, an Arrow table, a dataset, or a mapping of columns.

    A `DataError` names what cannot be read with its line, a source without a row, and the columns
    where a needed one is missing; an untrusted file is read within `limits`, and more is an error.
    """
    name: Any = source
    if isinstance(source, str | os.PathLike):
        table = _of_file(Path(source), limits)
    else:
        table = _of_columns(source)
        name = f"the {table.form}"
    if not len(table.rows):
        raise DataError(message("{path} is empty: it has no row", path=name))
    for column in needed:
        if column not in table.rows.column_names:
            raise DataError(
                message(
                    "{path} has no column {name!r}: rename or add it (it has {text})",
                    path=name,
                    name=column,
                    text=", ".join(table.rows.column_names),
                )
            )
    return table


def of_rows(form: str, rows: Iterable[tuple[str, Row]], note: str = "") -> Table:
    """The table of these rows, each with its place; a value that a row lacks is null."""
    columns: dict[str, list[Any]] = {}
    places: list[str] = []
    for place, row in rows:
        if not row.keys() <= columns.keys():
            # by column: a dict for each of a million rows would take as much as what is in them
            columns |= {name: [None] * len(places) for name in row if name not in columns}
        for name, column in columns.items():
            column.append(row.get(name))
        places.append(place)
    return _of_values(form, columns, places, note)


def table_format(path: Path) -> str:
    """The ending of a table's name; a `DataError` if it is none that a table has."""
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


def check_parquet(path: Path, limits: Limits) -> None:
    """Raise a `DataError` if the rows of a Parquet file would take more than the limits.

    Its footer tells rows and columns. How long the texts are, of which a dictionary may repeat one
    without end, is asked of DuckDB, which leaves them in their dictionary and has a bound of its
    own. What Arrow or DuckDB cannot read is Arrow's error.
    """
    import duckdb  # 0.3 s

    with path.open("rb") as file:
        # the file ends with the footer, its length and a mark
        file.seek(max(path.stat().st_size - 8, 0))
        length, mark = file.read(4), file.read()
    if mark == _MARK and int.from_bytes(length, "little") > _FOOTER:
        limits.check(path, "bytes", limits.bytes + 1)
    facts = pq.read_metadata(path)
    schema = facts.schema.to_arrow_schema()
    limits.check(path, "columns", len(schema))
    limits.check(path, "rows", facts.num_rows)
    refuse_twice(schema.names, str(path))
    total = facts.num_rows * sum(_PER_VALUE + 8 * _places(kind) for kind in schema.types)
    bound = {"threads": 1, "memory_limit": f"{2 * limits.bytes + (64 << 20)}B"}
    with duckdb.connect(config=bound) as connection:
        rows = connection.read_parquet(escape(str(path)), hive_partitioning=False)
        sizes = [
            # a part of a list takes up to eight times as much as when it is written
            f"{1 if kind == 'VARCHAR' else 8} * strlen({_quoted(name)}::varchar)"
            for name, kind in zip(rows.columns, rows.types, strict=True)
        ]
        try:
            texts = rows.aggregate(", ".join(f"sum({size})" for size in sizes)).fetchall()[0]
        except duckdb.OutOfMemoryException:
            texts = (limits.bytes + 1,)
        except duckdb.Error as error:
            raise pa.ArrowInvalid(str(error)) from error
    limits.check(path, "bytes", total + sum(int(size or 0) for size in texts))


def _of_file(path: Path, limits: Limits | None) -> Table:
    check_regular(path)
    ending = table_format(path)
    if ending == ".parquet":
        with unreadable_parquet(path):
            if limits is not None:
                check_parquet(path, limits)
            refuse_twice(pq.read_schema(path).names, str(path))
            # no partitioning: a folder called a=b above the file would else become a column
            return Table("Parquet", pq.read_table(path, partitioning=None))
    within = () if limits is None else (limits,)
    if ending == ".csv":
        table, lines = csv_table(path, *within)
        return Table("CSV", table, [f"line {line}" for line in lines])
    return of_rows("JSONL", ((f"line {line}", row) for line, row in json_lines(path, *within)))


def _of_columns(source: Any) -> Table:
    """The columns of a frame, a dataset, an Arrow table or a mapping."""
    if hasattr(source, "to_arrow"):  # polars
        return Table("table", source.to_arrow())
    if isinstance(source, pa.Table):
        refuse_twice(source.column_names, "the table")
        return Table("table", source)
    if hasattr(source, "with_format") and hasattr(source, "__getitem__"):
        return Table("table", _of_dataset(source))
    if isinstance(source, Mapping):
        return _of_values("table", source)
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):
        refuse_twice(map(str, source.columns), "the data frame")
        places = [f"row {each}" for each in source.index]
        return _of_values("data frame", {name: source[name] for name in source.columns}, places)
    raise UsageError(
        "a table is a data frame, Arrow, a dataset, a mapping of columns or a file, not a "
        f"{type(source).__name__}"
    )


def _of_dataset(dataset: Any) -> pa.Table:
    """The rows of a `datasets.Dataset`, which gives a column's values one by one otherwise."""
    table: pa.Table = dataset.with_format("arrow")[:]
    for at, (name, kind) in enumerate(dataset.features.items()):
        if hasattr(kind, "int2str"):
            # the numbers of a `ClassLabel` stand for words, -1 for none
            numbers = table[name]
            numbers = pc.if_else(pc.less(numbers, 0), pa.scalar(None, numbers.type), numbers)
            table = table.set_column(at, name, pa.chunked_array([kind.names]).take(numbers))
    return table


def _of_values(
    form: str, columns: Mapping[Any, Any], places: Iterable[str] = (), note: str = ""
) -> Table:
    arrays = {str(name): _array(column) for name, column in columns.items()}
    rows = pa.table({name: array for name, (array, _) in arrays.items()})
    nested = frozenset(name for name, (_, is_nested) in arrays.items() if is_nested)
    return Table(form, rows, [*places], note, nested)


def _array(column: Any) -> tuple[pa.Array, bool]:
    """The column with the type that all its values have, else as texts; whether they are JSON."""
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column, False
    if not {dict, list} & set(map(type, column)):
        with suppress(pa.ArrowException, OverflowError):
            array = pa.array(column, from_pandas=True)
            if not pa.types.is_nested(array.type):
                return array, False
    # an array in a cell of a data frame is a list
    values = [value.tolist() if hasattr(value, "tolist") else value for value in column]
    values = [None if is_missing(value) else value for value in values]
    is_json = all(isinstance(value, dict | list) for value in values if value is not None)
    return pa.array(map(_text, values), _TEXT), is_json


def _text(value: Any) -> str | None:
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return None if value is None else str(value)


def _places(kind: pa.DataType) -> int:
    """How many places a null takes: none to speak of, but for lists of fixed size."""
    size = kind.list_size if pa.types.is_fixed_size_list(kind) else 1
    return size * max((_places(kind.field(at).type) for at in range(kind.num_fields)), default=1)


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
