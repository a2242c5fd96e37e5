"""A corrected number as it is shown, in the terminal and in a report alike."""

from ...format import count, estimate, number, signed
from ...judges.trust.correction import Corrected
from ...metrics.estimate import Estimate, Unit


def cells(row: Corrected) -> tuple[str, ...]:
    """Raw, corrected, the two intervals, rectifier, labels and verdicts of a row."""
    value, new = told(row.new, row.unit)
    these = "–" if row.these is None else told(row.these, row.unit)[1]
    labelled = count(row.labelled) if row.labelled else "–"
    added = rectifier(row)
    return (
        told(row.raw, row.unit)[0],
        value,
        these,
        new,
        added,
        labelled,
        count(row.judged),
    )


def rectifier(row: Corrected) -> str:
    """What the labels add: rates in percentage points, scores as they are.

    λ stands before it where the raw value was not taken whole.
    """
    if row.rectifier is None or row.tuning is None:
        return "–"
    shown = signed(row.rectifier, rate=row.unit == "rate")
    return shown if row.tuning == 1 else f"{shown} (λ {number(row.tuning)})"


def told(found: Estimate, unit: Unit) -> tuple[str, str]:
    """The value and its interval, in percent if it is a rate."""
    text = estimate(found, unit)
    return text.value, text.interval
