"""Columns as people's libraries have them, as plain Python values.

pandas, pyarrow, polars, torch and `datasets` columns are taken by what they can do, so that none of
these packages is imported here. An index plays no part: rows stand in their order.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from ..errors import DataError, UsageError, nearest
from ..frames import MISSING, is_missing

Labels = Mapping[str, float]
"""The words of a scale and their values."""

_PLAIN = frozenset({str, int, float, bool, type(None)})


def listed(column: Iterable[Any]) -> list[Any]:
    """The values of a column in their order, null where pandas or Arrow say that one is missing.

    >>> import pandas
    >>> numbers = pandas.Series([1, None, 3], dtype="Int64")
    >>> listed(numbers[numbers.index > 0])
    [None, 3]
    """
    values = column if isinstance(column, list) else _values(column)
    # most columns are plain: looking at the types spares a call per value
    if set(map(type, values)) <= _PLAIN:
        return values
    return [_plain(value) for value in values]


def names(column: Iterable[Any]) -> list[str | None]:
    """The values of a column of names, ids or levels as text; null where there is none.

    A whole number is one name however it is stored: pandas makes floats of a column with a gap. The
    column of a dataset whose numbers stand for words (a `ClassLabel`) gives its words.

    >>> names(["a", 7, 7.0, float("nan"), None])
    ['a', '7', '7', None, None]
    """
    values = listed(column)
    labels: Any = getattr(column, "features", None)
    if hasattr(labels, "int2str"):
        # −1 is how datasets write that there is no label
        words: dict[int | None, str | None] = {None: None, -1: None}
        words |= dict(enumerate(labels.names))
        return [words[value] for value in values]
    if set(map(type, values)) <= {str, type(None)}:
        return values
    return [None if is_missing(value) else name_of(value) for value in values]


def name_of(value: Hashable) -> str:
    """A name, id or level as text."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def tabled(columns: Any, name: str) -> dict[str, Any]:
    """The columns of a mapping, a data frame, an Arrow table or a dataset, by name.

    >>> import pandas
    >>> {key: listed(one) for key, one in tabled(pandas.DataFrame({"x": [1, 2]}), "groups").items()}
    {'x': [1, 2]}
    """
    if columns is None:
        return {}
    # Arrow tables and datasets, which have no `items`
    if hasattr(columns, "column_names"):
        return {str(key): columns[key] for key in columns.column_names}
    if isinstance(columns, Mapping) or _is_frame(columns):
        return {str(key): column for key, column in columns.items()}
    remedy = f"give {name}={{'category': [...]}} or a table of columns"
    raise UsageError(f"{name} is a {type(columns).__name__}; {remedy}")


def rows(matrix: Any) -> list[list[Any]]:
    """The rows of a matrix, also of a data frame's values."""
    cells = matrix.to_numpy(dtype=object) if _is_frame(matrix) else matrix
    return [listed(row) for row in cells]


def option(name: str, value: Any) -> Any:
    """An option with a value per row as plain lists; one value for all rows as it is."""
    if value is None or isinstance(value, str | int | float):
        return value
    if name == "groups":
        return {key: names(column) for key, column in tabled(value, name).items()}
    return names(value)


def valued(values: Sequence[Any], name: str, labels: Labels) -> list[float]:
    """Numbers, numbers written as text and a scale's words as floats; NaN where there is no value.

    >>> valued([1, "2", None, " Neutral"], "answers", {"neutral": 0.0})
    [1.0, 2.0, nan, 0.0]
    """
    # few values in many rows: each distinct one is read once
    read: dict[Any, float] = {}
    for row, value in enumerate(values):
        if isinstance(value, Hashable) and value not in read:
            read[value] = _value(value, name, row, labels)
    return [read[value] for value in values]


def _value(value: Any, name: str, row: int, labels: Labels) -> float:
    if is_missing(value):
        return float("nan")
    if isinstance(value, str) and (word := " ".join(value.split()).casefold()) in labels:
        return labels[word]
    try:
        return float(value)
    except (TypeError, ValueError):
        message = f"{name}, row {row} (from 0): {value!r} is no number"
        label = f" and no label; {nearest(str(value).casefold(), list(labels))}" if labels else ""
        raise DataError(f"{message}{label}; give null where there is no value") from None


def _values(column: Any) -> list[Any]:
    if _is_frame(column):
        if len(column.columns) > 1:
            message = ", ".join(map(str, column.columns))
            raise DataError(
                f"a table of the columns {message} where one column is meant; choose one"
            )
        column = column[column.columns[0]]
    # Arrow's name for it, then that of numpy, pandas and torch, then polars'
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, method):
            values = getattr(column, method)()
            return values if isinstance(values, list) else [values]
    return list(column)


def _plain(value: Any) -> Any:
    if type(value).__name__ in MISSING:
        return None
    return value.tolist() if hasattr(value, "tolist") else value


def _is_frame(table: Any) -> bool:
    return hasattr(table, "columns") and hasattr(table, "to_numpy")
