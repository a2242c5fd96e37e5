"""Long tables (a row per item and variant, and condition) into matrices of items × variants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, nearest
from .columns import by_name, listed, names, tabled
from .groups import first_seen
from .inputs import Bools, Column, Floats, numbers, same_length
from .majority import all_shared
from .norms import asked_columns, failures


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
        wide[self.row, self.column] = numbers(values, name)
        return wide

    def reasons(self, column: Sequence[Any] | str | None) -> list[list[Any]] | str | None:
        """The column of reasons as items × variants, null where there is no row; or one for all."""
        if column is None or isinstance(column, str):
            return column
        wide = np.full((len(self.items), len(self.variant_ids)), None, dtype=object)
        wide[self.row, self.column] = _objects(column)
        nested: list[list[Any]] = wide.tolist()
        return nested

    def variants(self, alike: Any, name: str = "variants") -> list[str] | None:
        """The prompt variant, or whatever `name` is, of each column (`variants_of`)."""
        return variants_of(alike, self.variant_ids, self.column, name)

    def levels(self, groups: Any) -> dict[str, list[Any]]:
        """Each group's level per item, from its level per row."""
        columns = tabled(groups, "groups")
        return {name: self.per_item(column, name) for name, column in columns.items()}

    def per_item(self, column: Sequence[Any], name: str = "column") -> list[Any]:
        """The column's one value for each item, a `DataError` if an item has several."""
        same_length({"item_id": self.row, name: column})
        values = _objects(column)
        first = np.unique(self.row, return_index=True)[1]
        present = values[first]
        differs = np.flatnonzero(present[self.row] != values)
        if len(differs):
            row = int(differs[0])
            item, first_value, second_value = (
                self.items[self.row[row]],
                present[self.row[row]],
                values[row],
            )
            raise DataError(
                f"{name}: item {item!r} has {first_value!r} and, in row {row}, {second_value!r}"
            )
        levels: list[Any] = present.tolist()
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


def variants_of(
    alike: Any, ids: Sequence[str], column: NDArray[np.intp], name: str = "variants"
) -> list[str] | None:
    """The prompt variant of each variant_id: by the id, or from a value per row; null if none.

    An id that `alike` does not name is a prompt variant of its own. A series is by id where its
    index is of ids.

    >>> variants_of({"v0 reversed": "v0"}, ["v0", "v0 reversed"], np.array([0, 1]))
    ['v0', 'v0']
    """
    if alike is None:
        return None
    by_index = hasattr(alike, "to_dict") and {*names(alike.index)} <= {*ids}
    if isinstance(alike, Mapping) or by_index:
        variant_by_id = by_name(alike, name) or {}
        for variant_id in variant_by_id:
            if variant_id not in ids:
                raise DataError(
                    f"{name}: no variant_id {variant_id!r}; {nearest(variant_id, list(ids))}"
                )
        return [variant_by_id.get(variant_id, variant_id) for variant_id in ids]
    same_length({"variant_id": column, name: alike})
    result: dict[str, str] = {}
    for at, variant in zip(column, names(alike), strict=True):
        variant_id = ids[at]
        if result.setdefault(variant_id, variant or variant_id) != (variant or variant_id):
            both = f"{result[variant_id]!r} and {variant or variant_id!r}"
            raise DataError(f"{name}: variant_id {variant_id!r} has {both}; give it one")
    return [result[variant_id] for variant_id in ids]


def _objects(column: Sequence[Any]) -> NDArray[np.object_]:
    values = np.empty(len(column), dtype=object)
    values[:] = listed(column)
    return values


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
    columns = {"item_id": item_id, "variant_id": variant_id, "condition": condition}
    single = reasons is None or isinstance(reasons, str)
    same_length({"predictions": values, **columns, "reasons": None if single else reasons})
    code, conditions = _coded(condition, "condition")
    variant, variants = _coded(variant_id, "variant_id")
    row, items = _coded(item_id, "item_id")
    k = len(variants)
    # a column per condition and variant: items come out in one order, and each reason counts once
    names = tuple(f"{name}: {each}" for name in conditions for each in variants)
    whole = _checked(Pivot(tuple(items), names, row, code * k + variant))
    matrix, why = whole.matrix(values, "predictions"), whole.reasons(reasons)
    has_rows = np.isin(np.arange(len(names)), whole.column)
    gaps, requested = failures(matrix, why), asked_columns(matrix, why) & has_rows
    result = Panels({}, {}, {}, whole, tuple(variants), variant)
    for at, name in enumerate(conditions):
        columns_of = slice(at * k, (at + 1) * k)
        # a condition of which every answer failed was asked what it has rows for
        result.asked[name] = (
            requested[columns_of] if requested[columns_of].any() else has_rows[columns_of]
        )
        result.answers[name] = matrix[:, columns_of]
        # a cell that an asked variant lacks is missing for no known reason
        result.unscored[name] = gaps[:, columns_of] & result.asked[name]
    return result
