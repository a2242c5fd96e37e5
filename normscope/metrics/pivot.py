"""Long tables (a row per item and variant) into matrices of items × variants."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..categorical import Categorical
from ..errors import DataError, nearest
from .columns import listed, name_of, tabled
from .groups import categorical, first_seen
from .inputs import Column, Floats, numbers, same_length
from .majority import LABELS


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

    def names(self, column: Sequence[str | None]) -> Categorical:
        """The column of names as items × variants."""
        named = categorical(column)
        wide = np.full((len(self.items), len(self.variant_ids)), -1, dtype=np.int32)
        wide[self.row, self.column] = named.codes
        return Categorical(wide, named.names)

    def levels(self, groups: Any) -> dict[str, list[Any]]:
        """Each group's level per item, from its level per row; an item has one, or `DataError`."""
        return {name: self._level(name, of) for name, of in tabled(groups, "groups").items()}

    def named(self, names: Any, option: str = "variants") -> list[str] | None:
        """The prompt variant of each column, from a mapping by variant_id; null without one.

        An id that the mapping does not name is a prompt variant of its own.
        """
        if names is None:
            return None
        by_id = {name_of(variant_id): name for variant_id, name in dict(names).items()}
        for variant_id in by_id:
            if variant_id not in self.variant_ids:
                remedy = nearest(variant_id, list(self.variant_ids))
                raise DataError(f"{option}: no variant_id {variant_id!r}; {remedy}")
        return [by_id.get(variant_id, variant_id) for variant_id in self.variant_ids]

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
    _refuse_twice(items, variants, row, column)
    return Pivot(tuple(items), tuple(variants), row, column)


def _coded(column: Sequence[str], name: str) -> tuple[NDArray[np.intp], list[str]]:
    """The place of each row among the distinct names, none of which is empty."""
    codes, distinct = first_seen(column)
    if (codes < 0).any():
        raise DataError(f"{name} is empty in row {int(codes.argmin())} (from 0)")
    return codes, distinct


def _refuse_twice(
    items: list[str], variants: list[str], row: NDArray[np.intp], column: NDArray[np.intp]
) -> None:
    cells = row * max(1, len(variants)) + column
    _, first, count = np.unique(cells, return_index=True, return_counts=True)
    if (count > 1).any():
        twice = int(first[count > 1][0])
        item, variant = items[row[twice]], variants[column[twice]]
        raise DataError(
            f"item {item!r} has variant {variant!r} more than once; name orders and samples apart "
            "in variant_id"
        )


def _objects(column: Sequence[Any]) -> NDArray[np.object_]:
    values = np.empty(len(column), dtype=object)
    values[:] = listed(column)
    return values
