"""How numbers are shown: three significant figures, the interval attached, n beside.

A rate is shown in percent, a difference of rates in percentage points, a score as it is; the three
are never mixed. Missing numbers are shown as an en dash.
"""

import math

MISSING = "–"


def number(value: float | None) -> str:
    """The value with three significant figures, without an exponent.

    >>> number(3.14159), number(0.0456), number(1234.5), number(100.0), number(None)
    ('3.14', '0.0456', '1234', '100', '–')
    """
    if value is None or not math.isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    shown = f"{value:.{digits}f}"
    # 9.996 rounds up to 10.00, which has a figure too many
    digits = max(0, 2 - math.floor(math.log10(abs(float(shown))))) if float(shown) else digits
    return f"{value:.{digits}f}"


def percent(rate: float | None) -> str:
    """A rate in [0, 1] in percent, three significant figures.

    >>> percent(0.5), percent(1.0), percent(0.01683)
    ('50.0 %', '100 %', '1.68 %')
    """
    return MISSING if rate is None or not math.isfinite(rate) else f"{number(rate * 100)} %"


def interval(low: float | None, high: float | None, *, rate: bool = False) -> str:
    """A closed interval in brackets, in percent if it is one of rates.

    >>> interval(0.25, 0.75, rate=True), interval(1, 5)
    ('[25.0, 75.0] %', '[1.00, 5.00]')
    """
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return MISSING
    scale = 100 if rate else 1
    return f"[{number(low * scale)}, {number(high * scale)}]" + (" %" if rate else "")


def count(value: int) -> str:
    """A count with thin groups of thousands.

    >>> count(25000)
    '25,000'
    """
    return f"{value:,}"
