"""The rows of a visitor's judgements as columns: keys, values, and what is known of their items."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...categorical import Categorical, Codes, combined, first_rows, grouped
from ...datasets_builders.ci_vignettes.context import bundled_contexts
from ...files import hash_value
from ...languages import language_code
from ...reasons import Reason
from ...records.item import SCHEMA as ITEMS
from ...records.item import ItemKey
from ...records.items import Items
from ...records.judgement import SCHEMA, Source
from ...records.judgements import COLUMNS, Floats
from ...untrusted import inert
from .served import BENCHMARK
from .texts import VisitorError
from .upload import LongTable
from .vignettes import vignettes

ITEM = ("area", "category", "language", "cluster", "facets", "response", "messages")
CRITERIA = ("moral", "rating", "refusal", "acceptability", "option")
TABLE = pa.schema([SCHEMA.field(name) for name in COLUMNS])
_FACETS = ITEMS.field("facets").type
_MOST_SAMPLES = np.iinfo(np.int32).max


def texts_of(table: LongTable, name: str) -> pa.Array:
    """The column as texts, empty where there is none."""
    return _texts(table.array(name)).fill_null("")


def keys_of(table: LongTable) -> pa.Table:
    """The key of each row's item, a column for each of its fields."""
    columns = {name: texts_of(table, name) for name in ItemKey._fields}
    columns["benchmark"] = _renamed(columns["benchmark"], lambda name: inert(name) or BENCHMARK)
    return pa.table(columns)


def as_in_a_run(table: LongTable, keys: pa.Table) -> pa.Table:
    """The judgements with the columns that are read of a run's, whatever the file's format."""
    samples = numbers_of(table, "sample")
    if (unlike := np.flatnonzero(np.abs(samples) > _MOST_SAMPLES)).size:
        raise _no_number(samples[unlike[0]])
    columns = {
        **{name: keys[name] for name in ItemKey._fields},
        "sample": pa.array(np.nan_to_num(samples).astype(np.int32)),
        "criterion": texts_of(table, "criterion"),
        "source": texts_of(table, "source"),
    }
    _refuse_twice(table.name, columns)
    columns["labels"], columns["probs"] = _distributions(table)
    return judged(columns, numbers_of(table, "value"), _texts(table.array("reason")))


def judged(
    columns: dict[str, pa.Array | pa.ChunkedArray], values: Floats, reasons: pa.Array
) -> pa.Table:
    """Judgements in the columns of a run's: without a value or a reason it is a call that failed.

    What is not among the columns is null.
    """
    reasons = pc.if_else(pc.equal(reasons, ""), None, reasons).fill_null(str(Reason.CALL_FAILED))
    missing = pa.array(np.isnan(values))
    columns = {
        **columns,
        "value": pa.array(values, from_pandas=True),
        "reason": pc.if_else(missing, reasons, None),
    }
    return pa.table(
        [
            columns[field.name] if field.name in columns else pa.nulls(len(values), field.type)
            for field in TABLE
        ],
        schema=TABLE,
    )


def _refuse_twice(name: str, columns: dict[str, pa.Array]) -> None:
    """Refuses two judgements of one response under one criterion."""
    codes = combined(
        *(
            Categorical.of(c) if pa.types.is_string(c.type) else c.to_numpy()
            for c in columns.values()
        )
    )
    again = np.flatnonzero(first_rows(codes)[codes] != np.arange(len(codes)))
    if len(again):
        raise VisitorError(
            "{name} judges {item} twice under {criterion}. Take the judgements of one model "
            "and one run.",
            name=name,
            item=columns["item_id"][again[0]].as_py(),
            criterion=columns["criterion"][again[0]].as_py()[:40],
        )


