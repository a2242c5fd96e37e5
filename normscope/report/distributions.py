"""How the judgements of a criterion are spread: values, classes, reasons for none, and coverage."""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from ..categorical import Codes, combined, first_rows
from ..format import count, percent, scale_end
from ..messages import joined, message
from ..metrics.cfsafety import SCORE
from ..palette import LABELS
from ..pipeline.criteria import CLASSES, class_name, range_of
from ..reasons import Origin, origin_of
from ..records.judgements import Floats, Judgements, headline
from .blocks import (
    Bar,
    Beside,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Label,
    Paragraph,
    Row,
    Section,
    Table,
    Text,
    columns,
)
from .charts import Bars, Histogram, Ridges
from .estimates import axis_over
from .names import name_of

_ORIGINS = (*(origin.value for origin in Origin), "unknown")


def distribution_blocks(
    judgements: Judgements, *, threshold: float | None = None
) -> Iterator[Block]:
    """The charts over the categories, then each criterion; `threshold` is of coverage."""
    yield Beside((*_ridges(judgements), *_refusals(judgements)))
    groups = judgements.by("benchmark", "criterion", "source")
    yield Beside(tuple(_criterion(place, rows, threshold) for place, rows in groups))


def _ridges(judgements: Judgements) -> Iterator[Chart]:
    """A chart for each benchmark with a score from 0 to 5 and several categories."""
    about = message(
        "density in each category, all of one height; stroke: median; number of values on the right"
    )
    for (benchmark,), rows in judgements.by("benchmark"):
        responses, scores = rows.products()
        known = ~np.isnan(scores)
        samples = _by_category(responses[known])
        if len(samples) > 1:
            yield Chart(
                Ridges(
                    samples=[[scores[known][places] for places in samples.values()]],
                    series=[name_of("score")],
                    categories=list(samples),
                    limits=SCORE,
                ),
                alt=message(
                    "Distribution of {what} in each category; medians are in the titles of the "
                    "rows.",
                    what=name_of("score"),
                ),
                title=name_of("score"),
                note=(benchmark, " · ", about),
            )


def _refusals(judgements: Judgements) -> Iterator[Chart]:
    """A chart for each benchmark whose refusals were judged and that has several categories."""
    for (benchmark,), rows in headline(judgements).of_criterion("refusal").by("benchmark"):
        groups = {name: rows[places] for name, places in _by_category(rows).items()}
        if len(groups) > 1:
            about = (benchmark, " · ", message("shares of the answers in each category"))
            yield shares_chart("refusal", groups, title=name_of("refusal"), note=about)


def _by_category(rows: Judgements) -> dict[str, Codes]:
    """The places of the rows of each category."""
    of = rows.of_items("category").seen()
    return {
        name_of(name) or message("not given"): np.flatnonzero(of.equals(name)) for name in of.names
    }


def shares_chart(
    criterion: str, groups: Mapping[str, Judgements], *, title: Text, note: Text = ""
) -> Chart:
    """Shares of the criterion's classes in each of the groups, and of what has none."""
    classes, counts = CLASSES[criterion], []
    for rows in groups.values():
        values = np.rint(rows.value)
        # what the source allows no verdict on is neither the model's doing nor ours
        silent, excluded = (int(rows.absent(o).sum()) for o in (Origin.RESPONDENT, Origin.SOURCE))
        ours = int(rows.absent().sum()) - silent - excluded
        counts.append([*(int((values == value).sum()) for value in classes), silent, ours])
    return Chart(
        Bars(
            counts=counts,
            rows=list(groups),
            classes=[name_of(name) for name in classes.values()],
            absent=("no answer", "unscored"),
            palette=[LABELS[name] for name in classes.values()],
        ),
        alt=message("Shares of the classes of {what} in each row.", what=name_of(criterion)),
        title=title,
        note=note,
    )


