"""Estimates as they stand in tables: value, interval, counts, lowest and highest, and drawn."""

import math
from collections.abc import Callable, Iterable
from functools import partial

from ..format import MISSING, count, estimate, number, percent, scale_end, signed
from ..messages import joined, known, message
from ..metrics.definitions import definition_of
from ..metrics.estimate import Estimate, Statistic, Unit
from ..metrics.intervals import RATE, Bounds
from .blocks import (
    AnyCell,
    Cell,
    Code,
    Column,
    Details,
    Facts,
    Paragraph,
    Table,
    Text,
    Whisker,
)
from .names import name_of

LEVELS: dict[Unit, Callable[[float | None], str]] = {
    "rate": percent,
    "rate difference": partial(signed, rate=True),
    "score": number,
}
"""How the value of a single run is shown."""


def _bounds_of(statistic: Statistic) -> Bounds | None:
    """From where to where a statistic's values go; null where that is not known."""
    if statistic.unit != "score":
        return RATE if statistic.unit == "rate" else (-1.0, 1.0)
    definition = definition_of(statistic.name)
    return None if definition is None else definition.scale


def whisker(statistic: Statistic, bounds: Bounds | None = None) -> Whisker | str:
    """The estimate drawn on its scale, or from bound to bound; empty where it has none."""
    bounds, e = bounds or _bounds_of(statistic), statistic.estimate
    if bounds is None:
        return ""
    low, high = bounds

    def place(value: float | None) -> float | None:
        if value is None or not math.isfinite(value):
            return None
        return min(max((value - low) / (high - low), 0.0), 1.0)

    return Whisker(place(e.value), place(e.low), place(e.high), place(e.lowest), place(e.highest))


def label_of(statistic: Statistic) -> str:
    """What an overall statistic is called, and what it is of where that is not everything."""
    name = name_of(statistic.name)
    if not statistic.member:
        return name
    return message("{name} ({of})", name=name, of=name_of(statistic.member))


def named(statistic: Statistic) -> Cell:
    """What heads the row of a statistic: its name, its scale, and what it is.

    Of a statistic of a user's rubric neither scale nor meaning is known.
    """
    definition = definition_of(statistic.name)
    scale = None if definition is None else definition.scale
    return Cell(
        label_of(statistic),
        note="" if scale is None else span(*scale),
        about="" if definition is None else definition.in_words,
    )


def legend(names: Iterable[str]) -> Details:
    """What each of these statistics is, folded away; those of a user's rubric are left out."""
    rows = ((name_of(name), definition_of(name)) for name in dict.fromkeys(names))
    return Details(
        message("What these statistics are"),
        (Facts(tuple((name, each.in_words) for name, each in rows if each)),),
        printed=True,
    )


def span(low: float, high: float) -> str:
    """The ends of a scale in words.

    >>> span(-2, 2)
    'from −2 to 2'
    """
    return message("from {low} to {high}", low=scale_end(low), high=scale_end(high))


def explained(doc: str) -> Paragraph:
    """Where the documentation says how these numbers are made and read."""
    return Paragraph((message("How these numbers are made: "), Code(doc)), note=True)


FEWEST = 10
"""From so many of a group on it has a row in a page."""


def is_small(e: Estimate, fewest: int = FEWEST) -> bool:
    """Whether so few of a group are scored that a row says too little; wordings are always few."""
    return e.n < fewest and e.target != "new prompt variants"


def has_gaps(statistics: Iterable[Statistic]) -> bool:
    """Whether anything is unscored: only then do the lowest and the highest case say something."""
    return any(row.estimate.unscored for row in statistics)


def estimate_columns(
    e: Estimate,
    unit: Unit = "score",
    *,
    value: str = "",
    interval: str = "",
    signs: bool = False,
    gaps: bool = False,
) -> dict[Text | Column, AnyCell]:
    """Value, interval, n, unscored and, where a table has `gaps`, lowest to highest case.

    They are a record's columns; `value` and `interval` are what the first two are called. Pointing
    at the interval says how it was made.
    """
    text = estimate(e, unit, signs=signs)
    columns: dict[Text | Column, AnyCell] = {
        Column(value or message("value"), "number", tone="strong"): text.value,
        Column(interval or message("95 % interval"), "number"): Cell(
            text.interval, hint=known(e.method)
        ),
        Column("n", "number"): text.n,
        Column(message("unscored"), "number"): text.unscored,
    }
    if gaps:
        columns[Column(message("lowest – highest"), "number", tone="muted")] = text.extremes
    return columns


def labelled_table(
    first: str, rows: Iterable[tuple[AnyCell, Statistic]], *, look: str = ""
) -> Table:
    """Each statistic behind its label, in a column `first`."""
    labelled = tuple(rows)
    gaps = has_gaps(row for _, row in labelled)
    records = (
        {first: label, **estimate_columns(row.estimate, row.unit, gaps=gaps)}
        for label, row in labelled
    )
    return Table.of(records, look=look)


def valued(statistic: Statistic, *, signs: bool = False) -> Cell:
    """A value over its interval; pointing at it says how the interval was made."""
    text = estimate(statistic.estimate, statistic.unit, signs=signs)
    note = "" if text.interval == MISSING else text.interval
    return Cell(text.value, note=note, hint=known(statistic.estimate.method), tone="strong")


DRAWN = message(
    "On the statistic's scale. Dot: value. Line: interval. Light bar: lowest to highest case over "
    "unscored items."
)


def drawn_columns(
    title: str, statistic: Statistic, bounds: Bounds | None = None, *, signs: bool = False
) -> dict[Text | Column, AnyCell]:
    """The value over its interval under the title, these drawn on the statistic's scale, and n."""
    return {
        Column(title, "number", tone="strong"): valued(statistic, signs=signs),
        Column(DRAWN, "drawing"): whisker(statistic, bounds),
        Column("n", "number"): count(statistic.estimate.n),
    }


def left_open(statistic: Statistic, *, signs: bool = False) -> str:
    """How many are unscored, and from where to where they leave the value open; empty for none."""
    text = estimate(statistic.estimate, statistic.unit, signs=signs)
    if not statistic.estimate.unscored:
        return ""
    unscored = message("{n} unscored", n=text.unscored)
    if text.extremes == MISSING:
        return unscored
    return joined((unscored, joined((message("lowest – highest"), text.extremes), " ")))
