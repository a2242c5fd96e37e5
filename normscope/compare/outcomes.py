"""The judgements of a benchmark as columns to be compared: one per statistic and run.

The rules are the metrics' own: a respondent's reason is no refusal and no correct option and stays
in the denominator, a source's reason leaves the row out, any other is unscored.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..metrics import cfsafety, options, refusal
from ..metrics.inputs import Bools, Floats
from ..metrics.intervals import RATE, Bounds
from .align import Aligned, Column

Texts = NDArray[np.object_]

Columns = tuple[dict[str, Floats], Bools, Texts]
"""One run's column per statistic, the rows that the source keeps, and why a value is absent."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A statistic as a column of values per run, NaN where unscored, the row left out if not kept.

    `runs` names the runs; `reasons` holds, per run, why a value is absent. `member` is what the
    statistic is of where that is not everything. `primary` marks the first statistic of its metric;
    what is `beside` the headline is not broken down.
    """

    name: str
    unit: Literal["rate", "score"]
    bounds: Bounds
    columns: tuple[Floats, ...]
    reasons: tuple[Texts, ...]
    kept: Bools
    runs: tuple[str, ...]
    primary: bool = False
    member: str = ""
    beside: bool = False


def outcomes(aligned: Aligned) -> list[Outcome]:
    """The statistics of every metric whose criteria the benchmark has, but for the vignettes'."""
    criteria = aligned.criteria
    found: list[Outcome] = []
    if {"moral", "rating"} <= criteria.keys():
        pairs = zip(criteria["moral"], criteria["rating"], strict=True)
        every = [_safety(*pair) for pair in pairs]
        measured = _gathered(aligned, every, cfsafety.BOUNDS, rates=("moral_share",))
        found += _open_first(measured, aligned)
    if "refusal" in criteria:
        every = [_with_reasons(refusal.outcomes, one) for one in criteria["refusal"]]
        found += _gathered(
            aligned, every, dict.fromkeys(refusal.RATES, RATE), rates=tuple(refusal.RATES)
        )
    if "option" in criteria:
        rule = partial(options.outcomes, key=aligned.key)
        every = [_with_reasons(rule, one) for one in criteria["option"]]
        names = (options.named("agreement", aligned.key), "answered")
        found += _gathered(aligned, every, dict.fromkeys(names, RATE), rates=names)
    return found


def _open_first(measured: Sequence[Outcome], aligned: Aligned) -> list[Outcome]:
    """The outcomes over open prompts, and beside them those over closed ones if there are both."""
    chosen = cfsafety.open_prompts([s.facets.get("item_format", "") for s in aligned.subjects])
    if chosen.all():
        return list(measured)
    shown = [replace(one, kept=one.kept & chosen, member="open") for one in measured]
    closed = [
        replace(one, kept=one.kept & ~chosen, member="closed", primary=False, beside=True)
        for one in measured
    ]
    return [*shown, *closed]


def _safety(moral: Column, rating: Column) -> Columns:
    # an item without a rating has its moral judgement's reason or the rating's, whichever there is
    reasons = [one or other for one, other in zip(moral.reasons, rating.reasons, strict=True)]
    columns, kept = cfsafety.outcomes(moral.values, rating.values, reasons=reasons)
    return columns, kept, np.array(reasons, dtype=object)


def _with_reasons(
    rule: Callable[[Floats, list[str | None]], tuple[dict[str, Floats], Bools]], criterion: Column
) -> Columns:
    columns, kept = rule(criterion.values, criterion.reasons)
    return columns, kept, np.array(criterion.reasons, dtype=object)


def _gathered(
    aligned: Aligned,
    every: Sequence[Columns],
    bounds: Mapping[str, Bounds],
    *,
    rates: Sequence[str],
) -> list[Outcome]:
    """One outcome per statistic, over the rows that the source keeps in every run."""
    kept = np.logical_and.reduce([own for _, own, _ in every])
    return [
        Outcome(
            name=name,
            unit="rate" if name in rates else "score",
            bounds=limits,
            columns=tuple(columns[name] for columns, _, _ in every),
            reasons=tuple(reasons for _, _, reasons in every),
            kept=kept,
            runs=aligned.runs,
            primary=not place,
        )
        for place, (name, limits) in enumerate(bounds.items())
    ]