def _criterion(place: tuple[str, ...], rows: Judgements, threshold: float | None) -> Section:
    """Everything that is shown of one criterion of one benchmark, as one source gives it."""
    benchmark, criterion, source = place[0], *map(name_of, place[1:])
    where = joined((criterion, benchmark, source))
    values = rows.value[~rows.absent()]
    limits = range_of(place[1], values)
    shown: Block = Paragraph(message("No judgement of this criterion has a value."), note=True)
    if limits is None:
        if shares := _shares(place[1], rows):
            shown = Table(
                (
                    Column(message("class")),
                    Column("", "drawing"),
                    Column(message("share"), "number"),
                    Column("n", "number"),
                ),
                shares,
                look="shares",
            )
    elif len(values):
        shown = histogram(values, limits, where, xlabel=criterion)
    with_value = message("{n} of {m} with a value", n=count(len(values)), m=count(len(rows)))
    return Section(
        criterion,
        (shown, _absences(rows), *_coverage(rows, where, threshold)),
        note=(benchmark, " · ", source, " · ", with_value),
    )


def histogram(values: Floats, limits: tuple[float, float], what: str, *, xlabel: str = "") -> Chart:
    """The values within the limits, or as far as they reach beyond; the axis has round ends."""
    low, high = limits
    axis = axis_over([float(values.min(initial=low)), float(values.max(initial=high))])
    plot = Histogram(values=values, limits=(axis.low, axis.high), xlabel=xlabel)
    alt = message(
        "Histogram of {what} from {low} to {high}; the fullest bin holds {n}.",
        what=what,
        low=scale_end(axis.low),
        high=scale_end(axis.high),
        n=count(int(plot.counts.max())),
    )
    return Chart(plot, alt=alt)


def _shares(criterion: str, rows: Judgements) -> tuple[Row, ...]:
    """The classes' shares of the rows that have one or that the respondent left without one.

    A choice among options is one even where the source has no key to hold it against.
    """
    silent = rows.reason[rows.absent(Origin.RESPONDENT)].counts()
    classed = rows[~rows.absent() | rows.absent(Origin.SOURCE)]
    classes: Counter[str] = Counter()
    # a class is named once for each pair of value and label, not for each row
    codes = combined(classed.value, classed.favourite)
    for row, n in zip(first_rows(codes).tolist(), np.bincount(codes).tolist(), strict=True):
        value, label = float(classed.value[row]), classed.favourite.name(row)
        if name := class_name(criterion, value, label):
            classes[name] += n
    order = list(CLASSES.get(criterion, {}).values())
    # letters of options have no order of their own in a table of classes
    order += sorted(name for name in classes if name not in order)
    shares = [(Cell(_named(name)), classes[name], name) for name in order]
    shares += [
        (Cell(name_of(reason), tone="muted"), n, "no answer")
        for reason, n in sorted((str(reason), n) for reason, n in silent.items())
    ]
    total = sum(n for _, n, _ in shares)
    return tuple(
        (cell, Bar(n / total, label), percent(n / total), count(n))
        for cell, n, label in shares
        if total
    )


def _named(name: str) -> Label | str:
    """A class by its name, with its colour if it has one."""
    return Label(name) if name in LABELS else name_of(name)


def _absences(rows: Judgements) -> Table:
    """The reasons by origin, in the order of `Origin`, the most frequent first."""
    reasons = rows.reason[rows.absent()].counts()
    ordered = sorted(reasons, key=lambda r: (_ORIGINS.index(origin_of(r)), -reasons[r], str(r)))
    return Table(
        columns(message("origin"), message("reason"), "n", message("share"), texts=2),
        tuple(
            (
                name_of(origin_of(reason)),
                name_of(reason or "no reason recorded"),
                count(reasons[reason]),
                percent(reasons[reason] / len(rows)),
            )
            for reason in ordered
        ),
        title=message("Without a value"),
    )


def _coverage(rows: Judgements, where: str, threshold: float | None) -> Iterator[Details]:
    """How much mass was on the scale, of the rows that know; text rules do not."""
    known = rows.coverage[~np.isnan(rows.coverage)]
    if not known.size:
        return
    median = percent(float(np.median(known)))
    note = message("median {median}", median=median)
    if threshold is not None:
        note = message(
            "median {median}, {below} under {threshold}",
            median=median,
            below=percent(float(np.mean(known < threshold))),
            threshold=percent(threshold),
        )
    text = message(
        "Mass on the scale before renormalising; n = {n}; 5 % of the judgements have {low} or "
        "less.",
        n=count(known.size),
        low=percent(float(np.quantile(known, 0.05))),
    )
    what = message("coverage of {what}", what=where)
    drawn = histogram(known, (0.0, 1.0), what, xlabel=message("coverage"))
    yield Details(message("Coverage"), (Paragraph(text), drawn), note=note, printed=True)