def _distributions(table: LongTable) -> tuple[pa.Array, pa.Array]:
    """The labels and the probability of each; null in both where they do not go together."""
    types = TABLE.field("labels").type, TABLE.field("probs").type
    columns = [_one(table.array(name)) for name in ("labels", "probs")]
    try:
        labels, probs = (column.cast(kind) for column, kind in zip(columns, types, strict=True))
    except pa.ArrowException:
        return pa.nulls(len(table.table), types[0]), pa.nulls(len(table.table), types[1])
    sizes = [pc.list_value_length(column).fill_null(0).to_numpy() for column in (labels, probs)]
    good = (sizes[0] == sizes[1]) & (sizes[0] > 0)
    for column in (labels, probs):
        # a list with a gap is no distribution
        gaps = pc.is_null(pc.list_flatten(column))
        good[pc.list_parent_indices(column).filter(gaps).to_numpy()] = False
    kept = pa.array(good)
    return tuple(
        pc.if_else(kept, column, pa.scalar(None, kind))
        for column, kind in zip((labels, probs), types, strict=True)
    )


def described(items: LongTable, keys: pa.Table) -> Items:
    """What the file of items says of each."""
    table = keys_of(items)
    rows = pa.array(first_rows(_codes(table)))
    columns = {
        **{name: table[name] for name in ItemKey._fields},
        **{name: _inert(texts_of(items, name)) for name in ("area", "category", "language")},
        "cluster": texts_of(items, "cluster"),
        "facets": _facets(_one(items.array("facets"))),
        # whether there is an answer counts, not what it says
        "response": pc.if_else(pc.is_valid(_one(items.array("response"))), "", None),
    }
    result = Items(_items(columns).take(rows))
    places = result.places_of([Categorical.of(keys[name]) for name in ItemKey._fields])
    if (missing := np.flatnonzero(places < 0)).size:
        raise VisitorError(
            "{name} does not describe item {item} of the judgements. Take the two "
            "files from the same run.",
            name=items.name,
            item=keys["item_id"][missing[0]].as_py(),
        )
    return result


def undescribed(keys: pa.Table) -> Items:
    """Items of which only the key is known, and of the vignettes of our own contexts the flow."""
    keys = keys.take(pa.array(first_rows(_codes(keys))))
    contexts = {
        name.partition(":")[2]
        for name in pc.unique(keys["benchmark"]).to_pylist()
        if name.startswith("ci-vignettes:")
    }
    flows = [row for name in contexts & set(bundled_contexts()) for row in vignettes(name)]
    # the last is that of an item of which nothing is known
    known = pa.array([*(list(row.flow.items()) for row in flows), []], _FACETS)
    place = pc.index_in(keys["item_id"], pa.array([row.item_id for row in flows], pa.string()))
    facets = known.take(_one(place.fill_null(len(flows))))
    return Items(_items({**{name: keys[name] for name in ItemKey._fields}, "facets": facets}))


def judged_file(table: LongTable) -> tuple[Items, pa.Table]:
    """The items and judgements of a file judged row by row: paired by their ids or questions."""
    names, clusters = _row_names(table)
    languages = _renamed(texts_of(table, "language"), lambda name: language_code(inert(name)))
    items = Items(
        _items(
            {
                "benchmark": pa.repeat(BENCHMARK, len(names)),
                "item_id": names,
                "language": languages,
                "category": _inert(texts_of(table, "category")),
                "cluster": clusters,
                "response": pa.repeat("", len(names)),
            }
        )
    )
    tables = [
        judged(
            {
                **{name: items.table[name] for name in ItemKey._fields},
                "sample": pa.array(np.zeros(len(names), np.int32)),
                "criterion": pa.repeat(criterion, len(names)),
                "source": pa.repeat(str(Source.JUDGE_LOGITS), len(names)),
            },
            numbers_of(table, criterion),
            _texts(table.array(f"{criterion}_reason")),
        )
        for criterion in criteria_of(table)
    ]
    return items, pa.concat_tables(tables) if tables else TABLE.empty_table()


