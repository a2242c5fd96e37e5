"""Estimates as they stand in tables: value, interval, counts, extremes, and drawn on an axis."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..format import MISSING, estimate, scale_end
from ..messages import joined, known, message
from ..metrics.criterion import CRITERION
from ..metrics.definitions import definition_of
from ..metrics.estimate import Statistic
from .blocks import AnyCell, Cell, Column, Details, Facts, Row, Table, Text, Whisker
from .names import name_of

_COUNTED = (
    Column(message("value"), "number", tone="strong"),
    Column(message("interval"), "number"),
    Column("n", "number"),
    Column(message("unscored"), "number"),
)
_EXTREMES = Column(message("lowest – highest"), "number", tone="muted")

# the steps in which people count: a tick at every 3 or 7 would be read wrongly
_STEPS = (1, 2, 2.5, 5, 10)
_MOST_INTERVALS = 5
_SLACK = 1e-9
"""The share of a step, or of an axis, that is rounding and nothing else."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The values from `low` to `high`, with a tick at every step or at either end.

    Labels of ticks are the values times `factor`.
    """

    low: float
    high: float
    step: float = 0.0
    factor: float = 1.0

    def share(self, value: float | None) -> float | None:
        """The value's place as a share of the axis, held to its ends; null for null.

        >>> Axis(0, 4).share(1), Axis(0, 4).share(9), Axis(0, 4).share(None)
        (0.25, 1.0, None)
        """
        if value is None or not math.isfinite(value):
            return None
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def ticks(self, unit: str = "") -> tuple[tuple[float, str], ...]:
        """The place and the label of each tick; the last has the unit.

        >>> Axis(0, 1, step=0.5, factor=100).ticks(" %")
        ((0.0, '0'), (0.5, '50'), (1.0, '100 %'))
        >>> Axis(-1, 1, step=1).ticks()
        ((0.0, '−1'), (0.5, '0'), (1.0, '1'))
        """
        span = self.high - self.low
        n = round(span / (self.step or span))
        values = [self.low + span * at / n for at in range(n + 1)]
        # a zero that rounding missed would be written with its exponent
        exact = [value if abs(value) > span * _SLACK else 0.0 for value in values]
        labels = [scale_end(value * self.factor) for value in exact]
        return tuple((at / n, label + unit * (at == n)) for at, label in enumerate(labels))

    def whisker(self, statistic: Statistic) -> Whisker:
        """The estimate drawn on the axis."""
        e = statistic.estimate
        share = self.share
        return Whisker(
            share(e.value), share(e.low), share(e.high), share(e.lowest), share(e.highest)
        )


def axis_over(values: Iterable[float | None], *, factor: float = 1.0) -> Axis:
    """The axis that shows all values, with round ends.

    >>> axis_over([0.3, None, 3.7])
    Axis(low=0.0, high=4.0, step=1.0, factor=1.0)
    """
    known = [v for v in values if v is not None and math.isfinite(v)]
    if not known:
        return Axis(0.0, 1.0, factor=factor)
    low, high = min(known), max(known)
    span = (high - low) or max(abs(high), 1.0)
    power = 10.0 ** math.floor(math.log10(span / _MOST_INTERVALS))
    # the slack keeps a value that is a tick, but for rounding, from a step beyond it
    step = next(s * power for s in _STEPS if s * power * _MOST_INTERVALS >= span * (1 - _SLACK))
    first, last = math.floor(low / step + _SLACK), math.ceil(high / step - _SLACK)
    return Axis(first * step, max(last, first + 1) * step, step, factor)


def axis_of(statistics: Sequence[Statistic]) -> Axis:
    """The axis on which all of the statistics stand, which are of one unit."""
    unit = statistics[0].unit
    if unit == "rate":
        return Axis(0.0, 1.0, step=0.25, factor=100.0)
    ends = [
        end
        for e in (row.estimate for row in statistics)
        for end in (e.value, e.low, e.high, e.lowest, e.highest)
    ]
    # a difference is read by which side of zero it is on
    return axis_over([0.0, *ends], factor=100.0) if unit == "rate difference" else axis_over(ends)


def label_of(statistic: Statistic) -> str:
    """What an overall statistic is called, and what it is of where that is not everything."""
    name = name_of(statistic.name)
    if not statistic.member:
        return name
    return message("{name} ({of})", name=name, of=name_of(statistic.member))


def scale_of(statistic: Statistic) -> str:
    """From where to where its values go; empty for what is no score of a criterion."""
    definition = definition_of(statistic.name)
    return "" if definition is None or definition.scale is None else span(*definition.scale)


def named(statistic: Statistic) -> Cell:
    """What heads the row of a statistic: its name, and under it what it is."""
    return Cell(label_of(statistic), note=scale_of(statistic), about=about(statistic))


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


def headlines(statistics: Iterable[Statistic]) -> tuple[list[Statistic], list[Statistic]]:
    """The overall statistics that the first screen shows, and the others.

    Where none of a benchmark's is a headline, all of them are shown.
    """
    overall = [row for row in statistics if not row.group]
    first = [row for row in overall if is_headline(row.name)] or overall
    return first, [row for row in overall if row not in first]


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


def counted(statistic: Statistic, *, gaps: bool, note: str = "", hint: str = "") -> Row:
    """Value, interval, n, unscored and, where a table has `gaps`, lowest to highest case.

    Note and hint belong to the interval.
    """
    text = estimate(statistic.estimate, statistic.unit)
    row = (text.value, Cell(text.interval, note=note, hint=hint), text.n, text.unscored)
    return (*row, text.extremes) if gaps else row


def counted_table(
    first: str,
    rows: Iterable[tuple[AnyCell, Statistic]],
    *,
    title: Text = "",
    note: str = "",
    look: str = "",
) -> Table:
    """Each statistic behind its label, in a column `first`; pointing at an interval says how."""
    labelled = tuple(rows)
    gaps = has_gaps(row for _, row in labelled)
    return Table(
        (Column(first), *counted_columns(gaps=gaps)),
        tuple(
            (label, *counted(row, gaps=gaps, hint=known(row.estimate.method)))
            for label, row in labelled
        ),
        title=title,
        note=note,
        look=look,
    )


def stacked(statistic: Statistic | None, *, counts: bool = True) -> Cell:
    """A value over its interval, its n and what was unscored; a dash where there is none.

    Without `counts` they stand in columns of their own. Pointing at it says how the interval was
    made.
    """
    if statistic is None:
        return Cell(MISSING, tone="muted")
    text = estimate(statistic.estimate, statistic.unit)
    lines: list[str] = [] if text.interval == MISSING else [text.interval]
    if counts:
        lines.append(f"n {text.n}")
    if statistic.estimate.unscored:
        if counts:
            lines.append(message("{n} unscored", n=text.unscored))
        if text.extremes != MISSING:
            lines.append(joined((message("lowest – highest"), text.extremes), " "))
    hint = known(statistic.estimate.method)
    return Cell(text.value, note=joined(lines, " · "), hint=hint, tone="strong")
