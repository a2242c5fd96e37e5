"""How the parts of a difference are shown: rates in points, scores as they are, small p-values."""

import math

from .. import format as fmt
from ..metrics.significance import Test
from .result import Difference

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


def counts(row: Difference) -> str:
    """How many pairs, and how many more are unscored in either run."""
    more = row.estimate.unscored
    return fmt.count(row.estimate.n) + (f" (+{fmt.count(more)})" if more else "")


def cells(row: Difference) -> tuple[str, ...]:
    """The row's values, difference, interval, p, corrected p, effect, counts and bounds."""
    rate, found = row.unit == "rate", row.estimate
    test = row.test
    exact = found.method == "exact" and not found.unscored
    return (
        level(row.first_value, rate=rate),
        level(row.second_value, rate=rate),
        signed(found.value, rate=rate),
        "exact" if exact else span(found.low, found.high, rate=rate),
        p_value(test.p, test.log10_p) if test else fmt.MISSING,
        p_value(row.p_adjusted),
        effect(test),
        counts(row),
        span(found.worst, found.best, rate=rate) if found.unscored else fmt.MISSING,
    )
