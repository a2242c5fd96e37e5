"""How numbers are shown: three significant figures, the interval attached, n beside.

A rate is shown in percent, a difference of rates in percentage points, a score as it is; the three
are never mixed. A negative number has a real minus (−), which no Markdown takes for a bullet and no
spreadsheet for a formula. Missing numbers are shown as an en dash.
"""

import math
from typing import Any, Literal, NamedTuple

from .messages import Text, message

MISSING = "–"

_LONG = 16
"""Hexadecimal digits beyond which a text is a hash: dates and years are shorter."""

SMALLEST_P = 0.001
"""Below it a p-value is shown as a bound: its exact size says nothing that a reader could use."""


class EstimateText(NamedTuple):
    """An estimate as it stands in a table: `extremes` are its lowest and highest case.

    Of what is exact the interval says that all were asked; where nothing is left open there are no
    extremes.
    """

    value: str
    interval: Text
    n: str
    unscored: str
    extremes: str


def shortened(text: str) -> str:
    """The text, of a hash its beginning.

    >>> shortened("0d3ab36287d04377d6f102b5046473a4cbdcf8ae"), shortened("float32")
    ('0d3ab36287d0…', 'float32')
    """
    is_hash = len(text) > _LONG and all(character in "0123456789abcdef" for character in text)
    return f"{text[:12]}…" if is_hash else text


def number(value: float | None) -> str:
    """The value with three significant figures, without an exponent.

    >>> number(3.14159), number(0.0456), number(1234.5), number(-100.0), number(None)
    ('3.14', '0.0456', '1234', '−100', '–')
    """
    if value is None or not math.isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    rounded = float(f"{value:.{digits}f}")
    # 9.996 rounds up to 10.00, which has a figure too many
    digits = max(0, 2 - math.floor(math.log10(abs(rounded)))) if rounded else digits
    return f"{value:.{digits}f}".replace("-", "−")


def scale_end(value: float) -> str:
    """The end of a scale, which is exact and not rounded.

    >>> scale_end(-2.0), scale_end(0.5)
    ('−2', '0.5')
    """
    return f"{value:.6g}".replace("-", "−")


def percent(rate: float | None) -> str:
    """A rate in [0, 1] in percent, three significant figures.

    >>> percent(0.5), percent(1.0), percent(0.01683)
    ('50.0 %', '100 %', '1.68 %')
    """
    return MISSING if rate is None or not math.isfinite(rate) else f"{number(rate * 100)} %"


def whole_percent(rate: float | None) -> str:
    """A rate in [0, 1] in whole percent, as a sentence has it; no share is rounded to none or all.

    >>> whole_percent(0.832), whole_percent(0.0048), whole_percent(0.999), whole_percent(1.0)
    ('83 %', '< 1 %', '> 99 %', '100 %')
    """
    if rate is None or not math.isfinite(rate):
        return MISSING
    bound = "< 1" if 0 < rate < 0.005 else "> 99" if 0.995 < rate < 1 else ""  # noqa: PLR2004
    return f"{bound or round(100 * rate)} %"


def signed(value: float | None, *, rate: bool = False) -> str:
    """A difference or a bias with its sign, that of rates in percentage points.

    >>> signed(0.125, rate=True), signed(-0.5), signed(0)
    ('+12.5 pp', '−0.500', '0')
    """
    if value is None or not math.isfinite(value):
        return MISSING
    sign = "+" if value > 0 else ""
    return f"{sign}{number(value * 100)} pp" if rate else f"{sign}{number(value)}"


def interval(
    low: float | None, high: float | None, *, rate: bool = False, signs: bool = False
) -> str:
    """A closed interval in brackets: of rates in percent, of their differences in points.

    >>> interval(0.25, 0.75, rate=True), interval(1, 5)
    ('[25.0, 75.0] %', '[1.00, 5.00]')
    >>> interval(-0.05, 0.125, rate=True, signs=True)
    '[−5.00, +12.5] pp'
    """
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return MISSING
    scale = 100 if rate else 1
    ends = (signed(end * scale) if signs else number(end * scale) for end in (low, high))
    return f"[{', '.join(ends)}]" + ((" pp" if signs else " %") if rate else "")


def estimate(
    shown: Any,
    unit: Literal["rate", "rate difference", "score"] = "score",
    *,
    signs: bool = False,
) -> EstimateText:
    """A `metrics.estimate.Estimate` in the form of its unit; a difference of rates has its sign.

    >>> from normscope.metrics.rates import mean
    >>> tuple(estimate(mean([1, 2, 3, None], bounds=(1, 5)), signs=True))
    ('+2.00', '[+1.00, +4.48]', '3', '1', '[+1.75, +2.75]')
    """
    rate, signs = unit != "score", signs or unit == "rate difference"

    def of(value: float | None) -> str:
        return signed(value, rate=rate) if signs else percent(value) if rate else number(value)

    return EstimateText(
        value=of(shown.value),
        interval=message("all asked")
        if shown.is_exact
        else interval(shown.low, shown.high, rate=rate, signs=signs),
        n=count(shown.n),
        unscored=count(shown.unscored),
        extremes=MISSING
        if shown.lowest == shown.highest
        else interval(shown.lowest, shown.highest, rate=rate, signs=signs),
    )


def p_value(p: float | None) -> str:
    """The p-value as it stands in a table.

    >>> p_value(0.0304), p_value(1e-9), p_value(None)
    ('0.0304', '< 0.001', '–')
    """
    if p is None or math.isnan(p):
        return MISSING
    return f"< {SMALLEST_P:g}" if p < SMALLEST_P else number(p)


def count(value: int) -> str:
    """A count with thin groups of thousands.

    >>> count(25000)
    '25,000'
    """
    return f"{value:,}"
