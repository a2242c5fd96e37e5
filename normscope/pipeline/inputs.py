"""The inputs of a stage as columns, of which the rows of a unit are taken when it is done."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from ..records import item as item_rows
from ..records import response as response_rows
from ..records.item import Item, ItemKey
from ..records.journal import Numbers
from ..records.response import Response


class Inputs(Protocol):
    """What a stage's rows are made of."""

    def take(self, rows: Numbers) -> pa.Table:
        """The inputs of these rows, by their numbers."""

    def content(self) -> str:
        """The hash of all inputs: those of other rows, or of other contents, have another."""


@dataclass(frozen=True, slots=True)
class OfItems:
    """Rows that are about an item each: its columns, and those of `more` beside them.

    `item` is the place of each row's item in `items`: many rows may be about one.
    """

    items: pa.Table
    item: Numbers
    more: pa.Table

    def take(self, rows: Numbers) -> pa.Table:
        """The columns of each row's item, and its own."""
        table = self.items.take(pa.array(self.item[rows]))
        own = self.more.take(pa.array(rows))
        for name in own.column_names:
            table = table.append_column(own.schema.field(name), own.column(name))
        return table

    def content(self) -> str:
        """The hash of the items, of the rows' columns and of which row is about which item."""
        return _hash_of(self.items, self.more, pa.table({"item": self.item}))


@dataclass(frozen=True, slots=True)
class Whole:
    """The same for every row: what is asked once, about several items."""

    table: pa.Table

    def take(self, rows: Numbers) -> pa.Table:  # noqa: ARG002
        """All of it."""
        return self.table

    def content(self) -> str:
        """The hash of the table."""
        return _hash_of(self.table)


def responses_of(responses: pa.Table) -> pa.Table:
    """The columns that a response has beside those of its item's key."""
    return responses.drop_columns(list(ItemKey._fields))


def paired(pairs: Sequence[tuple[Item, Response]]) -> OfItems:
    """The inputs of these items and responses."""
    return OfItems(
        item_rows.to_table([item for item, _ in pairs]).combine_chunks(),
        np.arange(len(pairs)),
        responses_of(response_rows.to_table([response for _, response in pairs])).combine_chunks(),
    )


_BATCH = 1 << 16


def _hash_of(*tables: pa.Table) -> str:
    digest = hashlib.sha256()
    for table in tables:
        digest.update(str(table.schema).encode())
        for batch in table.to_batches(max_chunksize=_BATCH):
            digest.update(batch.serialize())
    return digest.hexdigest()
