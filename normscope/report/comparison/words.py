"""How the parts of a difference are shown: rates in points, scores as they are, small p-values."""

from collections.abc import Iterator
from dataclasses import dataclass

from ... import format as fmt
from ...compare.result import Difference
from ...metrics.significance import Test

CORRECTIONS = {
    "primary": "Holm over pairs",
    "secondary": "Holm over pairs and statistics",
    "exploratory": "Benjamini–Hochberg",
}


def effect(test: Test | None) -> str:
    """The effect size; its name stands in the note of the table."""
    return fmt.MISSING if test is None or test.effect is None else fmt.signed(test.effect)


def name_of(row: Difference) -> str:
    """The statistic, and overall what it is of where that is not everything: `score, open`."""
    return row.statistic if row.group or not row.member else f"{row.statistic}, {row.member}"


@dataclass(frozen=True, slots=True)
class Cells:
    """A difference as it is shown, a text per column in the order of `CRITERIONER`.

    `unscored` counts the pairs without a score and, of these, those that both runs lack for the
    same reason; `extremes` are the worst and the best case, `reach` the outer limits of their
    intervals.
    """

    first: str
    second: str
    difference: str
    interval: str
    p: str
    adjusted: str
    effect: str
    n: str
    unscored: str
    extremes: str
    reach: str

    def __iter__(self) -> Iterator[str]:
        """The texts from left to right."""
        return (getattr(self, name) for name in self.__slots__)


CRITERIONER = (
    "first",
    "second",
    "difference",
    "95 % interval",
    "p",
    "p corrected",
    "effect",
    "n",
    "unscored (both)",
    "worst – best",
    "their 95 % limits",
)


def cells(row: Difference) -> Cells:
    """The row's parts as they are shown everywhere."""
    rate, test, gaps = row.unit == "rate", row.test, row.unscored
    shown = fmt.estimate(row.estimate, row.unit, signs=True)
    level = fmt.percent if rate else fmt.number
    return Cells(
        first=level(row.first_value),
        second=level(row.second_value),
        difference=shown.value,
        interval="exact" if row.estimate.method == "exact" else shown.interval,
        p=fmt.p_value(test.p if test else None),
        adjusted=fmt.p_value(row.p_adjusted),
        effect=effect(test),
        n=shown.n,
        unscored=f"{fmt.count(gaps.pairs)} ({fmt.count(gaps.in_both)})" if gaps.pairs else "0",
        extremes=shown.extremes if gaps.pairs else fmt.MISSING,
        reach=fmt.interval(gaps.low, gaps.high, rate=rate, signs=True)
        if gaps.pairs
        else fmt.MISSING,
    )
