"""Answers that were recorded elsewhere as a run, whose later stages go on as after `respond`.

What nobody noted stays null: which engine answered, at what temperature, and, where a variant or an
order of the answers is not the benchmark's, in which words it was asked.
"""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..datasets_builders.write import content_hash
from ..errors import DataError, nearest
from ..files import write_parquet
from ..judges.respondent import LIKERT_SCALE
from ..messages import message
from ..packages import packages
from ..reasons import Reason
from ..records import item as items
from ..records import response as responses
from ..records.config import RunConfig
from ..records.folder import RunFolder
from ..records.integrity import ITEMS, RESPONSES, SOURCES, UNMATCHED
from ..records.model_spec import ModelSpec
from ..records.provenance import BenchmarkItems, Imported, ResponsesProvenance
from ..records.ratings import of_items
from ..records.tables import joined
from ..rows import write_rows
from ..untrusted import guarded_rows
from .importing.raw import KEY
from .importing.target import Target
from .requested import keep_copies, sources_of

STAGE = "respond"
COLUMNS = ("model", "item_id", "variant_id", "scale_order", "answer")
"""Those of a table of recorded answers; all but the answer are names."""

KNOWN = ("sample", "temperature", "failed")
"""Columns that it may have: which reply to the prompt it is, and whether the call brought none."""

_REPLY = ("sample", "temperature")
_TEXT = pa.string()
_MOST = 3


def import_answers(
    run: RunFolder,
    answers: pa.Table,
    name: str,
    *,
    file: str = "",
    source: Path | None = None,
) -> None:
    """Writes the run's items and responses from a table with a row per recorded answer.

    `answers` has the columns `COLUMNS`, maybe those of `KNOWN`, one model's, and each prompt of the
    benchmark `name` at most once per sample; a prompt that is not there was not asked. An answer is
    a text, which the benchmark's rule or judge will read, or a degree of acceptability (−2 … +2)
    that was read already and stands for its label; null is no valid answer. The order of the rows
    is kept, since the published majority goes by it.

    Items are the benchmark's own. A vignette may have been asked in variants or orders that are
    not: such an item has no messages, for nobody knows them. `file` is where the answers are from,
    `source` the folder of the benchmark's own files. A `DataError` names what does not fit.
    """
    config = RunConfig(benchmark=(name,), source=None if source is None else str(source))
    import_into(run, answers, Target.of(config), file=file)


def import_into(
    run: RunFolder,
    answers: pa.Table,
    target: Target,
    *,
    file: str = "",
    form: str = "",
    note: str = "",
    unmatched: pa.Table | None = None,
    reworded: int = 0,
) -> None:
    """The same for a benchmark whose tables are at hand.

    `form` is the file's format and `note` what its reader says of it; `unmatched` are its rows that
    answer no prompt of the benchmark: they stay with the run. So many answers are `reworded`: to
    prompts in other words than the benchmark's.
    """
    table = _checked(answers)
    bench = target.bench
    prompts = target.items(table["item_id"])
    rows, is_known = _items(table, prompts, may_differ=target.is_of_degrees)
    model = table["model"][0].as_py()
    config = replace(target.config, model=ModelSpec(model), channels=("text",))
    asked = table["variant_id"].unique().to_pylist()
    run.begin(
        STAGE,
        config,
        ResponsesProvenance(
            benchmarks={
                target.name: BenchmarkItems(
                    dataset=target.builder.slug,
                    config=bench.config,
                    # what was asked in unknown words was asked in no revision of ours
                    revision=content_hash(bench.tables(target.of_dataset))
                    if is_known and not reworded
                    else "",
                    rubric=bench.rubric,
                    criteria=tuple(bench.criteria),
                    metrics=tuple(bench.metrics),
                    items=pc.count_distinct(table["item_id"]).as_py(),
                    prompts=len(rows),
                    variants=tuple(name for name in asked if name in target.variants),
                    variants_in_dataset=len(target.variants),
                    other_variants=tuple(
                        name for name in asked if name and name not in target.variants
                    ),
                    title=bench.title,
                    sources=sources_of(bench),
                )
            },
            model={"model": model},
            imported=Imported(
                file,
                content_hash({"answers": table}),
                len(table),
                format=form,
                note=note,
                unmatched=0 if unmatched is None else len(unmatched),
                reworded=reworded,
                items_in_benchmark=len(target.ids),
            ),
            packages=packages(),
        ),
    )
    if run.whole:
        return
    run.reopen()
    keep_copies(bench, run.path / SOURCES)
    write_parquet(run.path / ITEMS, rows)
    people = bench.people(target.of_dataset)
    run.write_ratings(of_items(people, set(table["item_id"].to_pylist())))
    if unmatched is not None and len(unmatched):
        write_rows(run.path / UNMATCHED, guarded_rows(unmatched.to_pylist()))
    write_parquet(run.path / RESPONSES, _responses(table, target.name))
    run.seal(STAGE)


