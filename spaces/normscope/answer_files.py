"""Visitors' runs to be looked at answer by answer: their tables, cast to those of a run."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...categorical import Categorical, combined, first_rows
from ...records import item, judgement, response
from ...records.config import RunConfig
from ...records.integrity import ITEMS, JUDGEMENTS, RESPONSES
from ...records.items import Items
from ...viewer import Answered, answered_of
from .run_files import RunFiles, model_of, read_files
from .texts import VisitorError
from .upload import LongTable

_SCHEMAS = {ITEMS: item.SCHEMA, RESPONSES: response.SCHEMA, JUDGEMENTS: judgement.SCHEMA}
_COLUMNS = tuple(dict.fromkeys(name for schema in _SCHEMAS.values() for name in schema.names))
_REPLY = (*item.ItemKey._fields, "sample", "temperature")
_KEYS = {
    ITEMS: item.ItemKey._fields,
    RESPONSES: _REPLY,
    JUDGEMENTS: (*_REPLY, "criterion", "source"),
}
"""What tells the rows of a table apart."""


def answered_in(uploads: Sequence[Sequence[Path]]) -> tuple[Answered, ...]:
    """The runs of these files, in their order; an error that says which file is amiss."""
    runs: list[Answered] = []
    for paths in uploads:
        run = _answered(read_files(paths, (*_COLUMNS, "model")))
        # the same model twice is told apart by its place
        if any(before.name == run.name for before in runs):
            run = replace(run, name=f"{run.name} ({len(runs) + 1})")
        runs.append(run)
    return tuple(runs)


def _answered(files: RunFiles) -> Answered:
    if not files.is_run:
        raise VisitorError(
            "{name} is a file judged row by row. Here a run is looked at: take its "
            "judgements.parquet, and responses.parquet and items.parquet with it.",
            name=files.judgements.name,
        )
    tables = {role: _table(table, role) for role, table in files.tables.items()}
    items = tables.get(ITEMS)
    return answered_of(
        model_of(files.config or RunConfig(), files.judgements),
        tables[JUDGEMENTS],
        responses=tables.get(RESPONSES),
        items=None if items is None else Items(items),
        config=files.config,
    )


def _table(table: LongTable, role: str) -> pa.Table:
    """The table with the columns that a run's has, each row once."""
    schema = _SCHEMAS[role]
    result = pa.table([_column(table, field) for field in schema], schema=schema)
    codes = combined(*(_codes(result[name]) for name in _KEYS[role]))
    if len(first_rows(codes)) < len(codes):
        twice = int(np.flatnonzero(np.bincount(codes)[codes] > 1)[0])
        raise VisitorError(
            "{name} has rows that stand there twice, as those of item {item}. Take the file of "
            "one model and one run.",
            name=table.name,
            item=str(result["item_id"][twice])[:40],
        )
    return result


def _codes(column: pa.ChunkedArray) -> Categorical:
    return Categorical.of(column.cast(pa.string()))


def _column(table: LongTable, field: pa.Field) -> pa.Array:
    """The column in the field's type; what is not there is null, or the least that there can be."""
    column = table.array(field.name).combine_chunks()
    try:
        # a file that is none of a run's may have numbers where ids stand, or texts for numbers
        cast = column.cast(field.type)
    except (pa.ArrowException, ValueError):
        if not field.nullable or not pa.types.is_nested(field.type):
            raise VisitorError(
                "{name} has something in its column {column} that a run's table has not: "
                "{kind} in the place of {expected}.",
                name=table.name,
                column=field.name,
                kind=str(column.type),
                expected=str(field.type),
            ) from None
        cast = pa.nulls(len(column), field.type)
    if field.nullable:
        return cast
    return cast.fill_null("" if pa.types.is_string(field.type) else 0)
