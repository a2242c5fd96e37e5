"""Tango's score interval for the difference of two rates over the same items.

T. Tango: "Equivalence test and confidence interval for the difference in proportions for the
paired-sample design", Statistics in Medicine 17 (1998).
"""

import math

from scipy.optimize import brentq

from ..errors import UsageError
from .intervals import Interval, normal

_OFF = 1e-9


def tango(only_a: int, only_b: int, n: int, *, level: float = 0.95) -> Interval:
    """The interval of p_a − p_b from the items that a alone, and b alone, has of n.

    All δ with |b − c − nδ| ≤ z √(n(2q + δ(1 − δ))), b and c the two counts and q the share of c's
    kind that is likeliest if the difference is δ: the larger root of
    2n q² + ((2n − b + c)δ − b − c) q − cδ(1 − δ) = 0.

    >>> found = tango(5, 5, 10)  # all discordant, so q = (1 − δ)/2: δ² = z²/(n + z²) = 0.27753
    >>> round(found.low, 4), round(found.high, 4)
    (-0.5268, 0.5268)
    """
    if min(only_a, only_b) < 0 or n <= 0 or only_a + only_b > n:
        raise UsageError(f"{only_a} and {only_b} of {n}: counts of n items, n above 0")
    z = normal(level)

    def beyond(delta: float) -> float:
        spread = 2 * _share(only_a, only_b, n, delta) + delta * (1 - delta)
        return only_a - only_b - n * delta - z * math.copysign(math.sqrt(n * max(0.0, spread)), way)

    ends = []
    for way, end in ((1.0, -1.0), (-1.0, 1.0)):
        value = (only_a - only_b) / n
        # at the value itself both sides can be 0, which is no limit
        inner = value - way * _OFF
        ends.append(end if value == end else float(brentq(beyond, end, inner)))
    return Interval(ends[0], ends[1], "Tango")


def _share(b: int, c: int, n: int, delta: float) -> float:
    """The likeliest share of items that only the second has, if the difference is delta."""
    linear = (2 * n - b + c) * delta - b - c
    root = math.sqrt(max(0.0, linear**2 + 8 * n * c * delta * (1 - delta)))
    return (root - linear) / (4 * n)
