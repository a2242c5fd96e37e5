"""Differences of two models over the same items, and the tests that go with them.

The items are paired, so what the two share is no noise of the difference. An item that one of the
models has no score for is not compared, and the interval is over the others; what it could have
made of the difference is in the lowest and the highest case.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..messages import message
from .estimate import KIND, Estimate, Target, estimated, over_scored, undefined
from .groups import Clusters, cluster_codes
from .inputs import Column, Floats, among, between, numbers, same_length
from .intervals import LEVEL, RATE, Bounds, Codes, Interval, mean_interval
from .rates import filled, mean
from .tango import score_interval, score_interval_of_all


def paired_rate_difference(
    a: Column,
    b: Column,
    *,
    clusters: Clusters | None = None,
    level: float = LEVEL,
) -> Estimate:
    """The rate of `a` less that of `b` (1, 0, NaN) over the items scored in both, −1 … 1.

    The interval is Tango's (`score_interval`), over these items. In `lowest` every item that `a`
    has no score for is 0 and every one that `b` has none for is 1, in `highest` the other way
    round.

    >>> result = paired_rate_difference([1, 1, 0, None], [0, 1, 0, 0])
    >>> round(result.value, 3), result.lowest, result.highest, result.n, result.unscored
    (0.333, 0.25, 0.5, 3, 1)
    """
    first, second = _rates(a, b)

    def limits(scored_a: Floats, scored_b: Floats, codes: Codes | None) -> Interval:
        return score_interval(scored_a, scored_b, clusters=codes, level=level)

    return _compared(first, second, RATE, limits, clusters=clusters, level=level)


def enumerated_difference(
    a: Column, b: Column, *, population: int | None = None, level: float = LEVEL
) -> Estimate:
    """The share of `a` less that of `b` (1, 0, NaN) over all `population` items of an enumeration.

    Where these are all of them, or nobody says how many there are, nothing was sampled: it is exact
    but for the unscored, with which it has no interval (`exact`). Else these were drawn without
    replacement, and the interval (`score_interval_of_all`) is for all; the unscored count as not
    drawn.

    >>> result = enumerated_difference([1, 1, None], [0, 1, 1])
    >>> result.value, result.lowest, round(result.highest, 3)  # 2/2 − 1/2; 2/3 and 3/3 less 2/3
    (0.5, 0.0, 0.333)
    """
    first, second = _rates(a, b)
    total = len(first) if population is None else population

    def limits(scored_a: Floats, scored_b: Floats, _: Codes | None) -> Interval | None:
        if total != len(first):
            return score_interval_of_all(scored_a, scored_b, total, level=level)
        if len(scored_a) < total:
            return None
        value = float(scored_a.mean() - scored_b.mean())
        return Interval(value, value, message("exact"))

    target: Target = "these items" if total == len(first) else "all vignettes"
    return _compared(first, second, RATE, limits, target=target, level=level)


def paired_mean_difference(
    a: Column,
    b: Column,
    *,
    bounds: Bounds | None,
    clusters: Clusters | None = None,
    level: float = LEVEL,
) -> Estimate:
    """The mean of `a` less that of `b` over the items scored in both, of a score with these bounds.

    The interval is Student's t of the differences of these items, robust to clusters
    (`mean_interval`). In `lowest` `a`'s unscored values are at the lower bound and `b`'s at the
    upper, in `highest` the other way round; without bounds there is neither case.

    >>> result = paired_mean_difference([4, 5, None], [3, 3, 4], bounds=(1, 5))
    >>> result.value, result.lowest, round(result.highest, 3)  # (1 + 2)/2; (3 − 3)/3 and (3 + 1)/3
    (1.5, 0.0, 1.333)
    """
    columns = _columns(a, b)
    if bounds is None:
        return mean(columns[0] - columns[1], bounds=None, clusters=clusters, level=level)
    first, second = (
        between(column, name, *bounds) for column, name in zip(columns, ("a", "b"), strict=True)
    )
    widest = (bounds[0] - bounds[1], bounds[1] - bounds[0])

    def limits(column: Floats, other: Floats, codes: Codes | None) -> Interval | None:
        return mean_interval(column - other, clusters=codes, bounds=widest, level=level)

    return _compared(first, second, bounds, limits, clusters=clusters, level=level)


def _rates(a: Column, b: Column) -> tuple[Floats, Floats]:
    first, second = _columns(a, b)
    return among(first, "a", RATE), among(second, "b", RATE)


def _columns(a: Column, b: Column) -> tuple[Floats, Floats]:
    same_length({"a": a, "b": b})
    return numbers(a, "a"), numbers(b, "b")


def _compared(
    first: Floats,
    second: Floats,
    bounds: Bounds,
    limits: Callable[[Floats, Floats, Codes | None], Interval | None],
    *,
    clusters: Clusters | None = None,
    target: Target = KIND,
    level: float,
) -> Estimate:
    """The difference over the pairs scored in both, with its `limits`, and its two cases."""
    both = ~np.isnan(first + second)
    n, unscored = int(both.sum()), int((~both).sum())
    if len(first) == 0:
        return undefined(message("nothing scored"), target=target, level=level)
    low, high = bounds
    lowest, highest = (
        float((filled(first, ours) - filled(second, theirs)).mean())
        for ours, theirs in ((low, high), (high, low))
    )
    about: dict[str, Any] = {"unscored": unscored, "cases": (lowest, highest), "target": target}
    if not n:
        return undefined(message("nothing scored"), level=level, **about)
    codes = cluster_codes(clusters, len(first))
    a, b = first[both], second[both]
    interval = limits(a, b, None if codes is None else cluster_codes(codes[both], n))
    open_ = message("exact but for the unscored")
    method = open_ if interval is None else over_scored(interval.method, unscored)
    # of the means, as they are shown beside it, and not the mean of the differences
    value = float(a.mean() - b.mean())
    result = estimated(value, interval, n=n, method=method, **about)
    return replace(result, level=level)
