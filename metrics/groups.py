"""A table of statistics: overall, and per level of each grouping. And clusters as codes."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .estimate import Statistic
from .intervals import Codes

Groups = Mapping[str, Iterable[Any]]
"""Per dimension (`category`, `language`) the level of each row; null or empty: in no level."""

Clusters = Iterable[Any]
"""What is not independent carries one name; null or empty: a row on its own."""

Rows = slice | NDArray[np.intp]
"""Which rows: all of them, or their indices."""


def broken_down(
    compute: Callable[[Rows], list[Statistic]], n: int, groups: Groups | None
) -> list[Statistic]:
    """The statistics of all n rows, then those of each level of each dimension.

    Dimensions keep their order, levels the order in which they are first seen.
    """
    table = compute(slice(None))
    for group, column in (groups or {}).items():
        codes, levels = first_seen(column)
        if len(codes) != n:
            raise DataError(f"group {group!r} has {len(codes)} rows where the values have {n}")
        order = np.argsort(codes, kind="stable")
        # rows of no level have the code -1 and come first
        starts = np.searchsorted(codes[order], np.arange(len(levels) + 1))
        for code, level in enumerate(levels):
            rows = order[starts[code] : starts[code + 1]]
            table += [replace(row, group=group, member=level) for row in compute(rows)]
    return table


def cluster_codes(clusters: Clusters | None, n: int) -> Codes | None:
    """Small integers, equal where the cluster is; None if every row is on its own.

    >>> cluster_codes(["a", "", "a", ""], 4).tolist()
    [0, 1, 0, 2]
    """
    if clusters is None:
        return None
    if isinstance(clusters, np.ndarray) and np.issubdtype(clusters.dtype, np.integer):
        codes = clusters.astype(np.intp, copy=False)
        if len(codes) and (codes.min() < 0 or codes.max() > 4 * len(codes)):
            codes = np.unique(codes, return_inverse=True)[1]
    else:
        codes, _ = first_seen(clusters)
        alone = codes < 0
        codes[alone] = codes.max(initial=-1) + 1 + np.arange(alone.sum())
    if len(codes) != n:
        raise DataError(f"clusters have {len(codes)} rows where the values have {n}")
    return codes if n and np.bincount(codes).max() > 1 else None


def first_seen(column: Iterable[Any]) -> tuple[NDArray[np.intp], list[str]]:
    """The place of each value among the distinct ones as first seen, −1 for null; their names.

    >>> codes, names = first_seen(["b", None, "a", "b"])
    >>> codes.tolist(), names
    ([0, -1, 1, 0], ['b', 'a'])
    """
    values = list(_plain(column))
    places: dict[Hashable, int] = {None: -1, "": -1}
    names: list[str] = []
    for value in dict.fromkeys(values):
        if value not in places and not _is_nan(value):
            places[value] = len(names)
            names.append(str(value))
    return np.array([places.get(value, -1) for value in values], dtype=np.intp), names


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _plain(column: Iterable[Any]) -> Iterable[Any]:
    """Python values of a list, an array or a column of a table."""
    for name in ("tolist", "to_pylist"):
        if hasattr(column, name):
            values: Iterable[Any] = getattr(column, name)()
            return values
    return column
