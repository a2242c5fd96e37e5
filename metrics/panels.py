"""Long tables with a row per condition, item and variant, as one matrix per condition."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .groups import first_seen
from .inputs import Bools, Column, Floats, same_length
from .norms import asked_columns, failures
from .pivot import Pivot, pivot, variants_of
from .shared import all_shared


@dataclass(frozen=True, slots=True)
class Panels:
    """Items × variants of every condition; `unscored` marks the answers missing by our failure.

    Items and variants are those of any condition, `column` is the variant of each row. `asked`
    marks the variants of a condition in which any of its items has an answer or a reason; of these,
    a cell that it lacks is unscored.
    """

    answers: dict[str, Floats]
    unscored: dict[str, Bools]
    asked: dict[str, Bools]
    whole: Pivot
    variant_ids: tuple[str, ...]
    column: NDArray[np.intp]

    def variants(self, alike: Any) -> list[str] | None:
        """The prompt variant of each column (`variants_of`)."""
        return variants_of(alike, self.variant_ids, self.column)

    def shared_variants(self) -> dict[str, list[str]]:
        """The variants that all conditions, and each two, were asked; nothing if that is every one.

        Keys are the names, joined by commas.
        """
        names = list(self.answers)
        sets = [names, *combinations(names, 2)] if len(names) > 2 else [names]  # noqa: PLR2004
        shared = {", ".join(each): all_shared(self.asked, each) for each in sets if each}
        if all(columns.all() for columns in shared.values()):
            return {}
        variants = np.array(self.variant_ids, dtype=object)
        return {each: variants[columns].tolist() for each, columns in shared.items()}


def panels(
    values: Column,
    item_id: Sequence[str],
    variant_id: Sequence[str],
    condition: Sequence[str],
    *,
    reasons: Sequence[str | None] | str | None = None,
) -> Panels:
    """The matrices of the conditions, in the order in which they are first seen.

    >>> result = panels([1, 2, 0], ["x", "y", "x"], ["v"] * 3, ["base", "base", "tuned"])
    >>> {name: matrix.tolist() for name, matrix in result.answers.items()}
    {'base': [[1.0], [2.0]], 'tuned': [[0.0], [nan]]}
    """
    single = reasons is None or isinstance(reasons, str)
    same_length(
        {
            "predictions": values,
            "item_id": item_id,
            "variant_id": variant_id,
            "condition": condition,
            "reasons": None if single else reasons,
        }
    )
    codes, names = first_seen(condition)
    if (codes < 0).any():
        raise DataError(f"condition is empty in row {int(codes.argmin())} (from 0)")
    at_variant, variants = first_seen(variant_id)
    if (at_variant < 0).any():
        raise DataError(f"variant_id is empty in row {int(at_variant.argmin())} (from 0)")
    # a column per condition and variant, so that items come out in one order
    wide = pivot(item_id, [f"{code} {at}" for code, at in zip(codes, at_variant, strict=True)])
    matrix = wide.matrix(values, "predictions")
    why = wide.reasons(reasons)
    gaps, asked = failures(matrix, why), asked_columns(matrix, why)
    at = {name: column for column, name in enumerate(wide.variant_ids)}
    result = Panels({}, {}, {}, wide, tuple(variants), at_variant)
    for code, name in enumerate(names):
        columns = [at.get(f"{code} {variant}") for variant in range(len(variants))]
        has_rows = np.array([column is not None for column in columns])
        known = np.array([column is not None and asked[column] for column in columns])
        # a condition of which every answer failed was asked what it has rows for
        result.asked[name] = known if known.any() else has_rows
        result.answers[name] = _columns(matrix, columns, np.nan)
        # a cell that an asked variant lacks is missing for no known reason
        result.unscored[name] = _columns(gaps, columns, True).astype(np.bool_) & result.asked[name]
    return result


def _columns(matrix: Any, columns: Sequence[int | None], other: float) -> Any:
    """The matrix's columns in this order; `other` where there is none."""
    blank = np.full(len(matrix), other)
    picked = [blank if column is None else matrix[:, column] for column in columns]
    return np.stack(picked, axis=1) if picked else np.empty((len(matrix), 0))