def _checked(answers: pa.Table) -> pa.Table:
    """The table with names as text, of one model, each prompt once."""
    missing = [column for column in COLUMNS if column not in answers.column_names]
    if missing:
        raise DataError(
            message(
                "the recorded answers have no column {column} (they have {columns}); add it",
                column=repr(missing[0]),
                columns=", ".join(answers.column_names) or message("none"),
            )
        )
    table = answers.select(COLUMNS)
    names = {name: table[name].cast(_TEXT) for name in COLUMNS[:-1]}
    for name, column in names.items():
        if column.null_count:
            row = pc.index(pc.is_null(column), True).as_py()
            raise DataError(
                message("row {row} (from 0) has no {column}; fill it in", row=row, column=name)
            )
    models = names["model"].unique().to_pylist()
    if len(models) != 1:
        raise DataError(
            message(
                "the recorded answers are of {n} models ({models}); a run is one model's: import "
                "each into a folder of its own",
                n=len(models),
                models=", ".join(models[:_MOST]) or "–",
            )
        )
    table = pa.table({**names, "answer": _texts(table["answer"]), **_known(answers)})
    keys = table.group_by([*KEY, *_REPLY], use_threads=False).aggregate([([], "count_all")])
    twice = keys.filter(pc.greater(keys["count_all"], 1))
    if len(twice):
        raise DataError(
            message(
                "{n} prompts were answered more than once ({first}); leave one answer to each",
                n=len(twice),
                first=_shown(twice.select(KEY)),
            )
        )
    return table


def _texts(answers: pa.ChunkedArray) -> pa.ChunkedArray:
    """The answers as text; a number is the label that it stands for."""
    if pa.types.is_dictionary(answers.type):
        answers = answers.cast(answers.type.value_type)
    kind = answers.type
    if pa.types.is_null(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return answers.cast(_TEXT)
    values = pa.array(LIKERT_SCALE.values, pa.float64())
    places = pc.index_in(answers.cast(pa.float64()), value_set=values)
    off = pc.and_(pc.is_null(places), pc.is_valid(answers))
    if pc.any(off).as_py():
        row = pc.index(off, True).as_py()
        raise DataError(
            message(
                "row {row} (from 0): the answer {value} is no degree of acceptability (−2 … +2); "
                "correct it, or leave it empty where there is no valid answer",
                row=row,
                value=f"{answers[row].as_py():g}",
            )
        )
    return pc.take(pa.array(LIKERT_SCALE.labels, _TEXT), places)


def _known(answers: pa.Table) -> dict[str, pa.ChunkedArray]:
    """The columns of `KNOWN`: the only reply, at a temperature that nobody noted, that came."""
    n = len(answers)
    result = {
        "sample": pa.repeat(pa.scalar(0, pa.int32()), n),
        "temperature": pa.nulls(n, pa.float64()),
        "failed": pa.repeat(pa.scalar(False), n),
    }
    given = {name: answers[name] for name in KNOWN if name in answers.column_names}
    return result | {name: given[name].cast(result[name].type) for name in given}


def _items(table: pa.Table, known: list[items.Item], *, may_differ: bool) -> tuple[pa.Table, bool]:
    """The items that were answered, as `items.parquet` has them, and whether all asked as known."""
    own = items.to_table(known)
    if len(
        answered := table.select(list(KEY)).group_by(list(KEY), use_threads=False).aggregate([])
    ) < len(table):
        # several replies to a prompt are of one item
        table = answered
    exact = pc.index_in(joined(table, KEY), value_set=joined(own, KEY).combine_chunks())
    if not exact.null_count:
        return own.take(exact), True
    # of the prompts of an item any: what is taken over is the same in all of them
    of_item = pc.index_in(table["item_id"], value_set=own["item_id"].combine_chunks())
    lost = pc.is_null(of_item if may_differ else exact)
    if pc.any(lost).as_py():
        first = table.filter(lost).select(KEY[:1] if may_differ else KEY)
        raise DataError(
            message(
                "{n} of {m} answers are to no prompt of the benchmark ({first}; {nearest}); "
                "correct them or leave them out",
                n=pc.sum(lost).as_py(),
                m=len(table),
                first=_shown(first),
                nearest=nearest(first["item_id"][0].as_py(), own["item_id"].unique().to_pylist()),
            )
        )
    result = own.take(of_item)
    for name in KEY[1:]:
        result = result.set_column(
            result.schema.get_field_index(name), result.schema.field(name), table[name]
        )
    unknown = pa.array([[]], own.schema.field("messages").type)[0]
    messages = pc.if_else(pc.is_valid(exact), own["messages"].take(exact), unknown)
    at = result.schema.get_field_index("messages")
    return result.set_column(at, result.schema.field("messages"), messages), False


def _responses(table: pa.Table, name: str) -> pa.Table:
    """The responses as `responses.parquet` has them."""
    n = len(table)
    silent = pa.scalar(str(Reason.NO_ANSWER), _TEXT)
    columns = {
        "benchmark": pa.repeat(pa.scalar(name, _TEXT), n),
        **{column: table[column] for column in ("model", *KEY)},
        **{column: table[column] for column in _REPLY},
        "text": pc.if_else(table["failed"], pa.scalar(None, _TEXT), table["answer"]),
        "reason": pc.if_else(
            table["failed"],
            str(Reason.CALL_FAILED),
            pc.if_else(pc.is_null(table["answer"]), silent, pa.scalar(None, _TEXT)),
        ),
    }
    schema = responses.SCHEMA
    arrays = [columns.get(field.name, pa.nulls(n, field.type)) for field in schema]
    return pa.table(arrays, schema=schema)


def _shown(rows: pa.Table) -> str:
    """The first rows as a person reads them."""
    first = rows.slice(0, _MOST).to_pylist()
    return "; ".join(" ".join(str(v) for v in row.values() if v not in (None, "")) for row in first)
