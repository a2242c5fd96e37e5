"""Whether a mean difference is too small to matter: two one-sided tests, and their power.

D. J. Schuirmann: "A comparison of the two one-sided tests procedure and the power approach for
assessing the equivalence of average bioavailability" (1987); D. B. Owen: "A special case of a
bivariate non-central t-distribution" (1965), for the power. A difference that is not found is not
yet one that is not there: the margin has to be stated before, and equivalence is what is shown.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, ndtr, stdtr, stdtrit

from ..errors import UsageError
from .estimate import Estimate
from .groups import Clusters, cluster_codes
from .inputs import Column, numbers, same_length
from .intervals import Bounds, spread
from .paired import paired_mean_difference

ALPHA = 0.05
POWER = 0.8

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)
# in standard deviations of U, 1/√(2ν) each: farther out its density is nothing to a float
_WIDE = 10.0
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Power:
    """What so many clusters can show of equivalence, at the spread that was seen.

    `at_zero` is the chance that it is shown within the margin if there is no difference at all;
    `largest` the greatest true difference with which it still is with a chance of 0.8 (null if not
    even 0); `margin` the smallest margin within which "no difference" would be shown with that
    chance.
    """

    at_zero: float
    largest: float | None
    margin: float


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided tests that the mean of `a` less `b` lies within ± `margin`.

    `estimate` has the interval at 1 − 2α; `p` is the larger of the two p-values, over the pairs
    scored in both, null where the differences do not vary or there are none. `shown` says whether
    the interval lies within the margin; with unscored pairs it is the wider one that reaches from
    the lowest case to the highest. Null: nothing could be tested.
    """

    margin: float
    alpha: float
    estimate: Estimate
    clusters: int
    standard_error: float | None
    p: float | None
    shown: bool | None
    power: Power | None


def equivalence(
    a: Column,
    b: Column,
    *,
    margin: float,
    bounds: Bounds | None = None,
    clusters: Clusters | None = None,
    alpha: float = ALPHA,
) -> Equivalence:
    """Whether the paired means of `a` and `b` differ by less than the margin, whichever is higher.

    With d the mean difference and se its clustered standard error, p is the larger of
    P(T > (d + margin)/se) and P(T < (d − margin)/se), T Student's with C − 1 degrees of freedom.

    >>> result = equivalence([1.1, 2, 2.9], [1, 2, 3], margin=0.5)  # 0 ± 2.92 · 0.1/√3
    >>> result.shown, round(result.estimate.high, 4), round(result.p, 4)  # P(T > 0.5/0.0577), 2 df
    (True, 0.1686, 0.0065)
    """
    _check(margin, alpha)
    same_length({"a": a, "b": b})
    first, second = numbers(a, "a"), numbers(b, "b")
    codes = cluster_codes(clusters, len(first))
    level = 1 - 2 * alpha
    result = paired_mean_difference(first, second, bounds=bounds, clusters=codes, level=level)
    apart = first - second
    known = ~np.isnan(apart)
    if not known.any():
        return Equivalence(margin, alpha, result, 0, None, None, None, None)
    departs = spread(apart[known], None if codes is None else codes[known])
    error, count = departs.error, departs.count
    shown = None
    if result.low is not None and result.high is not None:
        shown = -margin < result.low and result.high < margin
    if error is None or error <= _ROUNDING:
        return Equivalence(margin, alpha, result, count, error, None, shown, None)
    mean = float(apart[known].mean())
    above = float(stdtr(count - 1, -(mean + margin) / error))
    below = float(stdtr(count - 1, (mean - margin) / error))
    power = power_of(count, sd=error * math.sqrt(count), margin=margin, alpha=alpha)
    return Equivalence(margin, alpha, result, count, error, max(above, below), shown, power)


def power_of(n: int, *, sd: float, margin: float, alpha: float = ALPHA) -> Power:
    """What n independent pairs can show of equivalence, sd that of their differences.

    >>> result = power_of(50, sd=1, margin=0.5)
    >>> round(result.at_zero, 3), round(result.largest, 3), round(result.margin, 3)
    (0.934, 0.142, 0.42)
    """

    def chance(difference: float, within: float) -> float:
        return equivalence_power(n, sd=sd, margin=within, difference=difference, alpha=alpha)

    at_zero = chance(0.0, margin)
    largest = None
    if at_zero >= POWER:
        largest = float(brentq(lambda value: chance(value, margin) - POWER, 0.0, margin))
    # a margin above the one looked for; a margin must be above 0, hence the lower end
    most = sd
    while chance(0.0, most) < POWER:
        most *= 2
    return Power(
        at_zero, largest, float(brentq(lambda value: chance(0.0, value) - POWER, most * 1e-9, most))
    )


def equivalence_power(
    n: int, *, sd: float, margin: float, difference: float = 0.0, alpha: float = ALPHA
) -> float:
    """The chance that n pairs show equivalence within the margin, given the true difference.

    E[Φ((Δ − δ)/σ − t·U) − Φ(−(Δ + δ)/σ + t·U)] over U = √(χ²/ν) where it is positive, σ = sd/√n,
    ν = n − 1 and t the 1 − α quantile: Owen's integral. `n` counts clusters where there are some.

    >>> round(equivalence_power(30, sd=1, margin=0.5), 3)
    0.697
    """
    _check(margin, alpha)
    if n < 2 or sd <= 0:  # noqa: PLR2004 - a spread needs two
        raise UsageError(f"n {n}, sd {sd}: n is 2 or more and sd above 0")
    degrees = n - 1
    quantile, scale = -float(stdtrit(degrees, alpha)), sd / math.sqrt(n)
    # beyond this U the interval is wider than the margin's, whatever the mean
    most = margin / scale / quantile
    spread = _WIDE / math.sqrt(2 * degrees)
    low, high = max(0.0, 1 - spread), min(most, 1 + spread)
    if high <= low:
        return 0.0
    u = low + (high - low) * (_NODES + 1) / 2
    # the density of U, as a logarithm because Γ(ν/2) overflows for many pairs
    log_density = (
        math.log(2)
        + degrees / 2 * math.log(degrees / 2)
        - float(gammaln(degrees / 2))
        + (degrees - 1) * np.log(u)
        - degrees * u * u / 2
    )
    above = ndtr((margin - difference) / scale - quantile * u)
    below = ndtr((-margin - difference) / scale + quantile * u)
    inside = np.maximum(0.0, above - below) * np.exp(log_density)
    return float(np.clip((inside * _WEIGHTS).sum() * (high - low) / 2, 0.0, 1.0))


def _check(margin: float, alpha: float) -> None:
    if not margin > 0:
        raise UsageError(f"margin {margin}: it is above 0, in the units of the score")
    if not 0 < alpha < 0.5:  # noqa: PLR2004 - an interval at 1 − 2α
        raise UsageError(f"alpha {alpha}: it lies in (0, 0.5)")
