"""Long tables (a row per item and variant, and condition) into matrices of items × variants."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..categorical import Categorical
from ..errors import DataError, nearest
from .answers import Answers, MatrixReasons, failures, requested_columns, shared_columns
from .columns import by_name, listed, tabled
from .groups import categorical, first_seen
from .inputs import Column, Floats, numbers, same_length
from .majority import LABELS, likert


@dataclass(frozen=True, slots=True)
class Pivot:
    """Where each row of a long table stands in the matrix, items and variants as first seen."""

    items: tuple[str, ...]
    variant_ids: tuple[str, ...]
    row: NDArray[np.intp]
    column: NDArray[np.intp]

    def matrix(self, values: Column, name: str = "values") -> Floats:
        """The column of numbers as items × variants, NaN where the table has no row."""
        wide = np.full((len(self.items), len(self.variant_ids)), np.nan)
        wide[self.row, self.column] = numbers(values, name, labels=LABELS)
        return wide

    def cells(self, column: Sequence[Any]) -> list[list[Any]]:
        """The column of anything as items × variants, null where the table has no row."""
        wide = np.full((len(self.items), len(self.variant_ids)), None, dtype=object)
        wide[self.row, self.column] = _objects(column)
        nested: list[list[Any]] = wide.tolist()
        return nested

    def names(self, column: Sequence[str | None]) -> Categorical:
        """The column of names as items × variants."""
        named = categorical(column)
        wide = np.full((len(self.items), len(self.variant_ids)), -1, dtype=np.int32)
        wide[self.row, self.column] = named.codes
        return Categorical(wide, named.names)

    def levels(self, groups: Any) -> dict[str, list[Any]]:
        """Each group's level per item, from its level per row; an item has one, or `DataError`."""
        return {name: self._level(name, of) for name, of in tabled(groups, "groups").items()}

    def _level(self, name: str, column: Sequence[Any]) -> list[Any]:
        same_length({"item_id": self.row, name: column})
        values = _objects(column)
        first = values[np.unique(self.row, return_index=True)[1]]
        differs = np.flatnonzero(first[self.row] != values)
        if len(differs):
            row = int(differs[0])
            item, level = self.items[self.row[row]], first[self.row[row]]
            other = f"and, in row {row}, {values[row]!r}"
            raise DataError(f"{name}: item {item!r} has {level!r} {other}")
        levels: list[Any] = first.tolist()
        return levels


def pivot(item_id: Sequence[str], variant_id: Sequence[str]) -> Pivot:
    """The places of the rows; a `DataError` where an item has a variant twice.

    >>> table = pivot(["a", "a", "b"], ["v0", "v1", "v1"])
    >>> table.matrix([1, 2, -1]).tolist()
    [[1.0, 2.0], [nan, -1.0]]
    """
    same_length({"item_id": item_id, "variant_id": variant_id})
    row, items = _coded(item_id, "item_id")
    column, variants = _coded(variant_id, "variant_id")
    return _checked(Pivot(tuple(items), tuple(variants), row, column))


def _coded(column: Sequence[str], name: str) -> tuple[NDArray[np.intp], list[str]]:
    """The place of each row among the distinct names, none of which is empty."""
    codes, distinct = first_seen(column)
    if (codes < 0).any():
        raise DataError(f"{name} is empty in row {int(codes.argmin())} (from 0)")
    return codes, distinct


def _checked(table: Pivot) -> Pivot:
    cells = table.row * max(1, len(table.variant_ids)) + table.column
    _, first, count = np.unique(cells, return_index=True, return_counts=True)
    if (count > 1).any():
        twice = int(first[count > 1][0])
        item, variant = table.items[table.row[twice]], table.variant_ids[table.column[twice]]
        raise DataError(
            f"item {item!r} has variant {variant!r} more than once; name orders and samples apart "
            "in variant_id"
        )
    return table


