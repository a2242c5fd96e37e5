"""What the model under test answered itself, as judgements: columns, since there may be many."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..categorical import Categorical, Codes, combined, first_rows
from ..judges.respondent import respondent_judgement
from ..records.item import Item
from ..records.items import Items
from ..records.journal import PLACE
from ..records.judgement import SCHEMA
from ..records.response import SCHEMA as RESPONSES
from ..records.response import Response
from ..records.tables import KEYS, from_table, to_table
from .inputs import batches_of

_DISTRIBUTION = ("labels", "label_probs", "coverage", "coverage_high")
_APART = "\x1f"
_AT_ONCE = 1 << 16
"""How many responses are read at a time: their judgements are in memory meanwhile."""


def respondent_judgements(
    items: pa.Table,
    responses: Path | pa.Table,
    criteria: Mapping[str, Sequence[str]],
    *,
    min_coverage: float,
) -> Iterator[pa.Table]:
    """The judgements of the responses to the benchmarks of these `criteria`, as a run keeps them.

    They come so many responses at a time, each beside the place of its response: a response has a
    row for each criterion of its benchmark, one after the other. Items and responses are as a run
    keeps them.
    """
    if not criteria:
        return
    place_of, start = Items(items).places_of, 0
    for batch in batches_of(responses, RESPONSES.names, rows=_AT_ONCE):
        for benchmark, names in criteria.items():
            at = pa.array(np.flatnonzero(pc.equal(batch["benchmark"], benchmark)))
            if not len(at):
                continue
            some = batch.take(at)
            of_items = items.take(pa.array(place_of(some)))
            tables = _judged(of_items, some, names, min_coverage)
            # of each response its criteria in their order
            order = np.arange(len(tables) * len(at)).reshape(len(tables), -1).T.ravel()
            rows = pa.concat_tables(tables).take(pa.array(order))
            places = np.repeat(start + at.to_numpy(), len(tables))
            yield rows.append_column(PLACE, pa.array(places))
        start += len(batch)


def _judged(
    items: pa.Table, responses: pa.Table, names: Sequence[str], min_coverage: float
) -> list[pa.Table]:
    """The judgements of these responses to these items, a table for each criterion."""
    # what is read of the same text in the same place is the same: it is read once
    alike = _alike(items, responses)
    firsts = pa.array(first_rows(alike))
    first_items = from_table(items.take(firsts), Item)
    first_responses = from_table(responses.take(firsts), Response)
    tables = []
    for name in names:
        read = [
            respondent_judgement(item, name, response, min_coverage=min_coverage)
            for item, response in zip(first_items, first_responses, strict=True)
        ]
        table = to_table(read, SCHEMA).take(pa.array(alike))
        columns = [responses[each] if each in KEYS else table[each] for each in SCHEMA.names]
        tables.append(pa.table(columns, schema=SCHEMA))
    return tables


def _alike(items: pa.Table, responses: pa.Table) -> Codes:
    """The rows that differ in their keys alone by the same number; a distribution is like none."""
    read = [pc.is_valid(responses[name]).to_numpy() for name in _DISTRIBUTION]
    alone = np.where(np.logical_or.reduce(read), np.arange(len(responses)), -1)
    texts = (responses["text"], responses["reason"], items["language"], items["answer"])
    return combined(*map(Categorical.of, (*texts, _options(items["options"]))), alone)


def _options(column: pa.ChunkedArray) -> pa.Array:
    """The options of each row as one text."""
    options = column.combine_chunks()
    texts = pc.binary_join_element_wise(*options.values.flatten(), _APART)
    return pc.binary_join(pa.ListArray.from_arrays(options.offsets, texts), _APART)
