"""A mean difference tested, also where some of the pairs belong together."""

import math
from dataclasses import replace

import numpy as np
from scipy.special import stdtr

from ..messages import joined, known, marked, message
from .groups import Clusters, cluster_codes
from .inputs import Column, Floats, numbers
from .intervals import Bounds, Codes, Spread, spread
from .significance import Test, normal_tail, tested, untested

_EFFECT = marked("mean over its SD")
_ROUNDING = 1e-12


def clustered_t(
    differences: Column,
    *,
    clusters: Clusters | None = None,
    bounds: Bounds | None = None,
    name: str = "clustered t",
    unit: str = marked("clusters"),
) -> Test:
    """The test that paired differences (NaN where unscored) have the mean 0, robust to clusters.

    t is the mean over its standard error (`spread`), with C − 1 degrees of freedom for C clusters:
    the test of `mean_interval`, so that p < 1 − level where that interval does not hold 0. Where
    all differences are one value m that is not 0, t has no scale. With the `bounds` of a difference
    p is then 2Φ(−√(C |m|/B)), B the bound on the other side of 0, which again is the interval's;
    without them 2 · 2⁻ᶜ, the chance that C fair coins fall alike. `name` and `unit` are what the
    test and its clusters are called.

    >>> result = clustered_t([1, 2, 3])  # 2 / (1/√3), two degrees of freedom
    >>> round(result.statistic, 3), round(result.p, 4)
    (3.464, 0.0742)
    """
    values, codes = _known(differences, clusters)
    if not len(values):
        return untested(name, _EFFECT)
    apart = spread(values, codes)
    mean, count, units = apart.mean, apart.count, known(unit)
    counted = message("{n} {unit}", n=count, unit=units)
    note: str = counted
    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    effect = None if deviation <= _ROUNDING else mean / deviation
    statistic: float | None = None
    if apart.error:
        statistic = mean / apart.error
        p = 2 * float(stdtr(count - 1, -abs(statistic)))
    elif abs(mean) <= _ROUNDING:
        statistic, p, note = 0.0, 1.0, joined([counted, message("no difference anywhere")])
    elif apart.error is None:
        p = 1.0
        note = message("{counted}: nothing says how {unit} differ", counted=counted, unit=units)
    elif bounds is not None:
        p = _alike(apart, bounds)
        note = joined([counted, message("all differ alike: Wilson's limit")])
    else:
        p = 2.0 ** (1 - count)
        note = joined([counted, message("all differ alike: a coin for each")])
    result = tested(
        name,
        0.0 if statistic is None else statistic,
        min(1.0, p),
        len(values),
        effect=effect,
        effect_name=_EFFECT,
        note=note,
    )
    return result if statistic is not None else replace(result, statistic=None)


def _alike(apart: Spread, bounds: Bounds) -> float:
    """The p at which the limit of `mean_interval`, where nothing departs, is 0.

    m − q (m − low) = 0 with q = z²/(z² + C) gives z² = C m/(−low).
    """
    beyond = bounds[0] if apart.mean > 0 else bounds[1]
    return normal_tail(math.sqrt(apart.effective * abs(apart.mean / beyond)))


def _known(differences: Column, clusters: Clusters | None) -> tuple[Floats, Codes | None]:
    values = numbers(differences, "differences")
    codes = cluster_codes(clusters, len(values))
    known = ~np.isnan(values)
    return values[known], None if codes is None else codes[known]
