"""P-values corrected for how many were looked at."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .inputs import Floats, between, numbers
from .intervals import RATE


def holm(p: Sequence[float | None] | NDArray[np.float64]) -> Floats:
    """The p-values corrected so that one false rejection among all has at most the level (Holm).

    In ascending order the i-th of m is multiplied by m − i + 1, then made monotone. NaN: not tested
    and not counted (Holm 1979).

    >>> [round(one, 4) for one in holm([0.01, 0.04, 0.03]).tolist()]  # 3 · 0.01, 2 · 0.03 twice
    [0.03, 0.06, 0.06]
    """
    values, order = _ascending(p)
    m = len(order)
    raised = np.maximum.accumulate(values[order] * np.arange(m, 0, -1))
    values[order] = np.minimum(raised, 1)
    return values


def benjamini_hochberg(p: Sequence[float | None] | NDArray[np.float64]) -> Floats:
    """The p-values corrected so that rejections have at most the level of false ones among them.

    In ascending order the i-th of m is multiplied by m/i, then made monotone from the largest on.
    NaN: not tested and not counted (Benjamini & Hochberg 1995).

    >>> [round(one, 4) for one in benjamini_hochberg([0.01, 0.04, 0.03]).tolist()]
    [0.03, 0.04, 0.04]
    """
    values, order = _ascending(p)
    m = len(order)
    raised = values[order] * m / np.arange(1, m + 1)
    values[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1)
    return values


def _ascending(p: Sequence[float | None] | NDArray[np.float64]) -> tuple[Floats, NDArray[np.intp]]:
    """A copy of the p-values, and the places of those that are there from small to large."""
    values = between(numbers(p, "p"), "p", *RATE)
    order = np.argsort(values, kind="stable")  # NaN comes last
    return values, order[: int((~np.isnan(values)).sum())]
