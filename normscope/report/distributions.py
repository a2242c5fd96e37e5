"""How the judgements of a criterion are spread: values, classes, reasons for none, and coverage."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..categorical import combined, first_rows
from ..format import count, percent
from ..messages import joined, message
from ..reasons import Origin
from ..records.judgements import Floats, Judgements
from .axis import axis_over
from .blocks import (
    Bar,
    Beside,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Paragraph,
    Section,
    Table,
    columns,
)
from .charts import Histogram
from .criteria import Reading, class_name, reading_of
from .ridge import RidgePlot, Stack
from .verdicts import absent, origin_of, verdict
from .words import EN, Words

_ORIGINS = (*(origin.value for origin in Origin), "unknown")


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
    values: Sequence[float] | Floats, xlabel: str = "", *, low: float, high: float
) -> Histogram:
    """The values from `low` to `high`, or as far as they reach beyond; the axis has round ends."""
    held = np.asarray(values, dtype=float)
    axis = axis_over([float(held.min(initial=low)), float(held.max(initial=high))])
    return Histogram(values=held, limits=(axis.low, axis.high), xlabel=xlabel)


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
        histogram=histogram_of(values, words.name(criterion), low=low, high=high)
        if drawn
        else None,
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
        histogram=histogram_of(known, words("coverage"), low=0.0, high=1.0),
    )


def distribution_blocks(
    ridges: Sequence[RidgePlot],
    stacks: Sequence[Stack],
    found: Sequence[Distribution],
    words: Words,
) -> Iterator[Block]:
    """The charts over the categories, then each criterion by itself."""
    yield Beside(
        (
            *(
                Chart(
                    plot.chart,
                    alt=message(
                        "Distribution of {what} in each category; medians are in the titles of "
                        "the rows.",
                        what=plot.name,
                    ),
                    title=plot.name,
                    note=(
                        plot.benchmark,
                        " · ",
                        message(
                            "density in each category, all of one height; stroke: median; number "
                            "of values on the right"
                        ),
                    ),
                )
                for plot in ridges
            ),
            *(
                Chart(
                    stack.chart,
                    alt=message("Shares of the classes of {what} in each row.", what=stack.name),
                    title=stack.name,
                    note=(
                        stack.benchmark,
                        " · ",
                        message("shares of the answers in each category"),
                    ),
                )
                for stack in stacks
            ),
        )
    )
    yield Beside(tuple(_section(one, words) for one in found))


def _section(found: Distribution, words: Words) -> Section:
    criterion = words.name(found.criterion)
    where = joined((criterion, found.benchmark, words.name(found.source)))
    shown: Block = Paragraph(message("No judgement of this criterion has a value."), note=True)
    if found.histogram:
        shown = _drawn_histogram(found.histogram, where)
    elif found.shares:
        shown = Table(
            (
                Column(message("class")),
                Column("", "drawing"),
                Column(message("share"), "number"),
                Column("n", "number"),
            ),
            tuple(
                (
                    Cell(share.label, tone="muted" if share.absent else ""),
                    Bar(share.width / 200),
                    share.share,
                    share.count,
                )
                for share in found.shares
            ),
            look="shares",
        )
    absences = Table(
        columns(message("origin"), message("reason"), "n", message("share"), texts=2),
        tuple((a.origin, a.reason, a.count, a.share) for a in found.absences),
        title=message("Without a value"),
    )
    return Section(
        criterion,
        (shown, absences, *_coverage_details(found, where)),
        note=(
            found.benchmark,
            " · ",
            words.name(found.source),
            " · ",
            message("{n} of {m} with a value", n=found.with_value, m=found.rows),
        ),
    )


def _drawn_histogram(chart: Histogram, what: str) -> Chart:
    alt = message(
        "Histogram of {what} from {low} to {high}; the fullest bin holds {n}.",
        what=what,
        low=f"{chart.limits[0]:g}",
        high=f"{chart.limits[1]:g}",
        n=count(int(chart.counts.max())),
    )
    return Chart(chart, alt=alt)


def _coverage_details(found: Distribution, where: str) -> Iterator[Details]:
    of = found.coverage
    if of is None:
        return
    note = message("median {median}", median=of.median)
    if of.below is not None:
        note = message(
            "median {median}, {below} under {threshold}",
            median=of.median,
            below=of.below,
            threshold=of.threshold,
        )
    text = message(
        "Mass on the scale before renormalising; n = {n}; 5 % of the judgements have {low} or "
        "less.",
        n=of.n,
        low=of.low,
    )
    what = message("coverage of {what}", what=where)
    blocks = (Paragraph(text), _drawn_histogram(of.histogram, what))
    yield Details(message("Coverage"), blocks, note=note, printed=True)
