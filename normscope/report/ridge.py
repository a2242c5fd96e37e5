"""The distribution of every category: a density where there is a score, shares where classes."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..categorical import Categorical
from ..format import count, number, percent
from ..metrics.cfsafety import SCORE
from ..reasons import Origin
from ..records.item import Item
from ..records.judgements import Floats, Judgements
from .axis import Axis
from .charts.distribution import density
from .criteria import NORMS, REFUSAL, reading_of
from .verdicts import absent, products
from .words import EN, Words

HEIGHT, WIDTH = 26.0, 300.0
_FEW = 8
"""Fewer values than this have no shape: each is drawn as a stroke."""

_POINTS = 61

Categories = Mapping[Hashable, str]
"""The category of each item, by benchmark and id."""


@dataclass(frozen=True, slots=True)
class Ridge:
    """One category: its density as a path, or its few values as places; its median and number."""

    label: str
    path: str
    marks: tuple[float, ...]
    median_at: float
    median: str
    n: str


@dataclass(frozen=True, slots=True)
class RidgePlot:
    """A score's distribution in each category of a benchmark."""

    benchmark: str
    name: str
    axis: Axis
    ridges: tuple[Ridge, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One class's share of a bar: from where, how wide, and in words."""

    place: int
    at: float
    width: float
    told: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of a stack: how the answers are shared out among the classes."""

    label: str
    parts: tuple[Part, ...]
    n: str


@dataclass(frozen=True, slots=True)
class Stack:
    """The classes' shares in each category of a benchmark, with those that gave no answer."""

    benchmark: str
    name: str
    kind: str
    classes: tuple[str, ...]
    bars: tuple[Bar, ...]


def categories_of(items: list[Item]) -> Categories:
    """The category of each item, by benchmark and id."""
    return {(item.benchmark, item.item_id): item.category for item in items}


def ridge_plots(
    categories: Categories, verdicts: Judgements, words: Words = EN
) -> tuple[RidgePlot, ...]:
    """A plot for each benchmark with a score from 0 to 5 and several categories."""
    return tuple(
        plot
        for (benchmark,), rows in verdicts.by("benchmark")
        for plot in _ridge_plot(benchmark, rows, categories, words)
    )


def stacks(categories: Categories, verdicts: Judgements, words: Words = EN) -> tuple[Stack, ...]:
    """A stack for each benchmark whose refusals were judged and that has several categories."""
    made = []
    for (benchmark,), rows in verdicts.of_criterion("refusal").by("benchmark"):
        of = _categories(benchmark, rows.item_id, categories)
        if len(of.names) > 1:
            bars = [(words.name(name), rows[of.equals(name)]) for name in of.names]
            made.append(stack_of(benchmark, "refusal", bars, words))
    return tuple(made)


def stack_of(
    benchmark: str, criterion: str, groups: Sequence[tuple[str, Judgements]], words: Words
) -> Stack:
    """Shares of the criterion's classes in each of the groups; our own failures are left out."""
    classes = list(NORMS.values()) if criterion == "acceptability" else list(REFUSAL)
    low = -2 if criterion == "acceptability" else 0
    names = (*(words.name(name) for name in classes), words.name("no_answer"))
    return Stack(
        benchmark=benchmark,
        name=words.name(criterion),
        kind="heat" if criterion == "acceptability" else "risk",
        classes=names,
        bars=tuple(_bar(label, rows, low, names) for label, rows in groups),
    )


def _bar(label: str, rows: Judgements, low: int, names: tuple[str, ...]) -> Bar:
    held = Counter((np.rint(rows.value[~absent(rows)]).astype(int) - low).tolist())
    held[len(names) - 1] += int(absent(rows, Origin.RESPONDENT).sum())
    n, at, parts = held.total(), 0.0, []
    for place, name in enumerate(names):
        width = round(held[place] / n * WIDTH, 1) if n else 0.0
        if width:
            told = f"{name}: {count(held[place])} ({percent(held[place] / n)})"
            parts.append(Part(place, round(at, 1), width, told))
        at += width
    return Bar(label, tuple(parts), count(n))


def _categories(benchmark: str, items: Categorical, categories: Categories) -> Categorical:
    """The category of each row's item, in their order as first seen."""
    return items.renamed(categories.get((benchmark, name), "") for name in items.names).seen()


def _ridge_plot(
    benchmark: str, verdicts: Judgements, categories: Categories, words: Words
) -> Iterator[RidgePlot]:
    rows, scores = products(verdicts)
    scored = ~np.isnan(scores)
    of = _categories(benchmark, verdicts.item_id[rows[scored]], categories)
    if len(of.names) > 1:
        axis = Axis(*SCORE, width=WIDTH, step=1.0)
        ridges = [
            _ridge(words.name(name) or words("not given"), scores[scored][of.equals(name)], axis)
            for name in of.names
        ]
        yield RidgePlot(benchmark, words.name("score"), axis, tuple(ridges))


def _ridge(label: str, held: Floats, axis: Axis) -> Ridge:
    middle = float(np.median(held))
    marks: tuple[float, ...] = ()
    path = ""
    if len(held) < _FEW:
        marks = tuple(axis.at(value) or 0.0 for value in held.tolist())
    else:
        grid = np.linspace(axis.low, axis.high, _POINTS)
        curve = density(held, grid)
        tops = (curve / curve.max() * HEIGHT).tolist()
        places = [axis.at(value) or 0.0 for value in grid.tolist()]
        drawn = " ".join(
            f"{x:g},{round(HEIGHT - top, 1):g}" for x, top in zip(places, tops, strict=True)
        )
        path = f"M0,{HEIGHT:g} L{drawn} L{axis.width:g},{HEIGHT:g} Z"
    return Ridge(label, path, marks, axis.at(middle) or 0.0, number(middle), count(len(held)))


def value_name(criterion: str, value: float, words: Words) -> str:
    """A criterion's value as people read it: a class by its name, an amount as a number.

    >>> value_name("refusal", 3.0, EN), value_name("moral", 0.25, EN)
    ('responsible refusal', '0.250')
    """
    reading = reading_of(criterion, [value])
    if reading.classes is None or not float(value).is_integer():
        return number(value)
    return words.name(reading.classes.get(int(value), number(value)))
