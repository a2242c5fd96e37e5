"""The items of a run as columns, of which an `Item` is made where somebody asks for one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..categorical import Categorical, Codes, combined
from .item import SCHEMA, Item, ItemKey
from .tables import from_table, joined, to_table


@dataclass(frozen=True, eq=False)
class Items(Iterable[Item]):
    """The rows of `items.parquet`, or some of its columns.

    A run of recorded answers has hundreds of thousands of them: statistics and comparisons read
    `column` and `facet`, and all are made into items only for who goes through them.
    """

    table: pa.Table
    _columns: dict[str, Categorical] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, items: Iterable[Item]) -> "Items":
        """The items as a table.

        >>> Items.of([Item("b", "1", (), "en"), Item("b", "2", (), "zh")]).column("language").names
        ('en', 'zh')
        """
        return cls(to_table(items, SCHEMA))

    def __len__(self) -> int:
        """How many items there are."""
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[Item]:
        """Every item."""
        return iter(from_table(self.table, Item))

    def take(self, rows: Any) -> list[Item]:
        """The items in these places, of which no others are made."""
        return from_table(self.table.take(pa.array(rows, pa.int64())), Item)

    def column(self, name: str) -> Categorical:
        """A column of texts."""
        if name not in self._columns:
            self._columns[name] = Categorical.of(self.table[name])
        return self._columns[name]

    def facet(self, name: str) -> Categorical:
        """The level of each item in the facet; null where it has none."""
        return Categorical.of(pc.map_lookup(self.table["facets"], pa.scalar(name), "first"))

    @cached_property
    def clusters(self) -> Categorical:
        """What is drawn anew as a whole: `Item.cluster_or_id` of each."""
        cluster = self.table["cluster"]
        return Categorical.of(pc.if_else(pc.equal(cluster, ""), self.table["item_id"], cluster))

    @cached_property
    def _keys(self) -> pa.Array:
        return joined(self.table, ItemKey._fields).combine_chunks()

    def places_of(self, rows: pa.Table) -> Codes:
        """The place of the item of each row, by the columns of its key; −1 where it is not here."""
        keys = rows.select(ItemKey._fields).cast(
            pa.schema({n: pa.string() for n in ItemKey._fields})
        )
        places = pc.index_in(joined(keys, ItemKey._fields), value_set=self._keys)
        result: Codes = places.fill_null(-1).to_numpy().astype(np.intp)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class OfItems:
    """Rows that are about an item each: its place in `items`, −1 where it is not among them."""

    items: Items
    item: Codes

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.item)

    def of_items(self, name: str) -> Categorical:
        """A column of texts of each row's item; null where the item is not among them."""
        return self.items.column(name).taken(self.item)

    def facet(self, name: str) -> Categorical:
        """The level of each row's item in a facet; null where it has none."""
        return self.items.facet(name).taken(self.item)

    @property
    def clusters(self) -> Categorical:
        """What is not independent of one another: the items' clusters, else their ids."""
        return self.items.clusters.taken(self.item)

    def item_rows(self) -> list[Item]:
        """The item of each row."""
        return self.items.take(self.item)

    def distinct_items(self) -> list[Item]:
        """An item of each `item_id`, as first seen; of its variants the last: they differ in that.

        The variants of a vignette have its factors in common.
        """
        codes = combined(self.of_items("item_id"))
        # of several assignments to one place the last counts
        last = np.zeros(codes.max(initial=-1) + 1, dtype=np.intp)
        last[codes] = self.item
        return self.items.take(last)