def _row_names(table: LongTable) -> tuple[pa.Array, pa.Array]:
    """What each row is called, the same in every file with the same questions; and its cluster."""
    n = len(table.table)
    if table.has("question"):
        clusters = _renamed(texts_of(table, "question"), lambda text: hash_value(text)[:16])
    else:
        clusters = pa.array(np.arange(1, n + 1)).cast(pa.string())
    ids = next((name for name in ("item_id", "id") if table.has(name)), None)
    names = clusters if ids is None else texts_of(table, ids)
    # a question that stands there again is another row, by its order in the file
    times = np.ones(n, dtype=np.intp)
    for rows in (
        grouped(combined(Categorical.of(names))) if pc.count_distinct(names).as_py() < n else ()
    ):
        times[rows] += np.arange(len(rows))
    numbered = pc.binary_join_element_wise(names, pa.array(times).cast(pa.string()), "#")
    return pc.if_else(pa.array(times == 1), names, numbered), clusters


def criteria_of(table: LongTable) -> list[str]:
    """The criteria whose values a judged file has beside its rows."""
    return [
        criterion
        for criterion in CRITERIA
        if table.has(criterion) and f"{criterion}_reason" in table.names
    ]


def numbers_of(table: LongTable, name: str) -> Floats:
    """The numbers of the column, NaN where it is empty or holds none that is finite."""
    column = _one(table.array(name))
    try:
        if pa.types.is_string(column.type):
            column = pc.utf8_trim_whitespace(column)
            column = pc.if_else(pc.equal(column, ""), None, column)
        numbers = column.cast(pa.float64())
    except pa.ArrowException:
        # as a person may write them, or the first that is none is named
        numbers = pa.array([_number(cell) for cell in column.to_pylist()], pa.float64())
    values = numbers.to_numpy(zero_copy_only=False)
    return np.where(np.isfinite(values), values, np.nan)


def _number(cell: Any) -> float | None:
    try:
        return None if cell is None else float(cell)
    except (TypeError, ValueError, OverflowError):
        raise _no_number(cell) from None


def _no_number(cell: Any) -> VisitorError:
    return VisitorError(
        "A judgement has the value {value!r}, which is no number.", value=str(cell)[:30]
    )


def _items(columns: dict[str, Any]) -> pa.Table:
    """Items in these columns; what else a comparison reads of them is empty."""
    n = len(columns["item_id"])
    texts = (*ItemKey._fields, "area", "category", "language", "cluster")
    empty = {
        **{name: pa.repeat("", n) for name in texts},
        **{name: pa.nulls(n, pa.string()) for name in ("answer_source", "response")},
        "facets": pa.MapArray.from_arrays(np.zeros(n + 1, np.int32), *_no_pairs()),
    }
    return pa.table({**empty, **columns})


def _facets(column: pa.Array) -> pa.Array:
    """The facets of each item, none where the file's column is no mapping."""
    if pa.types.is_struct(column.type):
        cells = ({} if cell is None else cell for cell in column.to_pylist())
        pairs = [
            [(n, str(level)) for n, level in cell.items() if level is not None] for cell in cells
        ]
        column = pa.array(pairs, _FACETS)
    if not pa.types.is_map(column.type):
        return pa.MapArray.from_arrays(np.zeros(len(column) + 1, np.int32), *_no_pairs())
    pairs = [_inert(_texts(of).fill_null("")) for of in (column.keys, column.items)]
    return pa.MapArray.from_arrays(column.offsets, *pairs)


def _no_pairs() -> tuple[pa.Array, pa.Array]:
    return pa.array([], pa.string()), pa.array([], pa.string())


def _codes(keys: pa.Table) -> Codes:
    return combined(*(Categorical.of(keys[name]) for name in ItemKey._fields))


def _inert(column: pa.Array) -> pa.Array:
    return _renamed(column, inert)


def _renamed(column: pa.Array, name_of: Callable[[str], str]) -> pa.Array:
    """The column with each distinct text in the place of the one that is made of it."""
    encoded = column.dictionary_encode()
    names = [name_of(name) for name in encoded.dictionary.to_pylist()]
    return pa.array(names, pa.string()).take(encoded.indices)


def _texts(column: pa.ChunkedArray) -> pa.Array:
    """The column as texts."""
    column = _one(column)
    try:
        return column.cast(pa.string())
    except pa.ArrowException:
        return pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())


def _one(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """The column as one array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
