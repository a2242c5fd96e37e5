"""The jackknife: an interval from what a statistic would be without each of the units."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .inputs import Floats
from .intervals import Bounds

FEWEST = 3

Scaling = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""To a scale on which the statistic has no bounds, and back."""

PLAIN: Scaling = (lambda value: value, lambda value: value)
"""No scale but the statistic's own."""

_ROUNDING = 1e-12


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
        half = quantile * spread(scaled)
        # log(1 − x) turns the ends round
        first, last = (float(back(end)) for end in (middle - half, middle + half))
    return min(first, last), max(first, last)


def spread(left: Floats) -> float:
    """The jackknife's standard error, 0 where leaving out any unit changes nothing.

    >>> round(spread(np.array([1.0, 2.0, 3.0])), 3)
    1.155
    """
    k = len(left)
    error = float(((k - 1) / k * np.square(left - left.mean()).sum()) ** 0.5)
    return error if error > _ROUNDING else 0.0
