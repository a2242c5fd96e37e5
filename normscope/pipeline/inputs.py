"""The rows of a stage, in the units that they are done in."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..files import unreadable_parquet
from ..records.item import ItemKey
from ..records.items import Items
from ..records.journal import PLACE, Hashes, Numbers, Unit
from ..records.response import SCHEMA
from ..records.sorted_table import ROW_GROUP, in_groups, ranges
from ..records.tables import joined
from ..records.units import row_hash

Units = Callable[..., Iterator[Unit]]
"""The units of a stage, each made when it comes.

They may be told the places in the order in which they were planned before, where the rows' contents
may have changed since; else they come in their own.
"""


def _one_row(order: Numbers | None = None) -> Iterator[Unit]:  # noqa: ARG001
    row = np.zeros(1, np.int64)
    yield Unit(row, row.astype(np.uint64), pa.table({"row": row}))


ONE_ROW = (1, _one_row)
"""What is asked once, of nothing."""


def responses_beside(
    items: pa.Table, responses: Path | pa.Table, *, size: int
) -> tuple[int, Units]:
    """How many responses to these items there are; each beside its item, `size` of them in a unit.

    Items and responses are as a run keeps them; responses to other items are left out. What begins
    alike stands together: they are sorted by item and text, on the disk where they are many.
    """
    benchmarks = items["benchmark"].unique()
    rows = sum(
        pc.sum(pc.is_in(batch["benchmark"], value_set=benchmarks)).as_py() or 0
        for batch in batches_of(responses, ["benchmark"])
    )
    return rows, partial(_units, items.combine_chunks(), responses, rows, size)


def _units(
    items: pa.Table,
    responses: Path | pa.Table,
    count: int,
    size: int,
    order: Numbers | None = None,
) -> Iterator[Unit]:
    """The units; a row's hash is that of all that a judge is shown."""
    keys = batches_of(responses, [*ItemKey._fields], rows=_KEYS)
    item = np.concatenate([np.zeros(0, np.intp), *map(Items(items).places_of, keys)])
    item_hashes, of_item = _shown(items)
    rank = np.append(of_item, -1)[item]
    if order is not None:
        rank = np.full(len(item), -1, np.int64)
        rank[order] = np.arange(len(order))
    # of each question there may be many responses, which are sorted together
    per_rank = max(1, count // max(1, int(rank.max(initial=0)) + 1))
    folder = responses.parent if isinstance(responses, Path) else None
    with ranges(folder, _RANKED, key="rank", width=max(1, ROW_GROUP // per_rank)) as rows:
        start = 0
        for batch in batches_of(responses, _OWN.names):
            places = np.arange(start, start + len(batch))
            start += len(batch)
            rows.add(_ranked(batch, places, item[places], rank[places], item_hashes))
        del item, rank
        texts = rows.tables("given", PLACE)
        for table in in_groups(texts, _RANKED, size=size):
            if len(table):
                inputs = beside(items.take(table["item"]), table.select(_OWN.names))
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


def beside(table: pa.Table, more: pa.Table) -> pa.Table:
    """The columns of both tables."""
    schema = pa.schema([*table.schema, *more.schema])
    return pa.Table.from_arrays([*table.columns, *more.columns], schema=schema)


def dense_ranks(texts: pa.Array | pa.ChunkedArray) -> Numbers:
    """The place of each text among the different ones, sorted.

    >>> dense_ranks(pa.array(["b", "a", "b"])).tolist()
    [1, 0, 1]
    """
    ranks: Numbers = pc.rank(texts, tiebreaker="dense").to_numpy().astype(np.int64) - 1
    return ranks


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


def _shown(items: pa.Table) -> tuple[Hashes, Numbers]:
    """The hash of what a judge is shown of each item, and the rank of its kind and question."""
    hashes, questions = [], []
    # a part at a time, since each is a dict meanwhile
    for batch in items.select(_SHOWN).to_batches(_KEYS >> 4):
        for row in batch.to_pylist():
            hashes.append(row_hash(*row.values()))
            questions.append(row["messages"][-1]["content"] if row["messages"] else "")
    kinds = items.select(["benchmark", "category", "language"])
    kinds_and_questions = kinds.append_column("question", pa.array(questions, pa.string()))
    return np.array(hashes, np.uint64), dense_ranks(
        joined(kinds_and_questions, kinds_and_questions.column_names)
    )


def _ranked(
    batch: pa.Table, places: Numbers, item: Numbers, rank: Numbers, item_hashes: Hashes
) -> pa.Table:
    """Those responses that belong to an item, as `_RANKED`."""
    columns = zip(item.tolist(), *(batch[n].to_pylist() for n in ("text", "reason")), strict=True)
    hashes = [row_hash(int(item_hashes[at]), *given) if at >= 0 else 0 for at, *given in columns]
    added = {PLACE: places, "item": item, "rank": rank, "hash": np.array(hashes, np.uint64)}
    added["given"] = pc.fill_null(batch["text"], "")
    return beside(batch, pa.table(added)).filter(pa.array(rank >= 0))
