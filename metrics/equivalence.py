"""Whether a mean difference is too small to matter: two one-sided tests.

D. J. Schuirmann: "A comparison of the two one-sided tests procedure and the power approach for
assessing the equivalence of average bioavailability" (1987). A difference that is not found is not
yet one that is not there: the margin has to be stated before, and equivalence is what is shown.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from ..errors import UsageError
from .estimate import Estimate
from .groups import Clusters, cluster_codes
from .inputs import Column, numbers, same_length
from .intervals import Bounds, spread
from .paired import paired_mean_difference

ALPHA = 0.05
POWER = 0.8

_ROUNDING = 1e-12


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
        return Equivalence(margin, alpha, result, 0, None, None, None)
    departs = spread(apart[known], None if codes is None else codes[known])
    error, count = departs.error, departs.count
    shown = None
    if result.low is not None and result.high is not None:
        shown = -margin < result.low and result.high < margin
    if error is None or error <= _ROUNDING:
        return Equivalence(margin, alpha, result, count, error, None, shown)
    mean = float(apart[known].mean())
    above = float(stdtr(count - 1, -(mean + margin) / error))
    below = float(stdtr(count - 1, (mean - margin) / error))
    return Equivalence(margin, alpha, result, count, error, max(above, below), shown)


def _check(margin: float, alpha: float) -> None:
    if not margin > 0:
        raise UsageError(f"margin {margin}: it is above 0, in the units of the score")
    if not 0 < alpha < 0.5:  # noqa: PLR2004 - an interval at 1 − 2α
        raise UsageError(f"alpha {alpha}: it lies in (0, 0.5)")
