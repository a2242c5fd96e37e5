"""The mean of category means: every category counts once, however many items it has."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..messages import message
from .estimate import Estimate, undefined
from .groups import Clusters, cluster_codes, rows_by_level
from .inputs import Column, numbers, same_length
from .intervals import Bounds
from .rates import mean


def macro_mean(
    values: Column,
    categories: Iterable[Any],
    *,
    bounds: Bounds | None,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> Estimate:
    """The mean over the categories of each one's mean (`mean`), NaN for unscored values.

    A limit lies as far from it as √(Σ d²)/C, d the distances of the C categories' own limits (Zou
    & Donner 2008): categories are taken to be independent of one another, `clusters` lie within
    them. Rows of no category are left out; one with nothing scored has no part in the value, and
    with its bounds in `lowest` and `highest`. `n` and `unscored` count items.

    >>> result = macro_mean([1, 5, 5, 5], ["a", "a", "b", "b"], bounds=(1, 5))  # (3 + 5)/2
    >>> result.value, result.n
    (4.0, 4)
    """
    array = numbers(values, "values")
    codes = cluster_codes(clusters, len(array))
    same_length({"values": array, "clusters": codes})
    parts = [
        mean(
            array[rows],
            bounds=bounds,
            clusters=None if codes is None else codes[rows],
            level=level,
        )
        for _, _, rows in rows_by_level({"category": categories}, len(array))
    ]
    n, unscored = (sum(getattr(part, name) for part in parts) for name in ("n", "unscored"))
    scored = [part for part in parts if part.value is not None]
    if not scored:
        why = message("nothing scored")
        return undefined(why, target="new items of the kind", unscored=unscored, level=level)
    value = float(np.mean([part.value for part in scored]))
    method = message("mean of {n} categories' means, their limits squared and added", n=len(parts))
    if len(scored) < len(parts):
        method = message(
            "mean of {n} of {m} categories' means, their limits squared and added",
            n=len(scored),
            m=len(parts),
        )
    below = _distance([(part.value, part.low) for part in scored])
    above = _distance([(part.high, part.value) for part in scored])
    return Estimate(
        value=value,
        low=None if below is None else _within(value - below, bounds),
        high=None if above is None else _within(value + above, bounds),
        n=n,
        unscored=unscored,
        lowest=_average([part.lowest for part in parts]),
        highest=_average([part.highest for part in parts]),
        target="new items of the kind",
        method=method,
        level=level,
    )


def _average(cases: list[float | None]) -> float | None:
    known = [case for case in cases if case is not None]
    return float(np.mean(known)) if len(known) == len(cases) else None


def _distance(ends: list[tuple[float | None, float | None]]) -> float | None:
    """√(Σ (upper − lower)²)/C; null where an end is not known."""
    squares = []
    for upper, lower in ends:
        if upper is None or lower is None:
            return None
        squares.append((upper - lower) ** 2)
    return math.sqrt(math.fsum(squares)) / len(ends)


def _within(limit: float, bounds: Bounds | None) -> float:
    return limit if bounds is None else min(max(limit, bounds[0]), bounds[1])
