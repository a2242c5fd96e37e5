"""A mean difference tested where some of the pairs belong together."""

import math
from dataclasses import replace

import numpy as np

from ..errors import UsageError
from .groups import Clusters, cluster_codes
from .inputs import Column, Floats, numbers
from .intervals import Codes
from .significance import Test, tested, untested
from .tails import log_t_tail

_NAME, _EFFECT = "clustered t", "mean over its SD"
_ROUNDING = 1e-12


def clustered_t(differences: Column, *, clusters: Clusters | None = None) -> Test:
    """The test that paired differences (NaN where unscored) have the mean 0, robust to clusters.

    t is the mean over `standard_error`, with C − 1 degrees of freedom for C clusters: the test of
    `mean_interval`. Where all differences are one value that is not 0, t has no scale: p is then
    2 · 2⁻ᶜ, the chance that C fair coins fall alike.

    >>> found = clustered_t([1, 2, 3])  # 2 / (1/√3), two degrees of freedom
    >>> round(found.statistic, 3), round(found.p, 4)
    (3.464, 0.0742)
    """
    values, codes = _known(differences, clusters)
    if not len(values):
        return untested(_NAME, _EFFECT)
    error, count = standard_error(values, codes)
    mean, told = float(values.mean()), f"{count} clusters"
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    effect = None if spread <= _ROUNDING else mean / spread
    statistic: float | None = None
    if error is not None and error > _ROUNDING:
        statistic, log_p = mean / error, log_t_tail(mean / error, count - 1)
    elif abs(mean) <= _ROUNDING:
        statistic, log_p, told = 0.0, 0.0, f"{told}, no difference anywhere"
    else:
        log_p = (1 - count) * math.log(2)
        told = f"{told}, all differ alike: a coin for each"
    found = tested(
        _NAME,
        0.0 if statistic is None else statistic,
        min(0.0, log_p),
        len(values),
        effect=effect,
        effect_name=_EFFECT,
        note=told,
    )
    return found if statistic is not None else replace(found, statistic=None)


def standard_error(values: Floats, clusters: Codes | None) -> tuple[float | None, int]:
    """The standard error of the mean by linearisation, null for one cluster, and their number C.

    √(C/(C − 1) Σ u_c²) / n, u_c the sum of the residuals of cluster c (`mean_interval`).

    >>> standard_error(np.array([0.0, 0, 2, 2]), np.array([0, 0, 1, 1]))  # √(2 · (4 + 4)) / 4
    (1.0, 2)
    """
    if not len(values):
        raise UsageError("a standard error needs a value")
    own = np.arange(len(values)) if clusters is None else clusters
    codes = np.unique(own, return_inverse=True)[1]
    sums = np.bincount(codes, weights=values - values.mean())
    count = len(sums)
    if count == 1:
        return None, 1
    return math.sqrt(float(np.square(sums).sum()) * count / (count - 1)) / len(values), count


def _known(differences: Column, clusters: Clusters | None) -> tuple[Floats, Codes | None]:
    values = numbers(differences, "differences")
    codes = cluster_codes(clusters, len(values))
    known = ~np.isnan(values)
    return values[known], None if codes is None else codes[known]
