"""Estimates as they stand in tables: value, interval, counts, lowest and highest, and drawn."""

import math
from collections.abc import Iterable

from ..format import MISSING, estimate, scale_end
from ..messages import joined, known, message
from ..metrics.criterion import CRITERION
from ..metrics.definitions import definition_of
from ..metrics.estimate import Statistic
from ..metrics.intervals import RATE, Bounds
from .blocks import AnyCell, Cell, Column, Details, Facts, Row, Table, Text, Whisker
from .names import name_of

_COUNTED = (
    Column(message("value"), "number", tone="strong"),
    Column(message("interval"), "number"),
    Column("n", "number"),
    Column(message("unscored"), "number"),
)
_EXTREMES = Column(message("lowest – highest"), "number", tone="muted")

BROKEN_DOWN = (
    *("score", "rr1", "rr2", "hr", "agreement", "silver_agreement"),
    "mean_acceptability",
)
"""What a benchmark is about: the statistics that a page shows by group."""

# the steps in which people count: a tick at every 3 or 7 would be read wrongly
_STEPS = (1, 2, 2.5, 5, 10)
_MOST_STEPS = 5
_SLACK = 1e-9
"""The share of a step that is rounding and nothing else."""


def round_ends(values: Iterable[float | None]) -> Bounds:
    """The ends of an axis that shows all values, in steps in which people count.

    >>> round_ends([0.3, None, 3.7])
    (0.0, 4.0)
    """
    given = [v for v in values if v is not None and math.isfinite(v)]
    if not given:
        return RATE
    low, high = min(given), max(given)
    span = (high - low) or max(abs(high), 1.0)
    power = 10.0 ** math.floor(math.log10(span / _MOST_STEPS))
    # the slack keeps a value that is a tick, but for rounding, from a step beyond it
    step = next(s * power for s in _STEPS if s * power * _MOST_STEPS >= span * (1 - _SLACK))
    first, last = math.floor(low / step + _SLACK), math.ceil(high / step - _SLACK)
    return first * step, max(last, first + 1) * step


def bounds_of(statistic: Statistic) -> Bounds | None:
    """From where to where a statistic's values go; null where that is not known."""
    if statistic.unit != "score":
        return RATE if statistic.unit == "rate" else (-1.0, 1.0)
    definition = definition_of(statistic.name)
    return None if definition is None else definition.scale


def whisker(statistic: Statistic) -> Whisker | str:
    """The estimate drawn on its scale; empty where it has none."""
    bounds, e = bounds_of(statistic), statistic.estimate
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
    """What heads the row of a statistic: its name, its scale, and what it is."""
    definition = definition_of(statistic.name)
    scale = None if definition is None else definition.scale
    return Cell(
        label_of(statistic), note="" if scale is None else span(*scale), about=about(statistic)
    )


def about(statistic: Statistic) -> str:
    """What a statistic is, and which direction is better; empty for one of a user's rubric."""
    definition = definition_of(statistic.name)
    return "" if definition is None else definition.in_words


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


def level_of(statistic: Statistic) -> str:
    """The level of the interval; empty for what is exact, which holds at every level."""
    e = statistic.estimate
    return "" if e.method == "exact" else f"{e.level * 100:.6g} %"


def is_headline(name: str) -> bool:
    """Whether the first screen shows the statistic: its definition says so, or a criterion's level.

    >>> is_headline("rr1"), is_headline("criterion:tone"), is_headline("criterion:tone:3")
    (True, True, False)
    """
    if (definition := definition_of(name)) is not None:
        return definition.headline
    return name.startswith(CRITERION) and name.count(":") == 1


def is_broken_down(name: str) -> bool:
    """Whether the statistic is shown by group: what a benchmark is about, and no reference to it.

    >>> is_broken_down("rr1"), is_broken_down("chance")
    (True, False)
    """
    return name in BROKEN_DOWN or (name.startswith(CRITERION) and is_headline(name))


def headlines(statistics: Iterable[Statistic]) -> list[Statistic]:
    """The overall statistics that the first screen shows.

    Where none of a benchmark's is a headline, all of them are shown.
    """
    overall = [row for row in statistics if not row.group]
    return [row for row in overall if is_headline(row.name)] or overall


def shown(statistic: Statistic) -> tuple[str, str]:
    """The value and the interval as they stand everywhere in a report.

    >>> from normscope.metrics.estimate import Estimate
    >>> e = Estimate(-0.125, -0.25, 0.05, 9, 0, -0.125, -0.125, "these items", "Newcombe")
    >>> shown(Statistic("hr", "rate difference", e))
    ('−12.5 pp', '[−25.0, +5.00] pp')
    """
    text = estimate(statistic.estimate, statistic.unit)
    return text.value, text.interval


def has_gaps(statistics: Iterable[Statistic]) -> bool:
    """Whether anything is unscored: only then do the lowest and the highest case say something."""
    return any(row.estimate.unscored for row in statistics)


def counted_columns(*, gaps: bool) -> tuple[Column, ...]:
    """The columns of `counted`."""
    return (*_COUNTED, _EXTREMES) if gaps else _COUNTED


def counted(statistic: Statistic, *, gaps: bool, note: str = "") -> Row:
    """Value, interval, n, unscored and, where a table has `gaps`, lowest to highest case.

    The note belongs to the interval; pointing at it says how it was made.
    """
    text, method = estimate(statistic.estimate, statistic.unit), statistic.estimate.method
    interval = Cell(
        message("exact") if method == "exact" else text.interval, note=note, hint=known(method)
    )
    row = (text.value, interval, text.n, text.unscored)
    return (*row, text.extremes) if gaps else row


def counted_table(
    first: str,
    rows: Iterable[tuple[AnyCell, Statistic]],
    *,
    title: Text = "",
    note: str = "",
    look: str = "",
) -> Table:
    """Each statistic behind its label, in a column `first`."""
    labelled = tuple(rows)
    gaps = has_gaps(row for _, row in labelled)
    return Table(
        (Column(first), *counted_columns(gaps=gaps)),
        tuple((label, *counted(row, gaps=gaps)) for label, row in labelled),
        title=title,
        note=note,
        look=look,
    )


def stacked(statistic: Statistic | None) -> Cell:
    """A value over its interval, its n and what was unscored; a dash where there is none.

    Pointing at it says how the interval was made.
    """
    if statistic is None:
        return Cell(MISSING, tone="muted")
    text = estimate(statistic.estimate, statistic.unit)
    lines: list[str] = [] if text.interval == MISSING else [text.interval]
    lines.append(f"n {text.n}")
    if statistic.estimate.unscored:
        lines.append(message("{n} unscored", n=text.unscored))
        if text.extremes != MISSING:
            lines.append(joined((message("lowest – highest"), text.extremes), " "))
    hint = known(statistic.estimate.method)
    return Cell(text.value, note=joined(lines, " · "), hint=hint, tone="strong")
