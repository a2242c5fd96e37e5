"""Intervals for a rate and for a mean, with and without clusters.

Every interval here is two-sided at `level`. None of them has zero width because the sample happens
to have no spread: then the share of the population that could differ is bounded instead.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri, stdtrit

from ..errors import UsageError
from ..messages import message
from .inputs import Floats

Bounds = tuple[float, float]
LEVEL = 0.95
"""Of every interval, but where a gate asks for another."""

RATE: Bounds = (0.0, 1.0)

Codes = NDArray[np.intp]
"""The cluster of each row, as small non-negative integers."""

_NO_SPREAD = 1e-12
# a limit that is a whole number of rows on paper must not be rounded to the next one
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval and how it was made."""

    low: float
    high: float
    method: str


@dataclass(frozen=True, slots=True)
class Spread:
    """How a mean's clusters, or its rows, depart from it.

    `error` is the mean's standard error by linearisation (`mean_interval`): 0 where none departs,
    null for a single one. `effective` is (Σm)²/Σm² of the sizes m: `count` if all have one size.
    """

    mean: float
    count: int
    effective: float
    error: float | None


def wilson(successes: float, n: float, *, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a rate: all p with |p̂ − p| ≤ z √(p(1 − p)/n).

    Its limits are (p̂ + z²/2n ± z √(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n)
    (Wilson 1927; Brown, Cai & DasGupta 2001). With 0 of n the upper limit is z²/(n + z²).

    >>> result = wilson(0, 10)  # 1.96² / (10 + 1.96²) = 3.8415 / 13.8415
    >>> result.low, round(result.high, 4)
    (0.0, 0.2775)
    """
    _check_counts(successes, n)
    return Interval(*score_limits(successes / n, n, normal(level)), message("Wilson"))


def clopper_pearson(successes: int, n: int, *, level: float = LEVEL) -> Interval:
    """The exact interval of a rate: its coverage is never under `level`.

    The limits are the p at which a binomial tail beyond the observed count has (1 − level)/2:
    the Beta(k, n − k + 1) and Beta(k + 1, n − k) quantiles (Clopper & Pearson 1934).

    >>> result = clopper_pearson(0, 10)  # 1 - 0.025 ** (1 / 10)
    >>> result.low, round(result.high, 4)
    (0.0, 0.3085)
    """
    _check_counts(successes, n)
    tail = _tail(level)
    # the Beta quantiles need both parameters above 0; the limit there is the bound
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(low, high, "Clopper–Pearson")


def clustered_rate(outcomes: Floats, clusters: Codes, *, level: float = LEVEL) -> Interval:
    """Wilson's interval at the effective sample size that the clusters leave, with t for z.

    The effective n is p̂(1 − p̂)/var, var the linearised variance of `mean_interval`, at most the
    number of rows; the quantile is Student's t with C − 1 degrees of freedom (Dean & Pagano 2015
    compare such intervals; near 0 and 1 they mostly cover better than p̂ ± t·se). When all
    outcomes are equal, n is the effective number of clusters (Σm)²/Σm², which is C if all have one
    size m, and the quantile is normal. One cluster says nothing of how clusters differ: [0, 1].

    >>> result = clustered_rate(np.ones(6), np.array([0, 0, 1, 1, 2, 2]))
    >>> round(result.low, 4), result.high  # three clusters: 3 / (3 + 1.96²) = 3 / 6.8415
    (0.4385, 1.0)
    """
    count, rate = int((np.bincount(clusters) > 0).sum()), float(outcomes.mean())
    if count == 1:
        return Interval(0.0, 1.0, message("one cluster: the bounds"))
    method = message("Wilson over {n} clusters", n=count)
    effective = effective_rows(outcomes, clusters)
    if rate in {0.0, 1.0}:
        limits = score_limits(rate, effective, normal(level))
        return Interval(*limits, message("{method}, all equal", method=method))
    return Interval(*score_limits(rate, effective, student(count - 1, level)), method)


def effective_rows(outcomes: Floats, clusters: Codes) -> float:
    """How many independent rows say as much of the rate (`clustered_rate`).

    >>> effective_rows(np.ones(6), np.array([0, 0, 1, 1, 2, 2]))
    3.0
    """
    sizes, residuals = _by_cluster(outcomes, clusters)
    rate, rows = float(outcomes.mean()), float(len(outcomes))
    if rate in {0.0, 1.0} or len(sizes) == 1:
        return _kish(sizes)
    variance = _variance(sizes, residuals)
    # clusters that vary less than chance would are worth no more than their rows
    return min(rows, rate * (1 - rate) / variance) if variance > 0 else rows


def mean_interval(
    values: Floats,
    *,
    clusters: Codes | None = None,
    bounds: Bounds | None = None,
    level: float = LEVEL,
) -> Interval | None:
    """Student's t interval of a mean, robust to clusters by linearisation, clipped to the bounds.

    With u_c the sum of the residuals of cluster c, var = C/(C − 1) Σ u_c² / n² and t has C − 1
    degrees of freedom; with one row per cluster that is the ordinary t interval. A single cluster
    or value says nothing of the spread: the bounds. When no cluster departs from the mean m, the
    share of the population that could is at most Wilson's limit q = z²/(C + z²) for 0 of C, so the
    mean lies in [m − q(m − low), m + q(high − m)]; C is then the effective number (Σm)²/Σm².
    Without bounds both cases have no interval: None. (Liang & Zeger 1986 for the variance.)

    >>> result = mean_interval(np.array([1.0, 2.0, 3.0]))  # 2 ± 4.3027 · 1/√3
    >>> round(result.low, 3), round(result.high, 3)
    (-0.484, 4.484)
    """
    result = spread(values, clusters)
    mean, count = result.mean, result.count
    if result.error is None:
        alone = message("one value: the bounds")
        if clusters is not None:
            alone = message("one cluster: the bounds")
        return None if bounds is None else Interval(*bounds, alone)
    if result.error == 0:
        if bounds is None:
            return None
        z2 = normal(level) ** 2
        share = z2 / (z2 + result.effective)
        low, high = mean - share * (mean - bounds[0]), mean + share * (bounds[1] - mean)
        method = message("Wilson's limit for a share")
        if clusters is not None:
            method = message("Wilson's limit for a share over {n} clusters", n=count)
        return Interval(low, high, message("{method}, no spread", method=method))
    half = student(count - 1, level) * result.error
    low, high = mean - half, mean + half
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    method = message("t") if clusters is None else message("t over {n} clusters", n=count)
    return Interval(low, high, method)


def spread(values: Floats, clusters: Codes | None = None) -> Spread:
    """The mean and its standard error √(C/(C − 1) Σ u_c²) / n, u_c as in `mean_interval`.

    >>> result = spread(np.array([0.0, 0, 2, 2]), np.array([0, 0, 1, 1]))
    >>> result.error, result.count, result.effective  # √(2 · (4 + 4)) / 4
    (1.0, 2, 2.0)
    """
    if not len(values):
        raise UsageError("a standard error needs a value")
    mean = float(values.mean())
    if clusters is None:
        sizes, residuals = np.ones(len(values)), values - mean
    else:
        sizes, residuals = _by_cluster(values, clusters)
    count, effective = len(sizes), _kish(sizes)
    if count == 1:
        return Spread(mean, count, effective, None)
    # what is equal on paper may differ in the last digit
    if float(np.abs(residuals).max()) <= _NO_SPREAD * max(1.0, abs(mean)) * float(sizes.max()):
        return Spread(mean, count, effective, 0.0)
    return Spread(mean, count, effective, math.sqrt(_variance(sizes, residuals)))


def finite_rows(n: float, population: int) -> float:
    """As how many rows of an endless population n of this one count, drawn without replacement.

    n (N − 1)/(N − n): with it p(1 − p)/n becomes the variance of a share of n rows of N
    (Cochran 1977, 2.6). Infinite where all are drawn.

    >>> finite_rows(120, 1800), finite_rows(5, 5)  # 120 · 1799/1680
    (128.5, inf)
    """
    if not 0 < n <= population:
        raise UsageError(f"{n:g} rows of a population of {population}: from 1 to all of them")
    return math.inf if n == population else n * (population - 1) / (population - n)


def wilson_of_all(ones: int, n: int, population: int, *, level: float = LEVEL) -> Bounds:
    """The interval of a share of all N rows of an enumeration, n of which were drawn.

    Wilson's at `finite_rows`, as `whole_rows`. With n = N it has no width.

    >>> low, high = wilson_of_all(0, 120, 1800)  # 3.8415/(128.5 + 3.8415) = 52.2/1800
    >>> low, round(1800 * high, 6)
    (0.0, 53.0)
    """
    _check_counts(ones, n)
    rows = finite_rows(n, population)
    if rows == math.inf:
        return ones / n, ones / n
    limits = score_limits(ones / n, rows, normal(level))
    return whole_rows(limits, (ones, ones + population - n), population)


def whole_rows(limits: Bounds, open_: Bounds, population: int) -> Bounds:
    """The limits rounded outwards to sums of whole rows over N, within the sums that are `open_`.

    Without the rounding an interval of nearly all rows would leave out sums that one row not drawn
    may well make.
    """
    low = max(math.floor(limits[0] * population + _ROUNDING), open_[0])
    high = min(math.ceil(limits[1] * population - _ROUNDING), open_[1])
    return low / population, high / population


def score_limits(rate: float, n: float, quantile: float) -> Bounds:
    """The limits of `wilson` for a rate, an effective n and a quantile of the normal or of t."""
    squared = quantile * quantile
    middle = rate + squared / (2 * n)
    half = quantile * math.sqrt(rate * (1 - rate) / n + squared / (4 * n * n))
    whole = 1 + squared / n
    # at 0 and 1 the limit is exact; the subtraction would leave a rounding error
    low = 0.0 if rate == 0 else (middle - half) / whole
    high = 1.0 if rate == 1 else (middle + half) / whole
    return low, high


def student(degrees: int, level: float = LEVEL) -> float:
    """The quantile of Student's t that leaves (1 − level)/2 above it.

    >>> round(student(10), 3)
    2.228
    """
    return float(-stdtrit(degrees, _tail(level)))


def normal(level: float = LEVEL) -> float:
    """The quantile of the normal that leaves (1 − level)/2 above it.

    >>> round(normal(), 3)
    1.96
    """
    return float(-ndtri(_tail(level)))


def _by_cluster(values: Floats, clusters: Codes) -> tuple[Floats, Floats]:
    """The size of each cluster and the sum of its residuals from the overall mean."""
    counts = np.bincount(clusters)
    sums: Floats = np.bincount(clusters, weights=values - values.mean()).astype(np.float64)
    used = counts > 0
    return counts[used].astype(np.float64), sums[used]


def _variance(sizes: Floats, residuals: Floats) -> float:
    count = len(residuals)
    # not a dot product: BLAS may add in another order with another number of threads
    squares = float(np.square(residuals).sum())
    return squares * count / (count - 1) / float(sizes.sum()) ** 2


def _kish(sizes: Floats) -> float:
    return float(sizes.sum()) ** 2 / float(np.square(sizes).sum())


def _tail(level: float) -> float:
    if not 0 < level < 1:
        raise UsageError(f"level {level!r} must lie between 0 and 1, for example 0.95")
    return (1 - level) / 2


def _check_counts(successes: float, n: float) -> None:
    if n <= 0 or not 0 <= successes <= n:
        raise UsageError(f"{successes:g} of {n:g}: a rate needs n > 0 and a count from 0 to n")
