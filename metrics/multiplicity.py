"""P-values corrected for how many were looked at.

Those of statsmodels, whose function collects the garbage of the whole process at each call.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .inputs import Floats, between, numbers
from .intervals import RATE

PValues = Sequence[float | None] | NDArray[np.float64]


def holm(p: PValues) -> Floats:
    """The p-values corrected so that one false rejection among all has at most the level (Holm).

    NaN: not tested and not counted (Holm 1979).

    >>> [round(one, 4) for one in holm([0.01, 0.04, 0.03]).tolist()]  # 3 · 0.01, 2 · 0.03 twice
    [0.03, 0.06, 0.06]
    """
    return _of_tested(p, _holm)


def benjamini_hochberg(p: PValues) -> Floats:
    """The p-values corrected so that rejections have at most the level of false ones among them.

    NaN: not tested and not counted (Benjamini & Hochberg 1995).

    >>> [round(one, 4) for one in benjamini_hochberg([0.01, 0.04, 0.03]).tolist()]
    [0.03, 0.04, 0.04]
    """
    return _of_tested(p, _benjamini_hochberg)


def _of_tested(p: PValues, corrected: Callable[[Floats], Floats]) -> Floats:
    """The values with those that were tested corrected, which are handed on in ascending order."""
    values = between(numbers(p, "p"), "p", *RATE)
    tested = np.flatnonzero(~np.isnan(values))
    ascending = tested[np.argsort(values[tested], kind="stable")]
    values[ascending] = np.minimum(corrected(values[ascending]), 1)
    return values


def _holm(ascending: Floats) -> Floats:
    larger: Floats = np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1))
    return larger


def _benjamini_hochberg(ascending: Floats) -> Floats:
    shares = np.arange(1, len(ascending) + 1) / max(len(ascending), 1)
    smaller: Floats = np.minimum.accumulate((ascending / shares)[::-1])[::-1]
    return smaller
