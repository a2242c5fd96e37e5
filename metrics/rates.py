"""Estimates of a rate, of a mean and of a share, with what the unscored could make of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from ..errors import UsageError
from ..messages import marked, message
from .bootstrap import bootstrap_mean
from .estimate import Estimate, Target, over_cases, undefined
from .groups import Clusters, cluster_codes, first_seen
from .inputs import Column, Floats, among, between, numbers, one_of, same_length
from .intervals import (
    RATE,
    Bounds,
    Codes,
    Interval,
    clopper_pearson,
    clustered_rate,
    mean_interval,
    wilson,
    wilson_of_all,
)

Method = Literal["wilson", "clopper_pearson"]
MeanMethod = Literal["t", "bootstrap"]

OVER_ITEMS = marked("{method}, on the shares of {n} items ({answers} answers)")
OVER_VARIANTS = marked("{method}, on the shares of {n} prompt variants ({answers} answers)")

_SAMPLE: Target = "new items of the kind"


def rate(
    outcomes: Column,
    *,
    clusters: Clusters | None = None,
    method: Method = "wilson",
    level: float = 0.95,
) -> Estimate:
    """The share of ones among the scored outcomes (1, 0, or NaN for unscored).

    `worst` takes every unscored outcome as 0, `best` as 1; the interval goes from the lower limit
    of the worst case to the upper limit of the best (`wilson`, `clustered_rate`).

    >>> result = rate([1, 1, 0, None])
    >>> round(result.value, 3), result.worst, result.best, result.n, result.unscored
    (0.667, 0.5, 0.75, 3, 1)
    """
    one_of(method, "method", ("wilson", "clopper_pearson"))
    values = among(numbers(outcomes, "outcomes"), "outcomes", RATE)
    codes = cluster_codes(clusters, len(values))
    if codes is not None and method != "wilson":
        raise UsageError("Clopper–Pearson counts independent rows; use wilson with clusters")

    def limits(whole: Floats) -> Interval:
        if codes is not None:
            return clustered_rate(whole, codes, level=level)
        ones, n = int(whole.sum()), len(whole)
        exact = method == "clopper_pearson"
        return clopper_pearson(ones, n, level=level) if exact else wilson(ones, n, level=level)

    return _bounded(values, RATE, limits, level)


def mean(
    values: Column,
    *,
    bounds: Bounds | None,
    clusters: Clusters | None = None,
    strata: Clusters | None = None,
    method: MeanMethod = "t",
    level: float = 0.95,
) -> Estimate:
    """The mean of the scored values (NaN for unscored) of a score with these bounds.

    `worst` puts every unscored value at the lower bound, `best` at the upper; the interval goes
    from the lower limit of the worst case to the upper limit of the best, by Student's t
    (`mean_interval`) or with `method="bootstrap"` by `bootstrap_mean`, within `strata` if given. A
    score without bounds has neither case when something is unscored: its interval is then over
    the scored values, and `method` says so.

    >>> result = mean([1, 5, None], bounds=(1, 5))  # (1 + 5 + 1)/3 and (1 + 5 + 5)/3
    >>> result.value, round(result.worst, 3), round(result.best, 3)
    (3.0, 2.333, 3.667)
    """
    one_of(method, "method", ("t", "bootstrap"))
    if strata is not None and method != "bootstrap":
        raise UsageError(
            "strata are redrawn within by the bootstrap; ask for its interval, or leave them out"
        )
    array = numbers(values, "values")
    codes = cluster_codes(clusters, len(array))
    layer = None if strata is None else first_seen(strata)[0]
    same_length({"values": array, "strata": layer})

    def limits(whole: Floats, within: Codes | None, layers: Codes | None) -> Interval | None:
        if method == "t":
            return mean_interval(whole, clusters=within, bounds=bounds, level=level)
        return bootstrap_mean(whole, clusters=within, strata=layers, bounds=bounds, level=level)

    if bounds is not None:
        array = between(array, "values", *bounds)
        return _bounded(array, bounds, lambda whole: limits(whole, codes, layer), level)
    scored = ~np.isnan(array)
    known = array[scored]
    if len(known) == 0:
        return _nothing(len(array), level)
    kept = None if codes is None else cluster_codes(codes[scored], len(known))
    result = limits(known, kept, None if layer is None else layer[scored])
    unscored, value = len(array) - len(known), float(known.mean())
    text = message("no spread to make an interval from") if result is None else result.method
    case = None if unscored else value
    return Estimate(
        value=value,
        low=None if result is None else result.low,
        high=None if result is None else result.high,
        n=len(known),
        unscored=unscored,
        worst=case,
        best=case,
        target=_SAMPLE,
        method=message("{method}, over the scored", method=text) if unscored else text,
        level=level,
    )


def exact(values: Column, *, bounds: Bounds = RATE) -> Estimate:
    """The mean over these very items: nothing was sampled, only the unscored can move it.

    >>> result = exact([1, 0, None, 1])
    >>> result.low, result.high, result.target
    (0.5, 0.75, 'these items')
    """
    array = between(numbers(values, "values"), "values", *bounds)
    known, value, unscored = _scored(array)
    method = message("exact") if known else message("nothing scored")
    if len(array) == 0:
        return undefined(method, target="these items")
    worst, best = (float(filled(array, bound).mean()) for bound in bounds)
    return Estimate(value, worst, best, known, unscored, worst, best, "these items", method)


def enumerated(
    outcomes: Column, *, population: int | None, at_most: bool = False, level: float = 0.95
) -> Estimate:
    """The share of ones (1, 0, NaN) among all `population` items of an enumeration.

    Where these are all of them, or nobody says how many there are, it is `exact`. Else these were
    drawn without replacement, and the interval (`wilson_of_all`) is for all, from the lower limit
    of the worst case to the upper limit of the best. `at_most`: there may be fewer, which makes the
    interval wider than it had to be.

    >>> result = enumerated([1, 0, 0, 1], population=8)
    >>> result.target, result.method  # at least 2 of the 8 are ones, and 2 are not
    ('all vignettes', 'Wilson, 4 of 8')
    >>> round(result.low, 3), round(result.high, 3)  # n_e = 4 · 7/4 = 7
    (0.25, 0.75)
    """
    values = among(numbers(outcomes, "outcomes"), "outcomes", RATE)
    if population is None or population == len(values) or not len(values):
        return exact(values)

    def limits(whole: Floats) -> Interval:
        low, high = wilson_of_all(int(whole.sum()), len(whole), population, level=level)
        counts = {"n": f"{len(whole):,}", "m": f"{population:,}"}
        method = message("Wilson, {n} of {m}", **counts)
        if at_most:
            method = message("Wilson, {n} of at most {m}", **counts)
        return Interval(low, high, method)

    return replace(_bounded(values, RATE, limits, level), target="all vignettes")


def _bounded(
    values: Floats, bounds: Bounds, limits: Callable[[Floats], Interval | None], level: float
) -> Estimate:
    """The estimate from the limits of the worst and of the best completion of the values."""
    known, value, unscored = _scored(values)
    if len(values) == 0:
        return _nothing(0, level)
    lowest = filled(values, bounds[0])
    # without unscored values both cases are the same: a bootstrap need not run twice
    highest = filled(values, bounds[1]) if unscored else lowest
    worst = limits(lowest)
    best = limits(highest) if unscored else worst
    if worst is None or best is None:  # only a score without bounds has no limits
        raise UsageError("a bounded score needs limits")
    return over_cases(
        value,
        (float(lowest.mean()), worst),
        (float(highest.mean()), best),
        n=known,
        unscored=unscored,
        level=level,
    )


def _scored(values: Floats) -> tuple[int, float | None, int]:
    """How many values are scored, their mean, and how many are not."""
    missing = np.isnan(values)
    unscored = int(missing.sum())
    known = len(values) - unscored
    kept = values[~missing] if unscored else values
    return known, float(kept.mean()) if known else None, unscored


def filled(values: Floats, bound: float) -> Floats:
    """The values, the bound in place of NaN."""
    return np.where(np.isnan(values), bound, values)


def _nothing(unscored: int, level: float) -> Estimate:
    why = message("nothing scored")
    return undefined(why, target=_SAMPLE, unscored=unscored, level=level)


def averaged(outcomes: Floats, units: Clusters, *, target: Target, method: str) -> Estimate:
    """The mean over the units of each unit's share of ones (1, 0, NaN for unscored).

    Every unit counts once, however many answers it has: an item with four options and four
    rotations no more than one with two. The interval is `mean`'s over the units, from the lower
    limit with every unscored answer 0 to the upper limit with every one 1; `n` counts units. What
    is said of it is the format string `method`.

    >>> codes = ["x", "x", "y"]
    >>> result = averaged(np.array([1, 0, 1.0]), codes, target="these items", method=OVER_ITEMS)
    >>> result.value, result.n  # (1/2 + 1)/2
    (0.75, 2)
    """
    codes, names = first_seen(units)
    rows = np.bincount(codes, minlength=len(names))

    def means(values: Floats) -> Floats:
        result: Floats = np.bincount(codes, weights=values, minlength=len(names)) / rows
        return result

    missing = np.isnan(outcomes)
    scored = np.bincount(codes, weights=~missing, minlength=len(names))
    low, high = (means(np.where(missing, bound, outcomes)) for bound in RATE)
    worst, best = mean(low, bounds=RATE), mean(high, bounds=RATE)
    known = scored > 0
    ones = np.bincount(codes, weights=np.where(missing, 0, outcomes), minlength=len(names))
    return Estimate(
        value=float((ones[known] / scored[known]).mean()) if known.any() else None,
        low=worst.low,
        high=best.high,
        n=int(known.sum()),
        unscored=int((~known).sum()),
        worst=worst.value,
        best=best.value,
        target=target,
        method=message(method, method=worst.method, n=len(names), answers=f"{len(outcomes):,}"),
        level=worst.level,
    )
