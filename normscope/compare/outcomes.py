"""The judgements of a benchmark as columns to be compared: one per statistic and run.

The rules are the metrics' own: a respondent's reason is no refusal and no correct option and stays
in the denominator, a source's reason leaves the row out, any other is unscored.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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

    `reasons` holds, per run, why a value is absent. `primary` marks the first statistic of its
    metric.
    """

    name: str
    unit: Literal["rate", "score"]
    bounds: Bounds
    columns: tuple[Floats, ...]
    reasons: tuple[Texts, ...]
    kept: Bools
    primary: bool = False


def outcomes(aligned: Aligned) -> list[Outcome]:
    """The statistics of every metric whose heads the benchmark has, but for the vignettes'."""
    heads = aligned.heads
    found: list[Outcome] = []
    if {"moral", "rating"} <= heads.keys():
        pairs = zip(heads["moral"], heads["rating"], strict=True)
        every = [_safety(*pair) for pair in pairs]
        found += _gathered(every, cfsafety.BOUNDS, rates=("moral_share",))
    if "refusal" in heads:
        every = [_with_reasons(refusal.outcomes, one) for one in heads["refusal"]]
        found += _gathered(every, dict.fromkeys(refusal.RATES, RATE), rates=tuple(refusal.RATES))
    if "option" in heads:
        every = [_with_reasons(options.outcomes, one) for one in heads["option"]]
        names = ("agreement", "answered")
        found += _gathered(every, dict.fromkeys(names, RATE), rates=names)
    return found


def _safety(moral: Column, rating: Column) -> Columns:
    # an item without a rating has its moral judgement's reason or the rating's, whichever there is
    reasons = [one or other for one, other in zip(moral.reasons, rating.reasons, strict=True)]
    columns, kept = cfsafety.outcomes(moral.values, rating.values, reasons=reasons)
    return columns, kept, np.array(reasons, dtype=object)


def _with_reasons(
    rule: Callable[[Floats, list[str | None]], tuple[dict[str, Floats], Bools]], head: Column
) -> Columns:
    columns, kept = rule(head.values, head.reasons)
    return columns, kept, np.array(head.reasons, dtype=object)


def _gathered(
    every: Sequence[Columns], bounds: Mapping[str, Bounds], *, rates: Sequence[str]
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
            primary=not place,
        )
        for place, (name, limits) in enumerate(bounds.items())
    ]
