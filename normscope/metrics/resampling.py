"""Units redrawn with replacement, or left out one by one: intervals of any statistic."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtr

from ..errors import UsageError
from ..messages import message
from .estimate import KIND, Estimate, over_scored
from .inputs import Floats
from .intervals import Bounds, student

RESAMPLES = 1000

Compute = Callable[[Floats], Floats]
"""How often each unit is drawn (resamples × units) to the statistics (resamples × statistics)."""

FEWEST = 3
"""The fewest units of a jackknife."""

Scaling = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""To a scale on which the statistic has no bounds, and back."""

PLAIN: Scaling = (lambda value: value, lambda value: value)
"""No scale but the statistic's own."""

# resamples at a time: their weights are a matrix of resamples × units
_BLOCK = 32
_MOST_UNDEFINED = 0.2
_NO_ERROR = 1e-12


def resampled(compute: Compute, units: int, *, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """The statistics in each resample of the units: as many are drawn as there are.

    The draws hang on the seed and the number of units alone, so that two predictors on the same
    units are drawn together and their difference is a paired one.

    >>> means = resampled(lambda drawn: (drawn @ [[0.0], [1.0]]) / 2, 2, resamples=400)
    >>> sorted(set(means.ravel().tolist()))  # both of the one, one of each, both of the other
    [0.0, 0.5, 1.0]
    """
    if units < 1 or resamples < 1:
        raise UsageError(f"{units} units, {resamples} resamples: a bootstrap needs some of each")
    random = np.random.default_rng(seed)
    blocks = [
        compute(multiplicities(random, min(_BLOCK, resamples - start), units))
        for start in range(0, resamples, _BLOCK)
    ]
    return np.concatenate(blocks)


def expanded_percentiles(draws: Floats, units: int) -> tuple[float, float] | None:
    """The limits of a statistic from its resamples over so many units, NaN where it is undefined.

    The quantiles Φ(∓ t √(C/(C − 1))), t Student's with C − 1 degrees of freedom: the plain
    percentile interval is too narrow for few units, since a resample varies too little by
    √((C − 1)/C) and knows no more of the spread than C units tell (Hesterberg 2015). Null for one
    unit, where the resamples do not differ, and where a fifth of them or more is undefined.

    >>> draws = np.linspace(0, 1, 1001)
    >>> [round(end, 3) for end in expanded_percentiles(draws, 10_000)]
    [0.025, 0.975]
    >>> [round(end, 3) for end in expanded_percentiles(draws, 10)]  # Φ(−2.2622 · √(10/9))
    [0.009, 0.991]
    """
    present = draws[np.isfinite(draws)]
    if units < 2 or len(present) <= (1 - _MOST_UNDEFINED) * len(draws):  # noqa: PLR2004
        return None
    ordered = np.sort(present)
    if ordered[0] == ordered[-1]:
        return None
    tail = float(ndtr(-student(units - 1) * math.sqrt(units / (units - 1))))
    low, high = np.quantile(ordered, [tail, 1 - tail])
    return float(low), float(high)


def bootstrapped(
    value: float,
    draws: Floats,
    units: int,
    *,
    n: int,
    unscored: int,
    undefined: str,
) -> Estimate:
    """The estimate of a statistic from its value and its resamples over so many clusters.

    It is over the scored rows, whatever the unscored could have made of it. A value that is NaN is
    null, and `undefined` says why.
    """
    if np.isnan(value):
        return Estimate(None, None, None, n, unscored, None, None, KIND, undefined)
    limits = expanded_percentiles(draws, units)
    method = message(
        "bootstrap of {n} clusters, {resamples} resamples", n=units, resamples=len(draws)
    )
    if limits is None:
        method = message("no interval: {reason}", reason=_no_interval(draws, units))
    low, high = limits or (None, None)
    case = None if unscored else value
    text = over_scored(method, unscored)
    return Estimate(value, low, high, n, unscored, case, case, KIND, text)


def _no_interval(draws: Floats, units: int) -> str:
    if units < 2:  # noqa: PLR2004 - one is never drawn otherwise than as it is
        return message("one cluster")
    share = float(np.isnan(draws).mean())
    if share:
        return message("undefined in {share} of the resamples", share=f"{share:.0%}")
    return message("no resample of the {n} clusters differs from another", n=units)


def multiplicities(random: np.random.Generator, size: int, n: int) -> Floats:
    """How often each of n is drawn in each of so many resamples."""
    drawn = random.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
    counted: Floats = np.bincount(drawn.ravel(), minlength=size * n).astype(np.float64)
    return counted.reshape(size, n)


def jackknife(value: float, left: Floats, quantile: float, scaling: Scaling = PLAIN) -> Bounds:
    """The value ± quantile · √((K − 1)/K Σ(θ₋ₖ − θ̄)²), on the scale.

    `left` has the statistic without each of K units (Tukey 1958). Where some of them lies at an end
    of its range and cannot be scaled, nothing is.

    >>> left = np.array([1.0, 2.0, 3.0])
    >>> [round(end, 3) for end in jackknife(2, left, 1.0)]  # √(2/3 · 2)
    [0.845, 3.155]
    """
    there, back = scaling
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled, middle = there(left), there(np.array(value))
        if not np.isfinite(scaled).all():
            there, back = PLAIN
            scaled, middle = left, np.array(value)
        half = quantile * jackknife_error(scaled)
        # log(1 − x) turns the ends round
        first, last = (float(back(end)) for end in (middle - half, middle + half))
    return min(first, last), max(first, last)


def jackknife_error(left: Floats) -> float:
    """The jackknife's standard error, 0 where leaving out any unit changes nothing.

    >>> round(jackknife_error(np.array([1.0, 2.0, 3.0])), 3)
    1.155
    """
    k = len(left)
    error = float(((k - 1) / k * np.square(left - left.mean()).sum()) ** 0.5)
    return error if error > _NO_ERROR else 0.0
