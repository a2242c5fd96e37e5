"""Numbers that are expected: each with the interval in which it is, where one is known."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...metrics.inputs import Column, numbers
from ...metrics.intervals import student

_LEVEL = 0.95


class Range(NamedTuple):
    """A value and its 95 % interval: no width where it was counted, null where nothing tells."""

    value: float
    low: float | None
    high: float | None

    @classmethod
    def exact(cls, value: float) -> "Range":
        """A value that is known.

        >>> Range.exact(3)
        Range(value=3, low=3, high=3)
        """
        return cls(value, value, value)

    def times(self, factor: float) -> "Range":
        """The range of so many times it, the factor being no negative number."""
        low, high = (None if end is None else end * factor for end in (self.low, self.high))
        return Range(self.value * factor, low, high)

    @property
    def is_exact(self) -> bool:
        """Whether it was counted."""
        return self.low == self.high == self.value


def added(ranges: Iterable[Range]) -> Range:
    """The sum of independent values: distances to the limits are squared and added.

    >>> added([Range(10, 7, 13), Range(10, 6, 14)])
    Range(value=20, low=15.0, high=25.0)
    """
    every = list(ranges)
    total = sum(each.value for each in every)
    distances = []
    for side in ("low", "high"):
        ends = [getattr(each, side) for each in every]
        if any(end is None for end in ends):
            return Range(total, None, None)
        squares = sum((end - each.value) ** 2 for end, each in zip(ends, every, strict=True))
        distances.append(math.sqrt(squares))
    return Range(total, max(0.0, total - distances[0]), total + distances[1])


def times(first: Range, second: Range) -> Range:
    """The product of two independent ranges, their relative distances squared and added.

    >>> times(Range(10, 7, 13), Range(2, 1.2, 2.8))
    Range(value=20, low=10.0, high=30.0)
    """
    value = first.value * second.value
    distances = []
    for side in ("low", "high"):
        one, other = getattr(first, side), getattr(second, side)
        if one is None or other is None:
            return Range(value, None, None)
        distances.append(
            math.hypot((one - first.value) * second.value, (other - second.value) * first.value)
        )
    return Range(value, max(0.0, value - distances[0]), value + distances[1])


def ratio(values: Column, sizes: Column, *, of: int | None = None) -> Range:
    """How much value there is to a size: Σ value / Σ size over units that were drawn.

    With R the ratio and e the residuals value − R · size, its variance is
    m/(m − 1) Σe² / (Σ size)², of t with m − 1 degrees of freedom (Cochran 1977, 6.4). `of` is how
    many units there are: with all of them drawn nothing is left open (1 − m/of multiplies the
    variance). A single one of several tells nothing of how they differ.

    >>> ratio([2, 4], [1, 2])
    Range(value=2.0, low=2.0, high=2.0)
    >>> round(ratio([1, 3], [1, 1]).high, 2)  # 2 + 12.706 · √(2 · 2)/2
    14.71
    """
    drawn, over = numbers(values, "values"), numbers(sizes, "sizes")
    result = float(drawn.sum() / over.sum())
    count = len(drawn)
    if of is not None and count >= of:
        return Range.exact(result)
    if count == 1:
        return Range(result, None, None)
    left = 1.0 if of is None else 1 - count / of
    squares = float(np.square(drawn - result * over).sum())
    error = math.sqrt(left * count / (count - 1) * squares) / float(over.sum())
    half = student(_LEVEL, count - 1) * error
    return Range(result, max(0.0, result - half), result + half)


def spread_over(total: int, count: int) -> list[int]:
    """At most `count` numbers below `total`, spread evenly, the first of them in the middle.

    Further ones of a longer list fall between those of a shorter one, so that a list that is broken
    off is spread as well.

    >>> spread_over(8, 3), spread_over(2, 5)
    ([4, 2, 6], [1, 0])
    """
    # van der Corput's sequence: 1/2, 1/4, 3/4, 1/8 …
    numbers: dict[int, None] = {}
    step = 1
    while len(numbers) < min(count, total):
        numerator, denominator, rest = 0, 1, step
        while rest:
            rest, bit = divmod(rest, 2)
            numerator, denominator = 2 * numerator + bit, 2 * denominator
        numbers.setdefault(total * numerator // denominator)
        step += 1
    return list(numbers)[:count]
