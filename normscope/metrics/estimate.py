"""A number with everything that is needed to defend it."""

from dataclasses import dataclass
from typing import Literal

from ..messages import Text, message
from .intervals import LEVEL, Interval

Target = Literal[
    "these items",
    "all vignettes",
    "new items of the kind",
    "new prompt variants",
]
"""What an interval is about: what would vary if the measurement were made again.

`all vignettes`: those of a context, of which these were drawn.
"""

KIND: Target = "new items of the kind"

Cases = tuple[float | None, float | None]
"""The lowest and the highest that unscored items could make of an estimate; null: not bounded."""

Unit = Literal["rate", "rate difference", "score"]
"""How a value is shown: in percent, in percentage points, or as it is."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A point estimate, its interval, and what the unscored items could have made of it.

    `value` is over the scored items, null where there are none, and `low` to `high` its interval at
    `level` for `target`. `lowest` and `highest` are the estimate if every unscored item had the
    lowest, or the highest, possible value: a range, and no interval. `n` counts scored items,
    `unscored` the others.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    lowest: float | None
    highest: float | None
    target: Target
    method: Text
    level: float = LEVEL

    @property
    def is_exact(self) -> bool:
        """Whether nothing was sampled and all is scored: its interval has no width."""
        return self.target == "these items" and self.low is not None and self.low == self.high


@dataclass(frozen=True, slots=True)
class Statistic:
    """One row of a table of scores.

    `group` is the dimension it is broken down by (`category`, `language`; empty: overall) and
    `member` the one of its levels; overall, what the number is of where that is not everything:
    open prompts, one letter. `unit` is `rate` for a share in [0, 1], `rate difference` for
    one less another, in [−1, 1], else `score`.
    """

    name: str
    unit: Unit
    estimate: Estimate
    group: str = ""
    member: str = ""


def estimated(
    value: float | None,
    limits: Interval | None,
    *,
    n: int,
    unscored: int = 0,
    cases: Cases = (None, None),
    target: Target = KIND,
    method: str | None = None,
) -> Estimate:
    """The estimate with its interval (null: none), its lowest and its highest case.

    Without a `method` it is that of the interval.
    """
    if method is None:
        none = message("no spread to make an interval from")
        method = none if limits is None else limits.method
    low, high = (None, None) if limits is None else (limits.low, limits.high)
    return Estimate(value, low, high, n, unscored, *cases, target, method)


def undefined(
    why: str,
    *,
    n: int = 0,
    unscored: int = 0,
    cases: Cases = (None, None),
    target: Target = KIND,
    level: float = LEVEL,
) -> Estimate:
    """An estimate without a value, and why it has none."""
    return Estimate(None, None, None, n, unscored, *cases, target, why, level)


def over_scored(method: str, unscored: int) -> str:
    """The interval's method, which says that it is of the scored alone where something is not."""
    return message("{method}, over the scored", method=method) if unscored else method
