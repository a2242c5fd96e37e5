"""How the judgements of a head are spread: values, classes, reasons for none, and coverage."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..format import count, number, percent
from ..reasons import Origin
from .axis import Axis, axis_over
from .heads import Reading, class_name, reading_of
from .verdicts import Verdict, group_by, origin_of
from .words import EN, Words

BINS = 20
HEIGHT = 90.0
"""The fullest bin of a histogram is drawn this high."""

_ORIGINS = (*(origin.value for origin in Origin), "unknown")


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of a histogram: from where to where, how many, and its place in the drawing."""

    label: str
    count: int
    at: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of equal width; the last bin is closed."""

    bins: tuple[Bin, ...]
    axis: Axis
    fullest: str


@dataclass(frozen=True, slots=True)
class Share:
    """One class's part of the rows, or the part of those that a respondent left without one."""

    label: str
    count: str
    share: str
    width: float
    absent: bool


@dataclass(frozen=True, slots=True)
class Absence:
    """How many judgements are absent for one reason, and whose doing that is."""

    origin: str
    reason: str
    count: str
    share: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the model's mass fell on the scale before it was renormalised."""

    n: str
    median: str
    low: str
    below: str | None
    threshold: str | None
    histogram: Histogram


@dataclass(frozen=True, slots=True)
class Distribution:
    """Everything that is shown of one head of one benchmark, as one source gives it."""

    benchmark: str
    head: str
    source: str
    rows: str
    with_value: str
    histogram: Histogram | None
    shares: tuple[Share, ...]
    absences: tuple[Absence, ...]
    coverage: Coverage | None


def distributions(
    verdicts: list[Verdict], words: Words = EN, *, threshold: float | None = None
) -> tuple[Distribution, ...]:
    """One distribution for each benchmark, head and source; `threshold` is the least coverage."""
    groups = group_by(verdicts, lambda v: (v.benchmark, v.head, v.source))
    return tuple(_distribution(rows, words, threshold) for rows in groups.values())


def histogram_of(
    values: Sequence[float], words: Words = EN, *, low: float, high: float
) -> Histogram:
    """The values counted in `BINS` bins of equal width from `low` to `high`."""
    low, high = min([low, *values]), max([high, *values])
    axis = axis_over([low, high])
    counts, edges = np.histogram(np.asarray(values, dtype=float), BINS, (axis.low, axis.high))
    fullest = max(int(counts.max()), 1)
    width = axis.width / BINS
    bins = tuple(
        Bin(
            label=words("{low} to {high}", low=number(edges[index]), high=number(edges[index + 1])),
            count=int(held),
            at=round(index * width, 1),
            width=round(width, 1),
            height=round(held / fullest * HEIGHT, 1),
        )
        for index, held in enumerate(counts)
    )
    return Histogram(bins=bins, axis=axis, fullest=count(int(counts.max())))


def _distribution(rows: list[Verdict], words: Words, threshold: float | None) -> Distribution:
    first = rows[0]
    values = [row.value for row in rows if row.value is not None]
    reading = reading_of(first.head, values)
    drawn = reading.range is not None and bool(values)
    low, high = reading.range or (0.0, 1.0)
    return Distribution(
        benchmark=first.benchmark,
        head=first.head,
        source=first.source,
        rows=count(len(rows)),
        with_value=count(len(values)),
        histogram=histogram_of(values, words, low=low, high=high) if drawn else None,
        shares=() if reading.range else _shares(rows, reading, words),
        absences=_absences(rows, words),
        coverage=_coverage(rows, words, threshold),
    )


def _shares(rows: list[Verdict], reading: Reading, words: Words) -> tuple[Share, ...]:
    """The classes' shares of the rows that have one or that the respondent left without one.

    A choice among options is one even where the source has no key to hold it against.
    """
    named: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    for row in rows:
        origin = None if row.value is not None else origin_of(row.reason)
        if origin == Origin.RESPONDENT:
            silent[str(row.reason)] += 1
        elif origin in {None, Origin.SOURCE}:
            name = class_name(reading, row.value, row.favourite)
            named.update([name] if name else [])
    n = named.total() + silent.total()
    if not n:
        return ()
    order = list((reading.classes or {}).values())
    order += sorted(name for name in named if name not in order)
    return (
        *(_share(words.name(name), named[name], n) for name in order),
        *(_share(words.name(name), silent[name], n, absent=True) for name in sorted(silent)),
    )


def _share(label: str, held: int, n: int, *, absent: bool = False) -> Share:
    return Share(
        label=label,
        count=count(held),
        share=percent(held / n),
        width=round(held / n * 200, 1),
        absent=absent,
    )


def _absences(rows: list[Verdict], words: Words) -> tuple[Absence, ...]:
    """The reasons by origin, in the order of `Origin`, the most frequent first."""
    reasons = Counter(row.reason for row in rows if row.value is None)
    ordered = sorted(reasons, key=lambda r: (_ORIGINS.index(origin_of(r)), -reasons[r], str(r)))
    return tuple(
        Absence(
            origin=words.name(origin_of(reason)),
            reason=words.name(reason or "no reason recorded"),
            count=count(reasons[reason]),
            share=percent(reasons[reason] / len(rows)),
        )
        for reason in ordered
    )


def _coverage(rows: list[Verdict], words: Words, threshold: float | None) -> Coverage | None:
    """The coverage of the rows that have one; null for text rules, which have none."""
    known = np.array([row.coverage for row in rows if row.coverage is not None])
    if not known.size:
        return None
    below = None if threshold is None else percent(float(np.mean(known < threshold)))
    return Coverage(
        n=count(known.size),
        median=percent(float(np.median(known))),
        low=percent(float(np.quantile(known, 0.05))),
        below=below,
        threshold=None if threshold is None else percent(threshold),
        histogram=histogram_of(known.tolist(), words, low=0.0, high=1.0),
    )
