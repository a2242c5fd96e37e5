"""What the model under test answered itself, as judgements: columns, since there may be many."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..categorical import Categorical, Codes, combined, first_rows
from ..judges.respondent import respondent_judgement
from ..records.item import Item, ItemKey
from ..records.judgement import SCHEMA
from ..records.response import Response
from ..records.tables import KEYS, from_table, joined, to_table

_DISTRIBUTION = ("labels", "label_probs", "coverage", "coverage_high")
_APART = "\x1f"
_AT_ONCE = 1 << 16
"""How many responses are read at a time: their judgements are in memory meanwhile."""


def respondent_judgements(
    items: pa.Table,
    responses: pa.Table,
    criteria: Mapping[str, Sequence[str]],
    *,
    min_coverage: float,
) -> Iterator[tuple[Codes, pa.Table]]:
    """The judgements of the responses to the benchmarks of these `criteria`, as a run keeps them.

    They come so many responses at a time. Beside each table stands the place in `responses` of each
    row's response: a response has a row for each criterion of its benchmark, one after the other.
    Both tables that are given are as a run keeps them.
    """
    benchmarks = Categorical.of(responses["benchmark"])
    for benchmark, names in criteria.items():
        of_benchmark = items.filter(pc.equal(items["benchmark"], benchmark))
        known = joined(of_benchmark, ItemKey._fields).combine_chunks()
        places = np.flatnonzero(benchmarks.equals(benchmark))
        for start in range(0, len(places), _AT_ONCE):
            rows = places[start : start + _AT_ONCE]
            # what is taken of a column of several chunks is taken of a copy of all of them
            near = responses.slice(rows[0], rows[-1] - rows[0] + 1)
            given = near.take(pa.array(rows - rows[0]))
            asked = of_benchmark.take(pc.index_in(joined(given, ItemKey._fields), value_set=known))
            tables = _judged(asked, given, names, min_coverage)
            # of each response its criteria in their order
            order = np.arange(len(tables) * len(rows)).reshape(len(tables), -1).T.ravel()
            yield np.repeat(rows, len(tables)), pa.concat_tables(tables).take(pa.array(order))


def _judged(
    asked: pa.Table, given: pa.Table, names: Sequence[str], min_coverage: float
) -> list[pa.Table]:
    """The judgements of these responses to these items, a table for each criterion."""
    # what is read of the same text in the same place is the same: it is read once
    alike = _alike(asked, given)
    firsts = pa.array(first_rows(alike))
    first_items = from_table(asked.take(firsts), Item)
    first_responses = from_table(given.take(firsts), Response)
    tables = []
    for name in names:
        read = [
            respondent_judgement(item, name, response, min_coverage=min_coverage)
            for item, response in zip(first_items, first_responses, strict=True)
        ]
        table = to_table(read, SCHEMA).take(pa.array(alike))
        columns = [given[each] if each in KEYS else table[each] for each in SCHEMA.names]
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
    each = pc.binary_join_element_wise(*options.values.flatten(), _APART)
    return pc.binary_join(pa.ListArray.from_arrays(options.offsets, each), _APART)
