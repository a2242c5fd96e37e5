"""Which reader takes a file of recorded answers, and which of its rows are wanted."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DataError, UsageError, nearest
from ...files import check_regular
from ...messages import message
from .formats import AUTO, TABLE, reader, reader_of
from .raw import RawAnswers
from .table import filled, read_table
from .values import as_text

_MOST = 10


def read_answers(path: Path, form: str = AUTO, requests: Path | None = None) -> RawAnswers:
    """The file's rows, and what its format says of them; a `DataError` where it cannot be read.

    `form` is one of `FORMATS`; `requests` is the input of a batch whose output the file is.
    """
    check_regular(path)
    reads = reader_of(path) if form == AUTO else None if form == TABLE else reader(form)
    if reads is not None:
        return filled(path, reads.read(path, requests))
    if requests is not None:
        raise UsageError(
            message(
                "--requests {requests} is for the output of a batch, and {path} is a table: leave "
                "it out, or name the format with --format",
                requests=requests,
                path=path,
            )
        )
    return read_table(path)


def rows_where(raw: RawAnswers, where: Mapping[str, str]) -> RawAnswers:
    """The rows that have each of these values in its column; an error names the values there are.

    >>> table = pa.table({"model": ["a", "b", "a"]})
    >>> raw = RawAnswers("CSV", table, pa.array(["line 2", "line 3", "line 4"]))
    >>> rows_where(raw, {"model": "a"}).place.to_pylist()
    ['line 2', 'line 4']
    """
    for column, value in where.items():
        names = raw.table.column_names
        if column not in names:
            raise UsageError(
                message(
                    "--where names no column {column}; {nearest}",
                    column=repr(column),
                    nearest=nearest(column, names),
                )
            )
        texts = as_text(raw.table[column])
        rows = pa.array(np.flatnonzero(pc.fill_null(pc.equal(texts, value), False).to_numpy()))
        if not len(rows):
            values = texts.unique().drop_null().to_pylist()
            raise DataError(
                message(
                    "no row has {value} in {column}; it has {values}",
                    value=repr(value),
                    column=repr(column),
                    values=", ".join(values[:_MOST]) + (", …" if len(values) > _MOST else ""),
                )
            )
        raw = replace(raw, table=raw.table.take(rows), place=raw.place.take(rows))
    return raw
