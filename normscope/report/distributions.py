"""How the judgements of a criterion are spread: values, classes, reasons for none, and coverage."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..categorical import combined, first_rows
from ..format import count, number, percent
from ..reasons import Origin
from ..records.judgements import Floats, Judgements
from .axis import Axis, axis_over
from .criteria import Reading, class_name, reading_of
from .verdicts import absent, origin_of, verdict
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
    """Everything that is shown of one criterion of one benchmark, as one source gives it."""

    benchmark: str
    criterion: str
    source: str
    rows: str
    with_value: str
    histogram: Histogram | None
    shares: tuple[Share, ...]
    absences: tuple[Absence, ...]
    coverage: Coverage | None


def distributions(
    verdicts: Judgements, words: Words = EN, *, threshold: float | None = None
) -> tuple[Distribution, ...]:
    """One distribution for each benchmark, criterion and source; `threshold` is of coverage."""
    groups = verdicts.by("benchmark", "criterion", "source")
    return tuple(_distribution(place, rows, words, threshold) for place, rows in groups)


def histogram_of(
    values: Sequence[float] | Floats, words: Words = EN, *, low: float, high: float
) -> Histogram:
    """The values counted in `BINS` bins of equal width from `low` to `high`."""
    held = np.asarray(values, dtype=float)
    low, high = float(held.min(initial=low)), float(held.max(initial=high))
    axis = axis_over([low, high])
    counts, edges = np.histogram(held, BINS, (axis.low, axis.high))
    fullest = max(int(counts.max()), 1)
    width = axis.width / BINS
    bins = tuple(
        Bin(
            label=words("{low} to {high}", low=number(edges[index]), high=number(edges[index + 1])),
            count=int(n),
            at=round(index * width, 1),
            width=round(width, 1),
            height=round(n / fullest * HEIGHT, 1),
        )
        for index, n in enumerate(counts)
    )
    return Histogram(bins=bins, axis=axis, fullest=count(int(counts.max())))


def _distribution(
    place: tuple[str, ...], rows: Judgements, words: Words, threshold: float | None
) -> Distribution:
    benchmark, criterion, source = place
    values = rows.value[~absent(rows)]
    reading = reading_of(criterion, values)
    drawn = reading.range is not None and len(values) > 0
    low, high = reading.range or (0.0, 1.0)
    return Distribution(
        benchmark=benchmark,
        criterion=criterion,
        source=source,
        rows=count(len(rows)),
        with_value=count(len(values)),
        histogram=histogram_of(values, words, low=low, high=high) if drawn else None,
        shares=() if reading.range else _shares(rows, reading, words),
        absences=_absences(rows, words),
        coverage=_coverage(rows, words, threshold),
    )


def _shares(rows: Judgements, reading: Reading, words: Words) -> tuple[Share, ...]:
    """The classes' shares of the rows that have one or that the respondent left without one.

    A choice among options is one even where the source has no key to hold it against.
    """
    silent = rows.reason[absent(rows, Origin.RESPONDENT)].counts()
    named = _classes(rows[~absent(rows) | absent(rows, Origin.SOURCE)], reading)
    n = named.total() + silent.total()
    if not n:
        return ()
    order = list((reading.classes or {}).values())
    order += sorted(name for name in named if name not in order)
    return (
        *(_share(words.name(name), named[name], n) for name in order),
        *(
            _share(words.name(name), held, n, absent=True)
            for name, held in sorted((str(reason), held) for reason, held in silent.items())
        ),
    )


def _classes(rows: Judgements, reading: Reading) -> Counter[str]:
    """How many rows are of each class."""
    held: Counter[str] = Counter()
    codes = combined(rows.value, rows.favourite)
    for row, n in zip(first_rows(codes).tolist(), np.bincount(codes).tolist(), strict=True):
        one = verdict(rows, row)
        if name := class_name(reading, one.value, one.favourite):
            held[name] += n
    return held


def _share(label: str, held: int, n: int, *, absent: bool = False) -> Share:
    return Share(
        label=label,
        count=count(held),
        share=percent(held / n),
        width=round(held / n * 200, 1),
        absent=absent,
    )


def _absences(rows: Judgements, words: Words) -> tuple[Absence, ...]:
    """The reasons by origin, in the order of `Origin`, the most frequent first."""
    reasons = rows.reason[absent(rows)].counts()
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


def _coverage(rows: Judgements, words: Words, threshold: float | None) -> Coverage | None:
    """The coverage of the rows that have one; null for text rules, which have none."""
    known = rows.coverage[~np.isnan(rows.coverage)]
    if not known.size:
        return None
    below = None if threshold is None else percent(float(np.mean(known < threshold)))
    return Coverage(
        n=count(known.size),
        median=percent(float(np.median(known))),
        low=percent(float(np.quantile(known, 0.05))),
        below=below,
        threshold=None if threshold is None else percent(threshold),
        histogram=histogram_of(known, words, low=0.0, high=1.0),
    )