def _objects(column: Sequence[Any]) -> NDArray[np.object_]:
    values = np.empty(len(column), dtype=object)
    values[:] = listed(column)
    return values


@dataclass(frozen=True, slots=True)
class Panels:
    """The answers of every condition; items and variants are those of any.

    A variant was asked of a condition in which any of its items has an answer or a reason; of
    these, a cell that the condition lacks is unscored.
    """

    answers: dict[str, Answers]
    whole: Pivot
    variant_ids: tuple[str, ...]

    def named(self, names: Any, option: str = "variants") -> list[str] | None:
        """The prompt variant of each column, from a mapping by variant_id; null without one.

        An id that the mapping does not name is a prompt variant of its own.
        """
        if names is None:
            return None
        by_id = by_name(names, option)
        for variant_id in by_id:
            if variant_id not in self.variant_ids:
                remedy = nearest(variant_id, list(self.variant_ids))
                raise DataError(f"{option}: no variant_id {variant_id!r}; {remedy}")
        return [by_id.get(variant_id, variant_id) for variant_id in self.variant_ids]

    def shared_variants(self) -> dict[str, list[str]]:
        """The variants that all conditions, and each two, were asked; nothing if that is every one.

        Keys are the names, joined by commas.
        """
        names = list(self.answers)
        sets = [names, *combinations(names, 2)] if len(names) > 2 else [names]  # noqa: PLR2004
        shared = {
            ", ".join(each): shared_columns(self.answers[name] for name in each)
            for each in sets
            if each
        }
        if all(columns.all() for columns in shared.values()):
            return {}
        variants = np.array(self.variant_ids, dtype=object)
        return {each: variants[columns].tolist() for each, columns in shared.items()}


def panels(
    values: Column,
    item_id: Sequence[str],
    variant_id: Sequence[str],
    condition: Sequence[str] | None = None,
    *,
    reasons: Sequence[str | None] | str | None = None,
) -> Panels:
    """The answers of the conditions in the order in which they are first seen; without any, of one.

    `reasons` say why answers are missing, one per row or one for all.

    >>> result = panels([1, 2, 0], ["x", "y", "x"], ["v"] * 3, ["base", "base", "tuned"])
    >>> {name: of.values.tolist() for name, of in result.answers.items()}
    {'base': [[1.0], [2.0]], 'tuned': [[0.0], [nan]]}
    """
    columns = {"item_id": item_id, "variant_id": variant_id, "condition": condition}
    per_row = None if reasons is None or isinstance(reasons, str) else reasons
    same_length({"predictions": values, **columns, "reasons": per_row})
    variant, variants = _coded(variant_id, "variant_id")
    row, items = _coded(item_id, "item_id")
    code, conditions = np.zeros_like(row), [""]
    if condition is not None:
        code, conditions = _coded(condition, "condition")
    # a column per condition and variant: items come out in one order, and each reason counts once
    # of no rows at all there is one column, in which nothing is answered
    k = max(1, len(variants))
    ids = variants or [""]
    names = [f"{name}: {each}" if name else each for name in conditions for each in ids]
    whole = _checked(Pivot(tuple(items), tuple(names), row, code * k + variant))
    matrix = likert(whole.matrix(values, "predictions"), "predictions")
    why: MatrixReasons = None if reasons is None else str(reasons)
    if per_row is not None:
        why = whole.names(per_row)
    has_rows = np.isin(np.arange(len(names)), whole.column) | (condition is None)
    gaps, requested = failures(matrix, why), requested_columns(matrix, why) & has_rows
    answers = {}
    for at, name in enumerate(conditions):
        of = slice(at * k, (at + 1) * k)
        # a condition of which every answer failed was asked what it has rows for
        columns_of = requested[of] if requested[of].any() else has_rows[of]
        # a cell that an asked variant lacks is missing for no known reason
        answers[name] = Answers(matrix[:, of], gaps[:, of] & columns_of, columns_of)
    return Panels(answers, whole, tuple(variants))
