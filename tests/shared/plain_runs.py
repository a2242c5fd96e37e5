"""Finished runs made of plain rows, without a model, a file or a benchmark's own text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from normscope.compare.runs import Key, Reading, Run
from normscope.records.config import RunConfig
from normscope.records.item import Item, ItemKey
from normscope.records.model_spec import ModelSpec

Answer = float | str | None
"""A value, the reason for none, or null for a failure without a reason."""

OWN = {"acceptability", "option"}
"""Criteria that are read off the model under test."""


def judged_run(
    name: str, benchmark: str, criteria: Mapping[str, Sequence[Answer]], **where: Any
) -> Run:
    """A run with one judgement per criterion and item; items are numbered."""
    n = len(next(iter(criteria.values())))
    keys: list[Key] = [(benchmark, f"i{at}", "", "", 0) for at in range(n)]
    return Run(
        name=name,
        config=RunConfig(model=ModelSpec(f"models/{name}")),
        items={ItemKey(*key[:4]): Item(*key[:2], (), "en", **where) for key in keys},
        readings={
            benchmark: {
                criterion: {
                    key: Reading(None, answer, None)
                    if isinstance(answer, str)
                    else Reading(answer, None if answer is not None else "call_failed", None)
                    for key, answer in zip(keys, answers, strict=True)
                }
                for criterion, answers in criteria.items()
            }
        },
        sources={benchmark: {h: "model_logits" if h in OWN else "judge_logits" for h in criteria}},
    )


def categorised_run(
    name: str,
    benchmark: str,
    criteria: Mapping[str, Sequence[Answer]],
    places: Sequence[tuple[str, str]],
) -> Run:
    """As `judged_run`, with areas and categories: as many items in a row of each place."""
    run = judged_run(name, benchmark, criteria)
    each = len(run.items) // len(places)
    items = {
        key: replace(item, area=places[at // each][0], category=places[at // each][1])
        for at, (key, item) in enumerate(run.items.items())
    }
    return replace(run, items=items)


VIGNETTES = "ci-vignettes:x"


def vignette_run(
    name: str, answers: ArrayLike, *, reason: str = "low_coverage", orders: int = 1
) -> Run:
    """Vignettes × columns; a column is a variant, or with two orders half of one."""
    matrix = np.asarray(answers, dtype=float)
    readings: dict[Key, Reading] = {}
    items = {}
    for (row, column), value in np.ndenumerate(matrix):
        order = ("forward", "reversed")[column % orders]
        key: Key = (VIGNETTES, f"v{row}", str(column // orders), order, 0)
        missing = bool(np.isnan(value))
        number = None if missing else float(value)
        readings[key] = Reading(number, reason if missing else None, None)
        facets = {"sender": ("a toy", "a doll")[row % 2]}
        items[ItemKey(*key[:4])] = Item(*key[:2], (), "en", category="x", facets=facets)
    return Run(
        name,
        RunConfig(model=ModelSpec(f"models/{name}")),
        items,
        {VIGNETTES: {"acceptability": readings}},
        {VIGNETTES: {"acceptability": "model_logits"}},
    )
