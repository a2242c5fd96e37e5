"""A balanced slice: the few items that stand best for all of them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..records.item import Item

ANNOTATIONS = frozenset({"item_format", "pair_confidence", "published_subset", "silver_confidence"})
"""Facets that tell something about a row and are not balanced: a rare one would be overdrawn."""

_GOLDEN = (5**0.5 - 1) / 2

_Codes = npt.NDArray[np.int64]


def balanced(items: Sequence[Item], limit: int) -> list[Item]:
    """At most `limit` items, balanced over categories, areas, languages and facets.

    Rows with one `item_id` (an item's variants) stay together and count once. One item after the
    other is taken: of the category taken least so far; among these the item whose area, language
    and facet levels were taken least; among these the one whose pairs of levels were, so that two
    factors do not go hand in hand. What is still tied is spread evenly over the order of the
    items. The same items give the same slice, in their original order.

    Levels are those of an item's first row; a facet that an item lacks is a level of its own.
    """
    if limit < 1:
        raise UsageError(f"a slice of {limit} items is empty; ask for 1 or more")
    first = {item.item_id: item for item in reversed(items)}
    units = [first[item_id] for item_id in dict.fromkeys(item.item_id for item in items)]
    if limit >= len(units):
        return list(items)
    chosen = {units[index].item_id for index in _choose(_codes(units), limit)}
    return [item for item in items if item.item_id in chosen]


def _codes(units: Sequence[Item]) -> _Codes:
    """One row of level codes per dimension; the category is the first."""
    facets = sorted({name for item in units for name in item.facets} - ANNOTATIONS)
    dimensions: list[list[str | None]] = [
        [item.category for item in units],
        [item.area for item in units],
        [item.language for item in units],
        *([item.facets.get(name) for item in units] for name in facets),
    ]
    coded = np.empty((len(dimensions), len(units)), dtype=np.int64)
    for row, values in zip(coded, dimensions, strict=True):
        codes: dict[str | None, int] = {}
        row[:] = [codes.setdefault(value, len(codes)) for value in values]
    # a dimension with one level, or with one level per item, has nothing to balance
    useful = [index == 0 or 1 < len(set(row)) < len(units) for index, row in enumerate(coded)]
    return coded[useful]


def _choose(codes: _Codes, limit: int) -> list[int]:
    """The indices of `limit` units, by the greedy rule of `balanced`."""
    units = codes.shape[1]
    order = np.argsort((np.arange(units) * _GOLDEN) % 1.0, kind="stable")
    codes = np.ascontiguousarray(codes[:, order])
    category, level, pair = (np.zeros(units, dtype=np.int64) for _ in range(3))
    free = np.ones(units, dtype=np.bool_)
    chosen: list[int] = []
    for _ in range(limit):
        candidates = np.flatnonzero(free)
        for cost in (category, level, pair):
            values = cost[candidates]
            candidates = candidates[values == values.min()]
        pick = int(candidates[0])
        free[pick] = False
        chosen.append(int(order[pick]))
        shared = codes == codes[:, pick, None]
        matches = shared.sum(axis=0)
        category += shared[0]
        level += matches
        pair += matches * (matches - 1) // 2
    return chosen
