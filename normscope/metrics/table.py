"""A table of statistics from columns of values: overall, and per level of each grouping."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from .estimate import Statistic
from .groups import Clusters, Groups, Rows, cluster_codes, rows_by_level
from .inputs import Bools, Floats
from .intervals import Bounds
from .rates import mean, rate

Scales = Mapping[str, Bounds | None]
"""The columns that are scores and no shares, and where their values lie; null: anywhere."""


def broken_down(
    compute: Callable[[Rows], list[Statistic]], n: int, groups: Groups | None
) -> list[Statistic]:
    """The statistics of all n rows, then those of each level of each dimension.

    Dimensions keep their order, levels the order in which they are first seen.
    """
    members = list(rows_by_level(groups, n))
    table = compute(slice(None))
    for group, level, rows in members:
        table += [replace(row, group=group, member=level) for row in compute(rows)]
    return table


def tabulated(
    columns: Mapping[str, Floats],
    kept: Bools,
    *,
    scales: Scales | None = None,
    groups: Groups | None = None,
    clusters: Clusters | None = None,
    more: Callable[[Rows], list[Statistic]] = lambda _: [],
) -> list[Statistic]:
    """The `rate` of each column of 1, 0 or NaN, the `mean` of those with a scale, over kept rows.

    `more` are statistics of rows that stand behind these.

    >>> import numpy as np
    >>> columns = {"hit": np.array([1.0, 0, 0]), "amount": np.array([2.0, 4, 9])}
    >>> table = tabulated(columns, np.array([True, True, False]), scales={"amount": (0, 9)})
    >>> [(row.name, row.unit, row.estimate.value) for row in table]
    [('hit', 'rate', 0.5), ('amount', 'score', 3.0)]
    """
    n = len(next(iter(columns.values())))
    codes = cluster_codes(clusters, n)
    scales = scales or {}

    def compute(rows: Rows) -> list[Statistic]:
        table = []
        for name, column in columns.items():
            values = column[rows][kept[rows]]
            units = None if codes is None else codes[rows][kept[rows]]
            if name in scales:
                result = mean(values, bounds=scales[name], clusters=units)
                table.append(Statistic(name, "score", result))
            else:
                result = rate(values, clusters=units)
                table.append(Statistic(name, "rate", result))
        return [*table, *more(rows)]

    return broken_down(compute, n, groups)
