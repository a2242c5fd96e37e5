"""Groups and clusters of rows, as codes and by level."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..categorical import Categorical, Codes
from ..errors import DataError
from ..frames import is_missing
from .columns import listed, name_of, tabled

Groups = Mapping[str, Iterable[Any]]
"""Per dimension (`category`, `language`) the level of each row; null or empty: in no level."""

Clusters = Iterable[Any]
"""What is not independent carries one name; null or empty: a row on its own."""

CROSS = " × "
"""Between two dimensions, and two levels, that are looked at together."""

Rows = slice | NDArray[np.intp]
"""Which rows: all of them, or their indices."""


def rows_by_level(groups: Groups | None, n: int) -> Iterator[tuple[str, str, NDArray[np.intp]]]:
    """Each dimension's levels with their rows, in the order of `broken_down`.

    >>> [(level, rows.tolist()) for _, level, rows in rows_by_level({"x": list("bab")}, 3)]
    [('b', [0, 2]), ('a', [1])]
    """
    columns = tabled(groups, "groups")
    for group, column in columns.items():
        codes, levels = first_seen(column)
        if len(codes) != n:
            raise DataError(f"group {group!r} has {len(codes)} rows where the values have {n}")
        order = np.argsort(codes, kind="stable")
        # rows of no level have the code -1 and come first
        starts = np.searchsorted(codes[order], np.arange(len(levels) + 1))
        for code, level in enumerate(levels):
            yield group, level, order[starts[code] : starts[code + 1]]


def crossed(
    columns: Mapping[str, Categorical], pairs: Iterable[tuple[str, str]]
) -> dict[str, Categorical]:
    """The pairs of dimensions as dimensions, their levels the pairs of levels that rows have.

    A pair is left out where one of the two is not there, or says nothing beyond the other.

    >>> columns = {"x": Categorical.of(["a", "a", "b"]), "y": Categorical.of(["1", "2", "1"])}
    >>> crossed(columns, [("x", "y")])["x × y"].tolist()
    ['a × 1', 'a × 2', 'b × 1']
    """
    result = {}
    for first, second in pairs:
        if first not in columns or second not in columns:
            continue
        one, other = (categorical(columns[name]) for name in (first, second))
        codes = one.codes * len(other.names) + other.codes
        names = tuple(f"{a}{CROSS}{b}" for a in one.names for b in other.names)
        both = (one.codes >= 0) & (other.codes >= 0)
        column = Categorical(np.where(both, codes, -1).astype(np.int32), names).seen()
        if len(column.names) > max(len(one.names), len(other.names)):
            result[first + CROSS + second] = column
    return result


def cluster_codes(clusters: Clusters | None, n: int) -> Codes | None:
    """Small integers, equal where the cluster is; None if every row is on its own.

    >>> cluster_codes(["a", "", "a", ""], 4).tolist()
    [0, 1, 0, 2]
    """
    if clusters is None:
        return None
    if isinstance(clusters, np.ndarray) and np.issubdtype(clusters.dtype, np.integer):
        codes = clusters.astype(np.intp, copy=False)
        # codes far above the number of rows would make every table of counts as long
        if len(codes) and (codes.min() < 0 or codes.max() > 4 * len(codes)):
            codes = np.unique(codes, return_inverse=True)[1]
    else:
        codes, _ = first_seen(clusters)
        alone = codes < 0
        # a row without a name is a cluster of its own
        codes[alone] = codes.max(initial=-1) + 1 + np.arange(alone.sum())
    if len(codes) != n:
        raise DataError(f"clusters have {len(codes)} rows where the values have {n}")
    # clusters of one row each are none, and have the plain formulas
    return codes if n and np.bincount(codes).max() > 1 else None


def group_means(values: NDArray[np.float64], codes: Codes, groups: int) -> NDArray[np.float64]:
    """The mean of the values there are in each group, NaN where there is none.

    >>> group_means(np.array([1, 2, np.nan, np.nan]), np.array([0, 0, 0, 1]), 2).tolist()
    [1.5, nan]
    """
    there = ~np.isnan(values)
    count = np.bincount(codes, weights=there, minlength=groups)
    total = np.bincount(codes, weights=np.where(there, values, 0), minlength=groups)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def categorical(column: Iterable[Any]) -> Categorical:
    """The names as first seen; a value that is missing or empty is none.

    >>> categorical(["b", "", None, "a"]).tolist()
    ['b', None, None, 'a']
    """
    codes, names = first_seen(column)
    return Categorical(codes.astype(np.int32), tuple(names))


def first_seen(column: Iterable[Any]) -> tuple[NDArray[np.intp], list[str]]:
    """The place of each value among the distinct ones as first seen, −1 for null; their names.

    >>> codes, names = first_seen(["b", None, "a", "b"])
    >>> codes.tolist(), names
    ([0, -1, 1, 0], ['b', 'a'])
    """
    if isinstance(column, Categorical):
        return _without_empty(column.seen())
    values = listed(column)
    encoded = _strings(values)
    if encoded is not None:
        return encoded
    places: dict[Hashable, int] = {None: -1, "": -1}
    names: list[str] = []
    for value in dict.fromkeys(values):
        if value not in places and not is_missing(value):
            places[value] = len(names)
            names.append(name_of(value))
    return np.array([places.get(value, -1) for value in values], dtype=np.intp), names


def _strings(values: list[Any]) -> tuple[NDArray[np.intp], list[str]] | None:
    """The same of strings and nulls alone, by Arrow: ten times as fast; null for anything else."""
    try:
        return _without_empty(Categorical.of(values))
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None


def _without_empty(column: Categorical) -> tuple[NDArray[np.intp], list[str]]:
    """The codes and names of a column whose empty name is none."""
    codes, names = column.codes.astype(np.intp), list(column.names)
    if "" in names:
        empty = names.index("")
        codes = np.where(codes == empty, -1, codes - (codes > empty))
        names.remove("")
    return codes, names
