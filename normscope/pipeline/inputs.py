"""The inputs of a stage, as the units that they are done in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..files import unreadable_parquet
from ..records import item as item_rows
from ..records import response as response_rows
from ..records.item import Item, ItemKey
from ..records.journal import PLACE, Hashes, Numbers, Unit
from ..records.response import SCHEMA, Response
from ..records.sorted_table import ROW_GROUP, in_groups, ranges
from ..records.tables import joined, stream_of, table_of, to_json
from ..records.units import groups, row_hash


class Inputs(Protocol):
    """What a stage's rows are made of, in units of fixed groups of rows."""

    @property
    def rows(self) -> int:
        """How many rows there are."""

    def units(self, order: Numbers | None = None) -> Iterator[Unit]:
        """The units, of which each is made when it comes.

        `order` has the places in the order in which they were planned before, where the rows'
        contents may have changed since; null: in their own.
        """


@dataclass(frozen=True, slots=True)
class OfItems:
    """Rows that are about an item each: its columns, and those of `more` beside them.

    `item` is the place of each row's item in `items`, `places` that of what comes out of it, and
    `order` how rows go together, `size` of them in a unit.
    """

    items: pa.Table
    item: Numbers
    more: pa.Table
    places: Numbers
    hashes: Hashes
    order: Numbers
    size: int

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.order)

    def units(self, order: Numbers | None = None) -> Iterator[Unit]:  # noqa: ARG002
        """The units, in their own order: what the rows are made of stays as it is."""
        for rows in groups(self.order, size=self.size):
            table = _beside(self.items.take(pa.array(self.item[rows])), self.more.take(rows))
            yield Unit(self.places[rows], self.hashes[rows], table)


@dataclass(frozen=True, slots=True)
class OfResponses:
    """Responses as a run keeps them, in a file or a table, each beside its item.

    Those to other items are left out. They are sorted by item and text, so that what begins alike
    stands together, on the disk where they are many.
    """

    items: pa.Table
    responses: Path | pa.Table
    rows: int
    size: int

    def units(self, order: Numbers | None = None) -> Iterator[Unit]:
        """The units; a row's hash is that of all that a judge is shown."""
        shown = [row_hash(*row.values()) for row in self.items.select(_SHOWN).to_pylist()]
        item = _item_of(self.items, batches_of(self.responses, [*ItemKey._fields], rows=_KEYS))
        rank = np.append(_ranks(self.items), -1)[item]
        if order is not None:
            rank = np.full(len(item), -1, np.int64)
            rank[order] = np.arange(len(order))
        # of each question there may be many responses, which are sorted together
        per_rank = max(1, self.rows // max(1, int(rank.max(initial=0)) + 1))
        folder = self.responses.parent if isinstance(self.responses, Path) else None
        with ranges(folder, _RANKED, key="rank", width=max(1, ROW_GROUP // per_rank)) as rows:
            start = 0
            for batch in batches_of(self.responses, _OWN.names):
                places = np.arange(start, start + len(batch))
                start += len(batch)
                rows.add(_ranked(batch, places, item[places], rank[places], shown))
            texts = rows.tables("given", PLACE)
            for table in in_groups(texts, _RANKED, size=self.size):
                if len(table):
                    of_item = self.items.take(table["item"])
                    inputs = _beside(of_item, table.select(_OWN.names))
                    yield Unit(table[PLACE].to_numpy(), table["hash"].to_numpy(), inputs)


def batches_of(
    responses: Path | pa.Table, columns: list[str], *, rows: int = 1 << 12
) -> Iterator[pa.Table]:
    """These columns of every response of a file or a table, so many rows of a file at a time."""
    if isinstance(responses, pa.Table):
        yield responses.select(columns)
        return
    with unreadable_parquet(responses), pq.ParquetFile(responses) as file:
        for batch in file.iter_batches(batch_size=rows, columns=columns):
            yield pa.Table.from_batches([batch]).select(columns)


_KEYS = 1 << 16
"""Rows whose keys are read at a time: for each the keys of all items are looked through."""

_SHOWN = [*ItemKey._fields, "category", "language", "messages"]
_OWN = pa.schema([field for field in SCHEMA if field.name not in ItemKey._fields])
_RANKED = pa.schema(
    [
        *_OWN,
        *((name, pa.int64()) for name in (PLACE, "item", "rank")),
        ("hash", pa.uint64()),
        ("given", pa.string()),
    ]
)
_RANKS = """
select dense_rank() over (
    order by benchmark, category, language, coalesce(messages[-1].content, '')
) - 1 as rank
from items order by place
"""


def _item_of(items: pa.Table, keys: Iterator[pa.Table]) -> Numbers:
    """Of each response the place of its item; −1 where it is not among these."""
    known = joined(items, ItemKey._fields).combine_chunks()
    found = [
        pc.index_in(joined(batch, ItemKey._fields), value_set=known).fill_null(-1).to_numpy()
        for batch in keys
    ]
    return np.concatenate([np.zeros(0, np.int64), *found]).astype(np.int64)


def _ranks(items: pa.Table) -> Numbers:
    """The place of each item's benchmark, category, language and question among them, sorted."""
    import duckdb  # 0.3 s

    known = items.select(_SHOWN).append_column(PLACE, pa.array(np.arange(len(items))))
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("items", known)
        ranks: Numbers = connection.sql(_RANKS).to_arrow_table()["rank"].to_numpy()
    return ranks.astype(np.int64)


def _ranked(
    batch: pa.Table, places: Numbers, item: Numbers, rank: Numbers, shown: Sequence[int]
) -> pa.Table:
    """Those responses that belong to an item, as `_RANKED`."""
    columns = zip(item.tolist(), *(batch[n].to_pylist() for n in ("text", "reason")), strict=True)
    hashes = [row_hash(shown[at], *given) if at >= 0 else 0 for at, *given in columns]
    added = {PLACE: places, "item": item, "rank": rank, "hash": np.array(hashes, np.uint64)}
    for name, column in added.items():
        batch = batch.append_column(name, pa.array(column))
    batch = batch.append_column("given", pc.fill_null(batch["text"], ""))
    return batch.filter(pa.array(rank >= 0))


@dataclass(frozen=True, slots=True)
class Once:
    """One row, of all items of a table: what is asked once."""

    items: pa.Table
    rows: int = 1

    def units(self, order: Numbers | None = None) -> Iterator[Unit]:  # noqa: ARG002
        """The one unit."""
        inputs = pa.table({"items": pa.array([stream_of(self.items)], pa.binary())})
        yield Unit(np.zeros(1, np.int64), np.zeros(1, np.uint64), inputs)

    @staticmethod
    def items_of(inputs: pa.Table) -> pa.Table:
        """The items of the unit's inputs."""
        return table_of(inputs["items"][0].as_py())


def paired(pairs: Sequence[tuple[Item, Response]], order: Numbers, *, size: int) -> OfItems:
    """The inputs of these items and responses."""
    responses = response_rows.to_table([response for _, response in pairs]).combine_chunks()
    every = np.arange(len(pairs))
    return OfItems(
        item_rows.to_table([item for item, _ in pairs]).combine_chunks(),
        every,
        responses.drop_columns(list(ItemKey._fields)),
        every,
        np.array([row_hash(*map(to_json, pair)) for pair in pairs], np.uint64),
        order,
        size,
    )


def _beside(table: pa.Table, more: pa.Table) -> pa.Table:
    for name in more.column_names:
        table = table.append_column(more.schema.field(name), more.column(name))
    return table
