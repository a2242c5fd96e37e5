"""Estimates of a rate, of a mean, of a mean of category means and of a share.

Each with what the unscored could make of it.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..messages import marked, message
from .estimate import KIND, Cases, Estimate, Target, estimated, over_scored, undefined
from .groups import Clusters, cluster_codes, first_seen, group_means, rows_by_level
from .inputs import Bools, Column, Floats, among, between, numbers, same_length
from .intervals import (
    LEVEL,
    RATE,
    Bounds,
    Interval,
    clustered_rate,
    mean_interval,
    wilson,
    wilson_of_all,
)

OVER_ITEMS = marked("{method}, on the shares of {n} items ({answers} answers)")
OVER_VARIANTS = marked("{method}, on the shares of {n} prompt variants ({answers} answers)")


def rate(
    outcomes: Column,
    *,
    clusters: Clusters | None = None,
) -> Estimate:
    """The share of ones among the scored outcomes (1, 0, or NaN for unscored).

    The interval (`wilson`, `clustered_rate`) is over the scored; `lowest` takes every unscored
    outcome as 0, `highest` as 1.

    >>> result = rate([1, 1, 0, None])
    >>> round(result.value, 3), result.lowest, result.highest, result.n, result.unscored
    (0.667, 0.5, 0.75, 3, 1)
    """
    values = among(numbers(outcomes, "outcomes"), "outcomes", RATE)
    codes = cluster_codes(clusters, len(values))

    def limits(scored: Floats, counted: Bools) -> Interval:
        units = None if codes is None else cluster_codes(codes[counted], len(scored))
        if units is None:
            return wilson(int(scored.sum()), len(scored))
        return clustered_rate(scored, units)

    return _estimated(values, RATE, limits)


def mean(
    values: Column,
    *,
    bounds: Bounds | None,
    clusters: Clusters | None = None,
    level: float = LEVEL,
) -> Estimate:
    """The mean of the scored values (NaN for unscored) of a score with these bounds.

    The interval is over the scored values, by Student's t (`mean_interval`). `lowest` puts every
    unscored value at the lower bound, `highest` at the upper; a score without bounds has neither.

    >>> result = mean([1, 5, None], bounds=(1, 5))  # (1 + 5 + 1)/3 and (1 + 5 + 5)/3
    >>> result.value, round(result.lowest, 3), round(result.highest, 3)
    (3.0, 2.333, 3.667)
    """
    array = numbers(values, "values")
    codes = cluster_codes(clusters, len(array))

    def limits(scored: Floats, counted: Bools) -> Interval | None:
        units = None if codes is None else cluster_codes(codes[counted], len(scored))
        return mean_interval(scored, clusters=units, bounds=bounds, level=level)

    if bounds is not None:
        array = between(array, "values", *bounds)
    return replace(_estimated(array, bounds, limits), level=level)


def exact(values: Column) -> Estimate:
    """The mean of shares over these very items: nothing was sampled, only the unscored can move it.

    With unscored items it has no interval, but the range from `lowest` to `highest`.

    >>> result = exact([1, 0, None, 1])
    >>> result.low, result.lowest, result.highest, result.target
    (None, 0.5, 0.75, 'these items')
    """
    array = between(numbers(values, "values"), "values", *RATE)
    n, value, unscored, cases = _scored(array, RATE)
    if value is None:
        why = message("nothing scored")
        return undefined(why, unscored=unscored, cases=cases, target="these items")
    method = message("exact but for the unscored") if unscored else message("exact")
    limit = None if unscored else value
    return Estimate(value, limit, limit, n, unscored, *cases, "these items", method)


def enumerated(outcomes: Column, *, population: float | None, at_most: bool = False) -> Estimate:
    """The share of ones (1, 0, NaN) among all `population` items of an enumeration.

    Where these are all of them, or nobody says how many there are, it is `exact`. With `math.inf`
    they stand for others without end (`rate`). Else these were drawn without replacement, and the
    interval (`wilson_of_all`) is for all. `at_most`: there may be fewer, which makes the interval
    wider than it had to be.

    >>> result = enumerated([1, 0, 0, 1], population=8)
    >>> result.target, result.method  # at least 2 of the 8 are ones, and 2 are not
    ('all vignettes', 'Wilson, 4 of 8')
    >>> round(result.low, 3), round(result.high, 3)  # n_e = 4 · 7/4 = 7
    (0.25, 0.75)
    """
    values = among(numbers(outcomes, "outcomes"), "outcomes", RATE)
    if population is None or population == len(values) or not len(values):
        return exact(values)
    if population == math.inf:
        return rate(values)
    drawn_from = int(population)

    def limits(scored: Floats, _: Bools) -> Interval:
        low, high = wilson_of_all(int(scored.sum()), len(scored), drawn_from)
        counts = {"n": f"{len(scored):,}", "m": f"{drawn_from:,}"}
        method = message("Wilson, {n} of {m}", **counts)
        if at_most:
            method = message("Wilson, {n} of at most {m}", **counts)
        return Interval(low, high, method)

    return replace(_estimated(values, RATE, limits), target="all vignettes")


def _estimated(
    values: Floats,
    bounds: Bounds | None,
    limits: Callable[[Floats, Bools], Interval | None],
) -> Estimate:
    """The mean of the scored, its `limits` (of them, and which they are), and its two cases."""
    used = ~np.isnan(values)
    n, value, unscored, cases = _scored(values, bounds)
    if value is None:
        return undefined(message("nothing scored"), unscored=unscored, cases=cases)
    result = estimated(value, limits(values[used], used), n=n, unscored=unscored, cases=cases)
    return replace(result, method=over_scored(result.method, unscored))


def _scored(values: Floats, bounds: Bounds | None) -> tuple[int, float | None, int, Cases]:
    """How many values are scored, their mean, how many are not, and what these could make of it."""
    used = values[~np.isnan(values)]
    value, unscored = float(used.mean()) if len(used) else None, len(values) - len(used)
    cases: Cases = (None, None) if unscored else (value, value)
    if bounds is not None and len(values):
        lowest, highest = (float(filled(values, bound).mean()) for bound in bounds)
        cases = lowest, highest
    return len(used), value, unscored, cases


def filled(values: Floats, bound: float) -> Floats:
    """The values, the bound in place of NaN."""
    return np.where(np.isnan(values), bound, values)


def averaged(outcomes: Floats, units: Clusters, *, target: Target, method: str) -> Estimate:
    """The mean over the units of each unit's share of ones (1, 0, NaN for unscored).

    Every unit counts once, however many answers it has: an item with four options and four
    rotations no more than one with two. The interval is `mean`'s over the shares of the scored in
    each unit; `lowest` and `highest` have every unscored answer 0 and 1, and `n` counts units. What
    is said of it is the format string `method`.

    >>> codes = ["x", "x", "y"]
    >>> result = averaged(np.array([1, 0, 1.0]), codes, target="these items", method=OVER_ITEMS)
    >>> result.value, result.n  # (1/2 + 1)/2
    (0.75, 2)
    """
    codes, names = first_seen(units)
    shares = group_means(outcomes, codes, len(names))
    # without any unit nothing is open
    lowest, highest = (
        float(group_means(filled(outcomes, bound), codes, len(names)).mean()) if names else None
        for bound in RATE
    )
    missing, present = np.isnan(outcomes), ~np.isnan(shares)
    result = mean(shares[present], bounds=RATE)
    text = message(
        method,
        method=result.method,
        n=int(present.sum()),
        answers=f"{int((~missing).sum()):,}",
    )
    return replace(
        result,
        unscored=int((~present).sum()),
        lowest=lowest,
        highest=highest,
        target=target,
        method=over_scored(text, int(missing.sum())),
    )


def macro_mean(
    values: Column,
    categories: Iterable[Any],
    *,
    bounds: Bounds | None,
    clusters: Clusters | None = None,
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
    pieces = [
        mean(
            array[rows],
            bounds=bounds,
            clusters=None if codes is None else codes[rows],
        )
        for _, _, rows in rows_by_level({"category": categories}, len(array))
    ]
    n, unscored = (sum(getattr(part, name) for part in pieces) for name in ("n", "unscored"))
    scored = [part for part in pieces if part.value is not None]
    if not scored:
        return undefined(message("nothing scored"), unscored=unscored)
    value = float(np.mean([part.value for part in scored]))
    method = message("mean of {n} categories' means, their limits squared and added", n=len(pieces))
    if len(scored) < len(pieces):
        method = message(
            "mean of {n} of {m} categories' means, their limits squared and added",
            n=len(scored),
            m=len(pieces),
        )
    below = _distance([(part.value, part.low) for part in scored])
    above = _distance([(part.high, part.value) for part in scored])
    return Estimate(
        value=value,
        low=None if below is None else _within(value - below, bounds),
        high=None if above is None else _within(value + above, bounds),
        n=n,
        unscored=unscored,
        lowest=_average([part.lowest for part in pieces]),
        highest=_average([part.highest for part in pieces]),
        target=KIND,
        method=method,
    )


def _average(cases: list[float | None]) -> float | None:
    present = [case for case in cases if case is not None]
    return float(np.mean(present)) if len(present) == len(cases) else None


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
