"""A run of tables that somebody brought, with what is missing of it."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import DataError, nearest
from ..messages import message
from ..reasons import Reason
from ..records.config import RunConfig
from ..records.items import Items
from ..records.judgement import SCHEMA as JUDGED
from ..records.judgement import Source
from ..records.judgements import read_judgements
from ..records.response import SCHEMA as ANSWERED
from ..records.tables import KEYS
from .runs import Answered, bundled, by_hash

REASONS = [*map(str, Reason)]
"""What a table can say why something is absent."""


def answered_of(
    name: str,
    judgements: pa.Table,
    *,
    responses: pa.Table | None = None,
    items: Items | None = None,
    config: RunConfig | None = None,
) -> Answered:
    """A run of tables that somebody brought; what is missing of it is said in `caveats`.

    `judgements` has the columns of a run's table; a `DataError` names what no run's has. No file
    that `config` names is read.
    """
    judged = _readable(name, _whole(name, judgements, JUDGED))
    given = _unread(judged) if responses is None else _whole(name, responses, ANSWERED)
    _refuse_unknown(name, given, "reason", REASONS)
    known = Items.of([]) if items is None else items
    return Answered(
        name=name,
        config=config or RunConfig(),
        items=known,
        responses=given,
        judgements=read_judgements(judged, known),
        judged=judged,
        rubrics=by_hash(bundled()),
        caveats=tuple(_missing(name, responses, items, config)),
    )


def _whole(name: str, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of the schema, null where the table lacks them and they may be."""
    columns = []
    for each in schema:
        known = each.name in table.column_names
        column = table[each.name] if known else pa.nulls(table.num_rows, each.type)
        if not each.nullable and column.null_count:
            raise DataError(
                message(
                    "{run}: column {column} is missing, or empty in a row: it says which answer a "
                    "row is about",
                    run=name,
                    column=each.name,
                )
            )
        try:
            columns.append(column.cast(each.type))
        except pa.ArrowException as error:
            raise DataError(
                message(
                    "{run}: column {column} is not of its type, {type} ({error})",
                    run=name,
                    column=each.name,
                    type=each.type,
                    error=str(error).splitlines()[0],
                )
            ) from None
    return pa.table(columns, names=schema.names)


def _refuse_unknown(name: str, table: pa.Table, column: str, known: list[str]) -> None:
    for value in filter(None, pc.unique(table[column]).to_pylist()):
        if value not in known:
            raise DataError(
                message(
                    "{run}: column {column} has {value}; {known}",
                    run=name,
                    column=column,
                    value=repr(value),
                    known=nearest(value, known),
                )
            )


def _readable(name: str, judged: pa.Table) -> pa.Table:
    """The judgements with what must be there; refused are words and lists that no run has."""
    _refuse_unknown(name, judged, "source", [*map(str, Source)])
    _refuse_unknown(name, judged, "reason", REASONS)
    labels, probs = (judged[each].combine_chunks() for each in ("labels", "probs"))
    sizes = [each.value_lengths().fill_null(0) for each in (labels, probs)]
    fits = pc.or_(pc.equal(*sizes), pc.equal(sizes[1], 0))
    if (
        not pc.all(fits, min_count=0).as_py()
        or labels.flatten().null_count
        or probs.flatten().null_count
    ):
        raise DataError(
            message("{run}: probs is to have a number for each of the labels of its row", run=name)
        )
    return _put(_put(judged, "windows", judged["windows"].fill_null(1)), "labels", _filled(labels))


def _filled(lists: pa.Array) -> pa.Array:
    """The lists, empty where there is none."""
    ends = np.cumsum(lists.value_lengths().fill_null(0).to_numpy(), dtype=np.int32)
    return pa.ListArray.from_arrays(np.append(np.int32(0), ends), lists.flatten())


def _put(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, column)


def _unread(judged: pa.Table) -> pa.Table:
    """The responses that judgements are of, without what they say."""
    keys = judged.select(KEYS).group_by(list(KEYS), use_threads=False).aggregate([])
    return pa.table(
        [
            keys[each.name] if each.name in KEYS else pa.nulls(keys.num_rows, each.type)
            for each in ANSWERED
        ],
        names=ANSWERED.names,
    )


def _missing(
    name: str, responses: pa.Table | None, items: Items | None, config: RunConfig | None
) -> Iterator[str]:
    if responses is None:
        yield message("{run}: without responses.parquet no response can be read", run=name)
    if items is None:
        yield message(
            "{run}: without items.parquet no question can be read, and nothing is known of "
            "categories and languages",
            run=name,
        )
    if config is None:
        yield message(
            "{run}: without config.yaml it is not known how it was measured: answers are counted, "
            "and no statistic is given",
            run=name,
        )
