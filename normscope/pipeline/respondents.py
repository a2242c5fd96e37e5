"""What the model under test answered itself, as judgements: columns, since there may be many."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..categorical import Categorical, Codes, combined, first_rows
from ..judges.respondent import respondent_judgement
from ..records import item as item_rows
from ..records import response as response_rows
from ..records.item import ItemKey
from ..records.judgement import SCHEMA, to_table
from ..records.tables import KEYS, joined

_DISTRIBUTION = ("labels", "label_probs", "coverage", "coverage_high")
_APART = "\x1f"


def respondent_judgements(
    items: pa.Table,
    responses: pa.Table,
    criteria: Mapping[str, Sequence[str]],
    *,
    min_coverage: float,
) -> tuple[Codes, pa.Table]:
    """The judgements of the responses to the benchmarks of these `criteria`, as a run keeps them.

    Beside the table stands the place in `responses` of each row's response: a response has a row
    for each criterion of its benchmark. Both tables that are given are as a run keeps them.
    """
    places, tables = [np.zeros(0, dtype=np.intp)], [SCHEMA.empty_table()]
    benchmarks = Categorical.of(responses["benchmark"])
    for benchmark, names in criteria.items():
        rows = np.flatnonzero(benchmarks.equals(benchmark))
        given = responses.take(pa.array(rows))
        of_benchmark = items.filter(pc.equal(items["benchmark"], benchmark))
        known = joined(of_benchmark, ItemKey._fields).combine_chunks()
        asked = of_benchmark.take(pc.index_in(joined(given, ItemKey._fields), value_set=known))
        # what is read of the same text in the same place is the same: it is read once
        alike = _alike(asked, given)
        firsts = pa.array(first_rows(alike))
        first_items = item_rows.from_table(asked.take(firsts))
        first_responses = response_rows.from_table(given.take(firsts))
        for name in names:
            read = [
                respondent_judgement(item, name, response, min_coverage=min_coverage)
                for item, response in zip(first_items, first_responses, strict=True)
            ]
            table = to_table(read).take(pa.array(alike))
            columns = [given[each] if each in KEYS else table[each] for each in SCHEMA.names]
            places.append(rows)
            tables.append(pa.table(columns, schema=SCHEMA))
    return np.concatenate(places), pa.concat_tables(tables)


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
