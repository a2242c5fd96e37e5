"""The tables of scores: each estimate with its interval, its counts and its drawing."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..format import count, interval, number, percent
from ..metrics.cfsafety import MORAL, RATING, SCORE
from ..metrics.estimate import Estimate, Statistic
from ..metrics.norms import ACCEPTABILITY
from .axis import Axis, axis_over
from .data import BenchmarkScores
from .verdicts import group_by

_TITLES = {"rr1": "RR-1", "rr2": "RR-2", "hr": "HR"}
_SCALES = {
    "score": SCORE,
    "moral": MORAL,
    "rating": RATING,
    "mean_acceptability": ACCEPTABILITY,
}


@dataclass(frozen=True, slots=True)
class Whisker:
    """Where an estimate's parts stand on the axis; null where there is none."""

    dot: float | None
    low: float | None
    high: float | None
    worst: float | None
    best: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """One estimate as it is shown."""

    label: str
    scale: str
    value: str
    interval: str
    level: str
    target: str
    method: str
    n: str
    unscored: str
    bounds: str
    whisker: Whisker


@dataclass(frozen=True, slots=True)
class Table:
    """One statistic over the members of one group, all on one axis."""

    title: str
    unit: str
    axis: Axis
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The statistics of a benchmark by one group: a table each."""

    group: str
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class ScoreSection:
    """One benchmark: its overall estimates and its breakdowns."""

    benchmark: str
    overall: tuple[Line, ...]
    breakdowns: tuple[Breakdown, ...]


def score_section(scores: BenchmarkScores) -> ScoreSection:
    """The benchmark's statistics, sorted into what is overall and what is by a group."""
    groups = group_by(scores.statistics, lambda statistic: statistic.group)
    overall = groups.pop("", [])
    return ScoreSection(
        benchmark=scores.benchmark,
        overall=tuple(_line(title_of(s.name), s, _axis([s])) for s in overall),
        breakdowns=tuple(_breakdown(group, rows) for group, rows in groups.items()),
    )


def title_of(name: str) -> str:
    """A slug as people read it.

    >>> title_of("rr1"), title_of("mean_score")
    ('RR-1', 'mean score')
    """
    return _TITLES.get(name, name.replace("_", " "))


def _breakdown(group: str, rows: list[Statistic]) -> Breakdown:
    tables = group_by(rows, lambda statistic: statistic.name)
    return Breakdown(
        group=title_of(group), tables=tuple(_table(name, s) for name, s in tables.items())
    )


def _table(name: str, rows: list[Statistic]) -> Table:
    axis = _axis(rows)
    lines = tuple(_line(title_of(row.member) or "not given", row, axis) for row in rows)
    return Table(title=title_of(name), unit=rows[0].unit, axis=axis, lines=lines)


def _axis(rows: Sequence[Statistic]) -> Axis:
    parts = [
        part
        for e in (row.estimate for row in rows)
        for part in (e.value, e.low, e.high, e.worst, e.best)
    ]
    return axis_over(parts, rate=rows[0].unit == "rate")


def _line(label: str, statistic: Statistic, axis: Axis) -> Line:
    e, rate = statistic.estimate, statistic.unit == "rate"
    scale = _SCALES.get(statistic.name)
    return Line(
        label=label,
        scale="" if scale is None else f"from {scale[0]:g} to {scale[1]:g}",
        value=percent(e.value) if rate else number(e.value),
        interval=interval(e.low, e.high, rate=rate),
        # what is exact holds at every level
        level="" if e.method == "exact" else f"{e.level * 100:.6g} %",
        target=e.target,
        method=e.method,
        n=count(e.n),
        unscored=count(e.unscored),
        bounds=interval(e.worst, e.best, rate=rate),
        whisker=_whisker(e, axis),
    )


def _whisker(e: Estimate, axis: Axis) -> Whisker:
    return Whisker(
        dot=axis.at(e.value),
        low=axis.at(e.low),
        high=axis.at(e.high),
        worst=axis.at(e.worst),
        best=axis.at(e.best),
    )
