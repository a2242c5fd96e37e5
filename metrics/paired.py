"""Differences of two models over the same items, and the tests that go with them.

The items are paired, so what the two share is no noise of the difference. An item that one of the
models has no score for is not compared; what it could have made of the difference is in the worst
and the best case, and in the interval.
"""

import math
from collections.abc import Callable

import numpy as np

from .estimate import Estimate, Target
from .groups import Clusters, cluster_codes
from .inputs import Bools, Column, Floats, among, between, numbers, same_length
from .intervals import (
    RATE,
    Bounds,
    Codes,
    Interval,
    clustered_rate,
    mean_interval,
    square_and_add,
    wilson,
)
from .multiplicity import benjamini_hochberg, holm
from .significance import (
    Test,
    cohens_g,
    cohens_h,
    mcnemar,
    rank_biserial,
    sign_test,
    wilcoxon,
)

__all__ = [
    "Test",
    "benjamini_hochberg",
    "cohens_g",
    "cohens_h",
    "holm",
    "mcnemar",
    "newcombe_paired",
    "paired_mean_difference",
    "paired_rate_difference",
    "rank_biserial",
    "sign_test",
    "wilcoxon",
]


def paired_rate_difference(
    a: Column, b: Column, *, clusters: Clusters | None = None, level: float = 0.95
) -> Estimate:
    """The rate of `a` less that of `b` (1, 0, NaN) over the items scored in both, −1 … 1.

    The interval is Newcombe's for paired rates (`newcombe_paired`). In `worst` every item that `a`
    has no score for is 0 and every one that `b` has none for is 1, in `best` the other way round;
    the interval goes from the lower limit of the worst case to the upper limit of the best.

    >>> found = paired_rate_difference([1, 1, 0, None], [0, 1, 0, 0])
    >>> round(found.value, 3), found.worst, found.best, found.n, found.unscored
    (0.333, 0.25, 0.5, 3, 1)
    """
    columns = _columns(a, b)
    first, second = (among(one, name, RATE) for one, name in zip(columns, ("a", "b"), strict=True))
    codes = cluster_codes(clusters, len(first))
    return _compared(
        first,
        second,
        RATE,
        lambda one, other: newcombe_paired(one, other, clusters=codes, level=level),
        level,
    )


def paired_mean_difference(
    a: Column,
    b: Column,
    *,
    bounds: Bounds | None,
    clusters: Clusters | None = None,
    level: float = 0.95,
) -> Estimate:
    """The mean of `a` less that of `b` over the items scored in both, of a score with these bounds.

    The interval is Student's t of the differences, robust to clusters (`mean_interval`). In `worst`
    `a`'s unscored values are at the lower bound and `b`'s at the upper, in `best` the other way
    round. Without bounds there is neither case and the interval is over the scored items.

    >>> found = paired_mean_difference([4, 5, None], [3, 3, 4], bounds=(1, 5))
    >>> found.value, found.worst, round(found.best, 3)  # (1 + 2)/2; (3 − 3)/3 and (3 + 1)/3
    (1.5, 0.0, 1.333)
    """
    columns = _columns(a, b)
    codes = cluster_codes(clusters, len(columns[0]))
    if bounds is None:
        return _unbounded(columns[0] - columns[1], codes, level)
    first, second = (
        between(one, name, *bounds) for one, name in zip(columns, ("a", "b"), strict=True)
    )
    widest = (bounds[0] - bounds[1], bounds[1] - bounds[0])

    def limits(one: Floats, other: Floats) -> Interval:
        found = mean_interval(one - other, clusters=codes, bounds=widest, level=level)
        assert found is not None  # noqa: S101 - bounds are given
        return found

    return _compared(first, second, bounds, limits, level)


