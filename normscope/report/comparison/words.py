"""How the parts of a difference are shown: rates in points, scores as they are, small p-values."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ... import format as fmt
from ...compare.result import Difference
from ...metrics.significance import Test

_PLAIN = 1e-4

CORRECTIONS = {
    "primary": "Holm over pairs",
    "secondary": "Holm over pairs and statistics",
    "exploratory": "Benjamini–Hochberg",
}


def signed(value: float | None, *, rate: bool) -> str:
    """A difference with its sign, that of two rates in percentage points.

    >>> signed(0.125, rate=True), signed(-0.5, rate=False), signed(0, rate=False)
    ('+12.5 pp', '−0.500', '0')
    """
    if value is None or not math.isfinite(value):
        return fmt.MISSING
    unit = " pp" if rate else ""
    scaled = value * 100 if rate else value
    sign = "+" if scaled > 0 else "−" if scaled < 0 else ""
    return f"{sign}{fmt.number(abs(scaled))}{unit}"


def span(low: float | None, high: float | None, *, rate: bool) -> str:
    """An interval of a difference.

    >>> span(-0.05, 0.125, rate=True)
    '[−5.00, +12.5] pp'
    """
    if low is None or high is None:
        return fmt.MISSING
    ends = (signed(end, rate=rate).removesuffix(" pp") for end in (low, high))
    return f"[{', '.join(ends)}]" + (" pp" if rate else "")


def level(value: float | None, *, rate: bool) -> str:
    """What one run has: a rate in percent, a score as it is."""
    if value is None:
        return fmt.MISSING
    return fmt.percent(value) if rate else fmt.number(value).replace("-", "−")


def p_value(p: float | None, log10_p: float | None = None) -> str:
    """A p-value; a small one as a power of ten, also where a float cannot hold it.

    >>> p_value(0.03125), p_value(2e-7), p_value(0.0, -400.25), p_value(0.0), p_value(None)
    ('0.0312', '10^-6.7', '10^-400.2', '< 10^-300', '–')
    """
    if p is None:
        return fmt.MISSING
    if p >= _PLAIN:
        return fmt.number(p)
    power = log10_p if log10_p is not None else math.log10(p) if p > 0 else None
    return "< 10^-300" if power is None else f"10^{power:.1f}"


def effect(test: Test | None) -> str:
    """The effect size; its name stands in the note of the table."""
    return fmt.MISSING if test is None or test.effect is None else signed(test.effect, rate=False)


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
    rate, found, test = row.unit == "rate", row.estimate, row.test
    gaps = row.unscored
    return Cells(
        first=level(row.first_value, rate=rate),
        second=level(row.second_value, rate=rate),
        difference=signed(found.value, rate=rate),
        interval="exact" if found.method == "exact" else span(found.low, found.high, rate=rate),
        p=p_value(test.p, test.log10_p) if test else fmt.MISSING,
        adjusted=p_value(row.p_adjusted),
        effect=effect(test),
        n=fmt.count(found.n),
        unscored=f"{fmt.count(gaps.pairs)} ({fmt.count(gaps.in_both)})" if gaps.pairs else "0",
        extremes=span(found.worst, found.best, rate=rate) if gaps.pairs else fmt.MISSING,
        reach=span(gaps.low, gaps.high, rate=rate) if gaps.pairs else fmt.MISSING,
    )
