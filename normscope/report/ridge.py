"""A score's distribution and the classes' shares in every category."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..categorical import Categorical
from ..format import number
from ..metrics.cfsafety import SCORE
from ..reasons import Origin
from ..records.item import Item
from ..records.judgements import Judgements
from .charts import Bars, Ridges
from .charts.canvas import DEGREES, LIKERT
from .criteria import NORMS, REFUSAL, reading_of
from .verdicts import absent, products
from .words import EN, Words

Categories = Mapping[Hashable, str]
"""The category of each item, by benchmark and id."""


@dataclass(frozen=True, slots=True)
class RidgePlot:
    """A score's distribution in each category of a benchmark."""

    benchmark: str
    name: str
    chart: Ridges


@dataclass(frozen=True, slots=True)
class Stack:
    """The classes' shares in each category of a benchmark, with those that gave no answer."""

    benchmark: str
    name: str
    chart: Bars


def categories_of(items: list[Item]) -> Categories:
    """The category of each item, by benchmark and id."""
    return {(item.benchmark, item.item_id): item.category for item in items}


def ridge_plots(
    categories: Categories, verdicts: Judgements, words: Words = EN
) -> tuple[RidgePlot, ...]:
    """A plot for each benchmark with a score from 0 to 5 and several categories."""
    plots = []
    for (benchmark,), judgements in verdicts.by("benchmark"):
        rows, scores = products(judgements)
        scored = ~np.isnan(scores)
        of = _categories(benchmark, judgements.item_id[rows[scored]], categories)
        if len(of.names) > 1:
            chart = Ridges(
                samples=[[scores[scored][of.equals(name)] for name in of.names]],
                series=[words.name("score")],
                categories=[words.name(name) or words("not given") for name in of.names],
                limits=SCORE,
            )
            plots.append(RidgePlot(benchmark, words.name("score"), chart))
    return tuple(plots)


def stacks(categories: Categories, verdicts: Judgements, words: Words = EN) -> tuple[Stack, ...]:
    """A stack for each benchmark whose refusals were judged and that has several categories."""
    found = []
    for (benchmark,), rows in verdicts.of_criterion("refusal").by("benchmark"):
        of = _categories(benchmark, rows.item_id, categories)
        if len(of.names) > 1:
            groups = [(words.name(name), rows[of.equals(name)]) for name in of.names]
            found.append(stack_of(benchmark, "refusal", groups, words))
    return tuple(found)


def stack_of(
    benchmark: str, criterion: str, groups: Sequence[tuple[str, Judgements]], words: Words
) -> Stack:
    """Shares of the criterion's classes in each of the groups, and of what has none."""
    norms = criterion == "acceptability"
    classes = list(NORMS.values()) if norms else list(REFUSAL)
    chart = Bars(
        counts=[_counts(rows, -2 if norms else 0, len(classes)) for _, rows in groups],
        rows=[label for label, _ in groups],
        classes=[words.name(name) for name in classes],
        absent=("no answer", "unscored"),
        palette=LIKERT if norms else DEGREES,
    )
    return Stack(benchmark, words.name(criterion), chart)


def _counts(rows: Judgements, low: int, classes: int) -> list[int]:
    """How many rows are of each class, gave no answer, and are unscored by our failure."""
    held = Counter((np.rint(rows.value[~absent(rows)]).astype(int) - low).tolist())
    silent, excluded = (int(absent(rows, o).sum()) for o in (Origin.RESPONDENT, Origin.SOURCE))
    ours = int(absent(rows).sum()) - silent - excluded
    return [*(held[at] for at in range(classes)), silent, ours]


def _categories(benchmark: str, items: Categorical, categories: Categories) -> Categorical:
    """The category of each row's item, in their order as first seen."""
    return items.renamed(categories.get((benchmark, name), "") for name in items.names).seen()


def value_name(criterion: str, value: float, words: Words) -> str:
    """A criterion's value as people read it: a class by its name, an amount as a number.

    >>> value_name("refusal", 3.0, EN), value_name("moral", 0.25, EN)
    ('responsible refusal', '0.250')
    """
    reading = reading_of(criterion, [value])
    if reading.classes is None or not float(value).is_integer():
        return number(value)
    return words.name(reading.classes.get(int(value), number(value)))