def newcombe_paired(
    a: Floats, b: Floats, *, clusters: Codes | None = None, level: float = 0.95
) -> Interval:
    """The interval of a difference of paired rates, by square and add (0 and 1 without NaN).

    With l and u Wilson's limits of either rate p, and φ the correlation of the outcomes, the lower
    limit is p₁ − p₂ − √((p₁ − l₁)² − 2φ(p₁ − l₁)(u₂ − p₂) + (u₂ − p₂)²), the upper one likewise
    (Newcombe 1998, method 10, whose φ is corrected for continuity). With clusters l and u are those
    of `clustered_rate` and φ is the correlation of the clusters' summed residuals (the same
    recovery of variances: Zou & Donner 2008).

    >>> found = newcombe_paired(np.array([1.0] * 5 + [0] * 5), np.array([1.0] * 5 + [0] * 5))
    >>> round(found.low, 4), round(found.high, 4)  # φ = (25 − 5)/25; p − l = 0.2634 on both sides
    (-0.1666, 0.1666)
    """
    n, rates = len(a), (float(a.mean()), float(b.mean()))
    if clusters is None:
        one, other = (wilson(float(column.sum()), n, level=level) for column in (a, b))
        shared = _phi(a, b)
        told = "Newcombe, paired"
    else:
        one, other = (clustered_rate(column, clusters, level=level) for column in (a, b))
        shared = _correlation(_residual_sums(a, clusters), _residual_sums(b, clusters))
        told = f"Newcombe, paired, over {int((np.bincount(clusters) > 0).sum())} clusters"
    difference = rates[0] - rates[1]
    below = square_and_add(rates[0] - one.low, other.high - rates[1], shared)
    above = square_and_add(one.high - rates[0], rates[1] - other.low, shared)
    return Interval(max(-1.0, difference - below), min(1.0, difference + above), told)


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
    """The estimate from the limits of the worst and of the best completion of both columns."""
    missing = np.isnan(first) | np.isnan(second)
    n, unscored = int((~missing).sum()), int(missing.sum())
    if len(first) == 0:
        return _nothing(0, level)
    low, high = bounds
    lowest = _filled(first, low), _filled(second, high)
    highest = (_filled(first, high), _filled(second, low)) if unscored else lowest
    worst = limits(*lowest)
    best = limits(*highest) if unscored else worst
    same = worst.method == best.method
    return Estimate(
        value=_difference(first, second, missing),
        low=worst.low,
        high=best.high,
        n=n,
        unscored=unscored,
        worst=float((lowest[0] - lowest[1]).mean()),
        best=float((highest[0] - highest[1]).mean()),
        target="new items of the kind",
        method=worst.method if same else f"worst case {worst.method}; best case {best.method}",
        level=level,
    )


def _unbounded(difference: Floats, codes: Codes | None, level: float) -> Estimate:
    scored = ~np.isnan(difference)
    known, unscored = difference[scored], int((~scored).sum())
    if not len(known):
        return _nothing(unscored, level)
    kept = None if codes is None else cluster_codes(codes[scored], len(known))
    found = mean_interval(known, clusters=kept, level=level)
    told = "no spread to make an interval from" if found is None else found.method
    value = float(known.mean())
    case = None if unscored else value
    return Estimate(
        value=value,
        low=None if found is None else found.low,
        high=None if found is None else found.high,
        n=len(known),
        unscored=unscored,
        worst=case,
        best=case,
        target="new items of the kind",
        method=f"{told}, over the scored" if unscored else told,
        level=level,
    )


def _difference(first: Floats, second: Floats, missing: Bools) -> float | None:
    # of the means, as they are shown beside it, and not the mean of the differences
    if missing.all():
        return None
    return float(first[~missing].mean() - second[~missing].mean())


def _filled(values: Floats, bound: float) -> Floats:
    return np.where(np.isnan(values), bound, values)


def _phi(a: Floats, b: Floats) -> float:
    """Newcombe's correlation of two columns of 0 and 1; 0 where a column does not vary."""
    n = len(a)
    both, only_a, only_b = (float(x) for x in (a @ b, a @ (1 - b), (1 - a) @ b))
    neither = n - both - only_a - only_b
    product = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    if product == 0:
        return 0.0
    cross = both * neither - only_a * only_b
    if cross > 0:
        cross = max(0.0, cross - n / 2)
    return cross / math.sqrt(product)


def _correlation(one: Floats, other: Floats) -> float:
    squares = float((one * one).sum()) * float((other * other).sum())
    return float((one * other).sum()) / math.sqrt(squares) if squares > 0 else 0.0


def _residual_sums(values: Floats, clusters: Codes) -> Floats:
    sums: Floats = np.bincount(clusters, weights=values - values.mean()).astype(np.float64)
    return sums


def _nothing(unscored: int, level: float) -> Estimate:
    target: Target = "new items of the kind"
    return Estimate(None, None, None, 0, unscored, None, None, target, "nothing scored", level)
