"""A horizontal axis: where a value stands in a drawing, and round numbers to read it by."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1, 2, 2.5, 5, 10)
_MOST_INTERVALS = 5


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the axis and what stands under it. Ticks are exact, so they are not rounded."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """The values from `low` to `high` over `width` units of drawing."""

    low: float
    high: float
    width: float = 200.0
    step: float = 0.0
    factor: float = 1.0

    def at(self, value: float | None) -> float | None:
        """The value's place, held to the ends of the axis; null for null.

        >>> Axis(0, 4).at(1), Axis(0, 4).at(9), Axis(0, 4).at(None)
        (50.0, 200.0, None)
        """
        if value is None or not math.isfinite(value):
            return None
        share = (value - self.low) / (self.high - self.low)
        return round(min(max(share, 0.0), 1.0) * self.width, 1)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """A tick at every step, or one at either end of an axis without steps."""
        step = self.step or self.high - self.low
        count = round((self.high - self.low) / step)
        values = [self.low + index * step for index in range(count + 1)]
        return tuple(Tick(self.at(v) or 0.0, f"{v * self.factor:.6g}") for v in values)


def axis_over(values: Iterable[float | None], *, rate: bool = False) -> Axis:
    """The axis that shows all values, with round ends; rates always stand on 0 to 100 %.

    >>> axis_over([0.3, None, 3.7])
    Axis(low=0.0, high=4.0, width=200.0, step=1.0, factor=1.0)
    """
    if rate:
        return Axis(0.0, 1.0, step=0.25, factor=100.0)
    known = [v for v in values if v is not None and math.isfinite(v)]
    if not known:
        return Axis(0.0, 1.0)
    low, high = min(known), max(known)
    span = (high - low) or max(abs(high), 1.0)
    power = 10.0 ** math.floor(math.log10(span / _MOST_INTERVALS))
    step = next(s * power for s in _STEPS if s * power * _MOST_INTERVALS >= span * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Axis(first * step, max(last, first + 1) * step, step=step)
