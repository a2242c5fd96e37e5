"""Tests over the wordings of a vignette: few, and the only thing that was varied."""

import math

import numpy as np
from scipy.special import stdtr

from ..metrics.inputs import Floats
from ..metrics.intervals import Codes
from ..metrics.significance import Test

_MOST = 20
_ROUNDING = 1e-9


def sign_flip(shift: Floats, codes: Codes | None = None) -> Test | None:
    """The exact test that flips the sign of each wording's difference: |Σ| against all 2ᴷ sums.

    With K wordings the smallest p is 2/2ᴷ: 0.001 for 11. Orders of one wording are flipped
    together. The effect is the share of wordings above zero less that below. Null for one wording,
    and beyond 20, where the sums are too many to go through and the t test serves.

    >>> found = sign_flip(np.array([1.0, 2.0, 3.0]))
    >>> found.p, found.effect  # of 8 sums two are ±6
    (0.25, 1.0)
    """
    sums = shift if codes is None else np.bincount(codes, weights=shift)[np.unique(codes)]
    k = len(sums)
    if not 1 < k <= _MOST:
        return None
    every = np.zeros(1)
    for one in sums:
        every = np.concatenate((every + one, every - one))
    observed = abs(float(sums.sum()))
    # sums that are equal on paper may differ in the last digit
    slack = _ROUNDING * max(1.0, float(np.abs(sums).sum()))
    p = float((np.abs(every) >= observed - slack).mean())
    return Test(
        name="sign flip over wordings",
        statistic=float(shift.mean()),
        p=p,
        log10_p=math.log10(p),
        n=k,
        effect=float((sums > 0).mean() - (sums < 0).mean()),
        effect_name="share of wordings above less below",
        note=f"exact over {2**k} sign patterns; the smallest p that they allow is {2 / 2**k:.3g}",
    )


def paired_t(shift: Floats, codes: Codes | None = None) -> Test | None:
    """Student's paired t test over the wordings; null where they do not vary.

    >>> found = paired_t(np.array([1.0, 2.0, 3.0]))  # t = 2 / (1/√3), 2 degrees of freedom
    >>> round(found.statistic, 4), round(found.p, 4)
    (3.4641, 0.0742)
    """
    if codes is not None:
        sizes = np.bincount(codes)
        shift = (np.bincount(codes, weights=shift) / np.maximum(sizes, 1))[sizes > 0]
    k = len(shift)
    spread = float(shift.std(ddof=1)) if k > 1 else 0.0
    if spread <= _ROUNDING:
        return None
    t = float(shift.mean()) / (spread / math.sqrt(k))
    p = 2 * float(stdtr(k - 1, -abs(t)))
    return Test(
        name="paired t over wordings",
        statistic=t,
        p=p,
        log10_p=math.log10(p) if p > 0 else None,
        n=k,
        effect=float(shift.mean()) / spread,
        effect_name="mean over standard deviation of the wordings",
        note=f"{k - 1} degrees of freedom",
    )
