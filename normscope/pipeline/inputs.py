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
from ..records.tables import to_json
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
        item, rank = _paired(self.items, self._batches([*ItemKey._fields]))
        if order is not None:
            rank = np.full(len(item), -1, np.int64)
            rank[order] = np.arange(len(order))
        # of each question there may be many responses, which are sorted together
        per_rank = max(1, self.rows // max(1, int(rank.max(initial=0)) + 1))
        folder = self.responses.parent if isinstance(self.responses, Path) else None
        with ranges(folder, _RANKED, key="rank", width=max(1, ROW_GROUP // per_rank)) as rows:
            start = 0
            for batch in self._batches(_OWN.names):
                places = np.arange(start, start + len(batch))
                start += len(batch)
                rows.add(_ranked(batch, places, item[places], rank[places], shown))
            texts = rows.tables("given", PLACE)
            for table in in_groups(texts, _RANKED, size=self.size):
                if len(table):
                    of_item = self.items.take(table["item"])
                    inputs = _beside(of_item, table.select(_OWN.names))
                    yield Unit(table[PLACE].to_numpy(), table["hash"].to_numpy(), inputs)

    def _batches(self, columns: list[str]) -> Iterator[pa.Table]:
        """These columns of every response, some thousand rows at a time."""
        if isinstance(self.responses, pa.Table):
            yield self.responses.select(columns)
            return
        with unreadable_parquet(self.responses), pq.ParquetFile(self.responses) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=columns):
                yield pa.Table.from_batches([batch]).select(columns)


_BATCH = 1 << 12
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
_PAIRED = """
with ranked as (
    select *, dense_rank() over (
        order by benchmark, category, language, coalesce(messages[-1].content, '')
    ) - 1 as rank
    from items
)
select coalesce(item, -1), coalesce(rank, -1)
from responses left join ranked using (benchmark, item_id, variant_id, scale_order)
order by place
"""


def _paired(items: pa.Table, responses: Iterator[pa.Table]) -> tuple[Numbers, Numbers]:
    """Of each response the place of its item, and its question's rank; −1 where it has none."""
    import duckdb  # 0.3 s

    known = items.select(_SHOWN).append_column("item", pa.array(np.arange(len(items))))
    keys = pa.concat_tables(responses)
    keys = keys.append_column(PLACE, pa.array(np.arange(len(keys))))
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("items", known)
        connection.register("responses", keys)
        found = connection.sql(_PAIRED).to_arrow_table()
    item, rank = (column.cast(pa.int64()).to_numpy() for column in found.columns)
    return item, rank


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
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.items.schema) as out:
            out.write_table(self.items)
        inputs = pa.table({"items": pa.array([sink.getvalue().to_pybytes()], pa.binary())})
        yield Unit(np.zeros(1, np.int64), np.zeros(1, np.uint64), inputs)

    @staticmethod
    def items_of(inputs: pa.Table) -> pa.Table:
        """The items of the unit's inputs."""
        with pa.ipc.open_stream(inputs["items"][0].as_py()) as reader:
            return reader.read_all()


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
