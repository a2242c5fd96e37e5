"""The tables of scores: each estimate with its interval, its counts and its drawing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..categorical import group_by
from ..format import count, estimate
from ..metrics.cfsafety import MORAL, RATING, SCORE
from ..metrics.estimate import Estimate, Statistic
from ..metrics.norms import ACCEPTABILITY
from .axis import Axis, axis_over
from .data import BenchmarkScores
from .words import EN, Words

HEADLINES = (
    "score",
    "moral_share",
    "rr1",
    "rr2",
    "hr",
    "agreement",
    "silver_agreement",
    "answered",
    "chance",
    "best_constant",
    "silver_best_constant",
    "order_flips",
    "simple_majority",
    "no_answer",
    "accept_share",
    "reject_share",
    "mean_acceptability",
    "flip_rate",
    "channel_disagreement",
)
"""What the first screen shows of a benchmark; the rest is folded below."""

ASIDE = (
    *("min_coverage", "channel", "temperature", "label"),
    *("reason", "reason in labels", "reason in text"),
)
"""Groups that are no breakdown of the items: they have tables of their own."""

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

    name: str
    member: str
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
    """One statistic over the members of one group, all on one axis; a `headline` is shown first."""

    headline: bool
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
    """One benchmark: its overall estimates, those of the first screen first, and its breakdowns."""

    benchmark: str
    headlines: tuple[Line, ...]
    more: tuple[Line, ...]
    breakdowns: tuple[Breakdown, ...]

    @property
    def overall(self) -> tuple[Line, ...]:
        """Every overall estimate."""
        return self.headlines + self.more


def score_section(scores: BenchmarkScores, words: Words = EN) -> ScoreSection:
    """The benchmark's statistics, sorted into what is overall and what is by a group."""
    groups = group_by(scores.statistics, lambda statistic: statistic.group)
    overall = [
        line_of(_overall_name(s.name, s.member, words), s, words=words) for s in groups.pop("", [])
    ]
    first = [line for line in overall if line.name in HEADLINES] or overall
    return ScoreSection(
        benchmark=scores.benchmark,
        headlines=tuple(first),
        more=tuple(line for line in overall if line not in first),
        breakdowns=tuple(
            _breakdown(group, rows, words) for group, rows in groups.items() if group not in ASIDE
        ),
    )


def _overall_name(statistic: str, member: str, words: Words) -> str:
    """What an overall statistic is called, and what it is of where that is not everything.

    >>> _overall_name("score", "open", EN), _overall_name("chance", "", EN)
    ('score (open)', 'chance')
    """
    name = words.name(statistic)
    return words("{name} ({of})", name=name, of=words.name(member)) if member else name


def line_of(label: str, statistic: Statistic, axis: Axis | None = None, words: Words = EN) -> Line:
    """The statistic as it is shown, drawn on an axis of its own if none is given."""
    e, unit = statistic.estimate, statistic.unit
    scale = _SCALES.get(statistic.name)
    value, between = shown(statistic)
    return Line(
        name=statistic.name,
        member=statistic.member,
        label=label,
        scale="" if scale is None else words("from {low} to {high}", low=scale[0], high=scale[1]),
        value=value,
        interval=between,
        # what is exact holds at every level
        level="" if e.method == "exact" else f"{e.level * 100:.6g} %",
        target=words.name(e.target),
        method=words.told(e.method),
        n=count(e.n),
        unscored=count(e.unscored),
        bounds=estimate(e, unit).extremes,
        whisker=_whisker(e, axis or axis_of([statistic])),
    )


def shown(statistic: Statistic) -> tuple[str, str]:
    """The value and the interval as they stand everywhere in a report.

    >>> found = Estimate(-0.125, -0.25, 0.05, 9, 0, -0.125, -0.125, "these items", "Newcombe")
    >>> shown(Statistic("hr", "rate difference", found))
    ('−12.5 pp', '[−25.0, +5.00] pp')
    """
    text = estimate(statistic.estimate, statistic.unit)
    return text.value, text.interval


def axis_of(rows: Sequence[Statistic]) -> Axis:
    """The axis on which all of the statistics stand; they are of one unit."""
    parts = [
        part
        for e in (row.estimate for row in rows)
        for part in (e.value, e.low, e.high, e.worst, e.best)
    ]
    if rows[0].unit == "rate difference":
        return replace(axis_over([0.0, *parts]), factor=100.0)
    return axis_over(parts, rate=rows[0].unit == "rate")


def title_of(name: str) -> str:
    """A slug as people read it in English.

    >>> title_of("rr1"), title_of("mean_score")
    ('RR-1', 'mean score')
    """
    return EN.name(name)


def _breakdown(group: str, rows: list[Statistic], words: Words) -> Breakdown:
    tables = group_by(rows, lambda statistic: statistic.name)
    made = [(name in HEADLINES, name, found) for name, found in tables.items()]
    some = any(first for first, _, _ in made)
    return Breakdown(
        group=words.name(group),
        tables=tuple(_table(name, found, words, first or not some) for first, name, found in made),
    )


def _table(name: str, rows: list[Statistic], words: Words, headline: bool) -> Table:
    axis = axis_of(rows)
    return Table(
        headline=headline,
        title=words.name(name),
        unit=rows[0].unit,
        axis=axis,
        lines=tuple(
            line_of(words.name(row.member) or words("not given"), row, axis, words) for row in rows
        ),
    )


def _whisker(e: Estimate, axis: Axis) -> Whisker:
    return Whisker(
        dot=axis.at(e.value),
        low=axis.at(e.low),
        high=axis.at(e.high),
        worst=axis.at(e.worst),
        best=axis.at(e.best),
    )
