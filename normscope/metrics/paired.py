"""Differences of two models over the same items, and the tests that go with them.

The items are paired, so what the two share is no noise of the difference. An item that one of the
models has no score for is not compared; what it could have made of the difference is in the lowest
and the highest case, and in the interval.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..messages import message
from .estimate import Estimate, over_cases, over_scored, undefined
from .groups import Clusters, cluster_codes
from .inputs import Bools, Column, Floats, among, between, numbers, same_length
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

    The interval is Tango's (`score_interval`). In `lowest` every item that `a` has no score for is
    0 and every one that `b` has none for is 1, in `highest` the other way round; the interval goes
    from the lower limit of the lowest case to the upper limit of the highest.

    >>> result = paired_rate_difference([1, 1, 0, None], [0, 1, 0, 0])
    >>> round(result.value, 3), result.lowest, result.highest, result.n, result.unscored
    (0.333, 0.25, 0.5, 3, 1)
    """
    first, second = _rates(a, b)
    codes = cluster_codes(clusters, len(first))

    def limits(filled_a: Floats, filled_b: Floats) -> Interval:
        return score_interval(filled_a, filled_b, clusters=codes, level=level)

    return _compared(first, second, RATE, limits, level)


def enumerated_difference(
    a: Column, b: Column, *, population: int | None = None, level: float = LEVEL
) -> Estimate:
    """The share of `a` less that of `b` (1, 0, NaN) over all `population` items of an enumeration.

    Where these are all of them, or nobody says how many there are, nothing was sampled: only the
    unscored can move it, from `low` to `high`. Else these were drawn without
    replacement, and the interval (`score_interval_of_all`) is for all.

    >>> result = enumerated_difference([1, 1, None], [0, 1, 1])
    >>> result.value, round(result.low, 3), round(result.high, 3)  # 2/2 − 1/2; 2/3 and 3/3 less 2/3
    (0.5, 0.0, 0.333)
    """
    first, second = _rates(a, b)
    if not len(first):
        return undefined(message("nothing scored"), target="these items", level=level)
    total = len(first) if population is None else population

    def limits(filled_a: Floats, filled_b: Floats) -> Interval:
        return score_interval_of_all(filled_a, filled_b, total, level=level)

    result = _compared(first, second, RATE, limits, level)
    if total == len(first):
        return replace(result, target="these items", method=message("exact"))
    return replace(result, target="all vignettes")


def scored_in_both(estimate: Estimate, whole: Estimate) -> Estimate:
    """The estimate over the pairs that both have, with what `whole` says of the unscored.

    Its interval belongs to a test of these pairs; the lowest and the highest case, and how many are
    unscored, are those of all pairs.
    """
    return replace(estimate, unscored=whole.unscored, lowest=whole.lowest, highest=whole.highest)


def over_both_scored(
    estimate: Callable[..., Estimate], a: Floats, b: Floats, clusters: Codes | None, **options: Any
) -> Estimate:
    """The estimate over the pairs that both have scored, with the cases of all pairs."""
    both = ~np.isnan(a - b)
    units = None if clusters is None else clusters[both]
    result = estimate(a[both], b[both], clusters=units, **options)
    whole = result if both.all() else estimate(a, b, clusters=clusters, **options)
    unscored = int((~both).sum())
    return replace(scored_in_both(result, whole), method=over_scored(result.method, unscored))


def paired_mean_difference(
    a: Column,
    b: Column,
    *,
    bounds: Bounds | None,
    clusters: Clusters | None = None,
    level: float = LEVEL,
) -> Estimate:
    """The mean of `a` less that of `b` over the items scored in both, of a score with these bounds.

    The interval is Student's t of the differences, robust to clusters (`mean_interval`). In
    `lowest` `a`'s unscored values are at the lower bound and `b`'s at the upper, in `highest` the
    other way round. Without bounds there is neither case and the interval is over the scored items.

    >>> result = paired_mean_difference([4, 5, None], [3, 3, 4], bounds=(1, 5))
    >>> result.value, result.lowest, round(result.highest, 3)  # (1 + 2)/2; (3 − 3)/3 and (3 + 1)/3
    (1.5, 0.0, 1.333)
    """
    columns = _columns(a, b)
    codes = cluster_codes(clusters, len(columns[0]))
    if bounds is None:
        return mean(columns[0] - columns[1], bounds=None, clusters=codes, level=level)
    first, second = (
        between(column, name, *bounds) for column, name in zip(columns, ("a", "b"), strict=True)
    )
    widest = (bounds[0] - bounds[1], bounds[1] - bounds[0])

    def limits(column: Floats, other: Floats) -> Interval:
        result = mean_interval(column - other, clusters=codes, bounds=widest, level=level)
        assert result is not None  # noqa: S101 - bounds are given
        return result

    return _compared(first, second, bounds, limits, level)


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
    limits: Callable[[Floats, Floats], Interval],
    level: float,
) -> Estimate:
    """The estimate from the limits of the lowest and of the highest completion of both columns."""
    missing = np.isnan(first) | np.isnan(second)
    n, unscored = int((~missing).sum()), int(missing.sum())
    if len(first) == 0:
        return undefined(message("nothing scored"), level=level)
    low, high = bounds
    below = filled(first, low), filled(second, high)
    above = (filled(first, high), filled(second, low)) if unscored else below
    lowest = limits(*below)
    highest = limits(*above) if unscored else lowest
    return over_cases(
        _difference(first, second, missing),
        (float((below[0] - below[1]).mean()), lowest),
        (float((above[0] - above[1]).mean()), highest),
        n=n,
        unscored=unscored,
        level=level,
    )


def _difference(first: Floats, second: Floats, missing: Bools) -> float | None:
    # of the means, as they are shown beside it, and not the mean of the differences
    if missing.all():
        return None
    return float(first[~missing].mean() - second[~missing].mean())
