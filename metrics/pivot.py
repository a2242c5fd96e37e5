"""Long tables (a row per item and variant) into matrices of items × variants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, nearest
from .columns import by_name, listed, names
from .groups import first_seen
from .inputs import Column, Floats, numbers, same_length


@dataclass(frozen=True, slots=True)
class Pivot:
    """Where each row of a long table stands in the matrix, items and variants as first seen."""

    items: tuple[str, ...]
    variants: tuple[str, ...]
    row: NDArray[np.intp]
    column: NDArray[np.intp]

    def matrix(self, values: Column, name: str = "values") -> Floats:
        """The column of numbers as items × variants, NaN where the table has no row."""
        wide = np.full((len(self.items), len(self.variants)), np.nan)
        wide[self.row, self.column] = numbers(values, name)
        return wide

    def reasons(self, column: Sequence[Any]) -> list[list[Any]]:
        """The column of reasons as items × variants, null where the table has no row."""
        wide = np.full((len(self.items), len(self.variants)), None, dtype=object)
        wide[self.row, self.column] = _objects(column)
        nested: list[list[Any]] = wide.tolist()
        return nested

    def wordings(self, alike: Any) -> list[str] | None:
        """The wording of each variant: by its name (`named`), or from a column with one per row."""
        return wordings_of(alike, self.variants, self.column)

    def per_item(self, column: Sequence[Any], name: str = "column") -> list[Any]:
        """The column's one value for each item, a `DataError` if an item has several."""
        same_length({"item_id": self.row, name: column})
        values = _objects(column)
        first = np.unique(self.row, return_index=True)[1]
        known = values[first]
        differs = np.flatnonzero(known[self.row] != values)
        if len(differs):
            row = int(differs[0])
            item, one, other = self.items[self.row[row]], known[self.row[row]], values[row]
            raise DataError(f"{name}: item {item!r} has {one!r} and, in row {row}, {other!r}")
        levels: list[Any] = known.tolist()
        return levels


def pivot(item_id: Sequence[str], variant_id: Sequence[str]) -> Pivot:
    """The places of the rows; a `DataError` where an item has a variant twice.

    >>> table = pivot(["a", "a", "b"], ["v0", "v1", "v1"])
    >>> table.matrix([1, 2, -1]).tolist()
    [[1.0, 2.0], [nan, -1.0]]
    """
    same_length({"item_id": item_id, "variant_id": variant_id})
    row, items = first_seen(item_id)
    column, variants = first_seen(variant_id)
    for name, codes in (("item_id", row), ("variant_id", column)):
        if (codes < 0).any():
            raise DataError(f"{name} is empty in row {int(codes.argmin())} (from 0)")
    cells = row * max(1, len(variants)) + column
    seen, first, count = np.unique(cells, return_index=True, return_counts=True)
    if len(seen) < len(cells):
        twice = int(first[count > 1][0])
        told = f"item {items[row[twice]]!r} has variant {variants[column[twice]]!r} more than once"
        raise DataError(f"{told}; name orders and samples apart in variant_id")
    return Pivot(tuple(items), tuple(variants), row, column)


def wordings_of(alike: Any, variants: Sequence[str], column: NDArray[np.intp]) -> list[str] | None:
    """The wording of each variant, by its name or from a value per row of these variants.

    A series is by name where its index is of variants.
    """
    if alike is None:
        return None
    by_index = hasattr(alike, "to_dict") and {*names(alike.index)} <= {*variants}
    if isinstance(alike, Mapping) or by_index:
        return named(variants, by_name(alike, "wordings"))
    same_length({"variant_id": column, "wordings": alike})
    found: dict[str, str] = {}
    for at, wording in zip(column, names(alike), strict=True):
        own = wording or variants[at]
        if found.setdefault(variants[at], own) != own:
            told = f"{found[variants[at]]!r} and {own!r}"
            raise DataError(f"wordings: variant {variants[at]!r} has {told}; give it one")
    return [found[variant] for variant in variants]


def named(variants: Sequence[str], alike: Mapping[str, str] | None) -> list[str] | None:
    """The wording of each variant, its own name where it has none; null if none is told.

    >>> named(["v0", "v0 reversed"], {"v0 reversed": "v0"})
    ['v0', 'v0']
    """
    for name in alike or {}:
        if name not in variants:
            raise DataError(f"wordings: no variant {name!r}; {nearest(name, list(variants))}")
    return None if alike is None else [alike.get(name, name) for name in variants]


def _objects(column: Sequence[Any]) -> NDArray[np.object_]:
    values = np.empty(len(column), dtype=object)
    values[:] = listed(column)
    return values
