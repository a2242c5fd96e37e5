"""Answers that were recorded elsewhere as a run, whose later stages go on as after `respond`.

What nobody noted stays null: which engine answered, at what temperature, and, where a variant or an
order of the answers is not the benchmark's, in which words it was asked.
"""

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from ..builders.write import content_hash
from ..errors import DataError, nearest
from ..files import write_parquet
from ..judges.respondent import LIKERT_SCALE
from ..packages import packages
from ..reasons import Reason
from ..records import item as items
from ..records import response as responses
from ..records.folder import RunFolder
from ..records.integrity import ITEMS, RESPONSES, SOURCES
from ..records.model_spec import ModelSpec
from ..records.provenance import BenchmarkItems, Imported, ResponsesProvenance
from ..records.ratings import of_items
from ..records.tables import joined
from ..tables import Table
from .importing.target import KEY, Target
from .requested import keep_copies, sources_of

STAGE = "respond"
COLUMNS = ("model", "item_id", "variant_id", "scale_order", "answer")
"""Those of a table of recorded answers; all but the answer are names."""

KNOWN = ("sample", "temperature", "failed")
"""Columns that it may have: which reply to the prompt it is, and why the call brought none."""

_REPLY = ("sample", "temperature")
_TEXT = pa.string()
_NOTHING = pa.array(["", "nan", "null"])
_NUMBER = r"^[+-]?\d+(\.\d+)?(e-?\d+)?$"
_MOST = 3


def import_answers(
    run: RunFolder, answers: Table, target: Target, *, file: str = "", reworded: int = 0
) -> None:
    """Writes the run's items and responses from a table with a row per recorded answer.

    `answers` has the columns `COLUMNS`, maybe those of `KNOWN`, one model's, and each prompt of the
    benchmark at most once per sample; a prompt that is not there was not asked. An answer is a
    text, which the benchmark's rule or judge will read, or of vignettes, where all are numbers, a
    degree of acceptability (−2 … +2) that stands for its label; null, empty and NaN are no valid
    answer. The order of the rows is kept, since the published majority goes by it.

    Items are the benchmark's own. A vignette may have been asked in variants or orders that are
    not: such an item has no messages, for nobody knows them. `file` is where the answers are from;
    so many are `reworded`: to prompts in other words than the benchmark's. A `DataError` names what
    does not fit.
    """
    table = _checked(answers, target)
    bench = target.bench
    rows, is_known = _items(table, target.items(table["item_id"]), may_differ=target.is_of_degrees)
    model = table["model"][0].as_py()
    config = replace(target.config, model=ModelSpec(model), channels=("text",))
    asked, variants = table["variant_id"].unique().to_pylist(), target.known("variant_id")
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
                    variants=tuple(name for name in asked if name in variants),
                    variants_in_dataset=len(variants),
                    other_variants=tuple(name for name in asked if name and name not in variants),
                    title=bench.title,
                    sources=sources_of(bench),
                )
            },
            model={"model": model},
            imported=Imported(
                file,
                content_hash({"answers": table}),
                len(table),
                format=answers.form,
                note=answers.note,
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
    write_parquet(run.path / RESPONSES, _responses(table, target.name))
    run.seal(STAGE)


def is_nothing(texts: pa.Array) -> pa.Array:
    """Where there is no valid answer: null, empty, or the NaN and null that programs write.

    >>> is_nothing(pa.array(["yes", " ", "NaN", None])).to_pylist()
    [False, True, True, True]
    """
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    return pc.or_(pc.is_null(texts), pc.fill_null(pc.is_in(plain, value_set=_NOTHING), False))


def _checked(answers: Table, target: Target) -> pa.Table:
    """The table with names and answers as text, of one model, each prompt once."""
    given = answers.rows.column_names
    if missing := [column for column in COLUMNS if column not in given]:
        raise DataError(
            f"the recorded answers have no column {missing[0]!r} (they have "
            f"{', '.join(given) or 'none'}); add it"
        )
    columns = {name: answers.texts(name) for name in COLUMNS[:-1]}
    for name, column in columns.items():
        if column.null_count:
            row = pc.index(pc.is_null(column), True).as_py()
            raise DataError(f"{answers.places[row]} has no {name}; fill it in")
    if len(counts := columns["model"].value_counts().to_pylist()) != 1:
        several = ", ".join(
            f"{each['values']} ({each['counts']:,} rows)" for each in counts[:_MOST]
        )
        raise DataError(
            f"the recorded answers are of {len(counts)} models: {several}; a run is one model's: "
            "take the rows of one with --where model=NAME, and import each into a folder of its own"
        )
    count = len(answers.rows)
    columns |= {
        "answer": _answers(answers, of_degrees=target.is_of_degrees),
        "sample": pa.repeat(pa.scalar(0, pa.int32()), count),
        "temperature": pa.nulls(count, pa.float64()),
        "failed": pa.repeat(pa.scalar(False), count),
    }
    columns |= {name: _numbers(answers, name) for name in _REPLY if name in given}
    if "failed" in given:
        texts = answers.texts("failed")
        is_false = pc.is_in(pc.utf8_lower(texts), value_set=pa.array(["false", "0"]))
        columns["failed"] = pc.invert(pc.or_(is_nothing(texts), is_false))
    table = pa.table({name: pa.chunked_array([column]) for name, column in columns.items()})
    _refuse_twice(table, answers.places)
    return table


def _answers(answers: Table, *, of_degrees: bool) -> pa.Array:
    """The answers as texts, null where there is none; degrees as the labels they stand for."""
    texts = answers.texts("answer")
    texts = pc.if_else(is_nothing(texts), pa.scalar(None, _TEXT), texts)
    plain = pc.replace_substring_regex(pc.utf8_trim_whitespace(texts), "^[−–]", "-")
    are_numbers = pc.all(pc.match_substring_regex(plain, _NUMBER)).as_py()
    if not of_degrees or texts.null_count == len(texts) or not are_numbers:
        return texts
    # plus 0, since -0 is 0 as well
    values = pc.add(pc.utf8_ltrim(plain, "+").cast(pa.float64()), 0.0)
    labels = pc.index_in(values, value_set=pa.array(LIKERT_SCALE.values, pa.float64()))
    off = pc.and_(pc.is_null(labels), pc.is_valid(values))
    if n := pc.sum(off).as_py():
        at = pc.index(off, True).as_py()
        raise DataError(
            f"{n:,} answers are no degree of acceptability (−2 … +2), first {texts[at].as_py()!r} "
            f"at {answers.places[at]}; correct them, or leave them empty where there is no valid "
            "answer"
        )
    return pa.array(LIKERT_SCALE.labels, _TEXT).take(labels)


def _numbers(answers: Table, name: str) -> pa.Array:
    """The column `sample` or `temperature`; an error names the first row that holds no number."""
    texts = pc.utf8_trim_whitespace(answers.texts(name))
    texts = pc.if_else(is_nothing(texts), pa.scalar(None, _TEXT), texts)
    kind, form = (pa.int32(), r"^\d{1,9}$") if name == "sample" else (pa.float64(), _NUMBER)
    is_number = pc.fill_null(pc.match_substring_regex(texts, form), name == "temperature")
    if (at := pc.index(is_number, False).as_py()) >= 0:
        raise DataError(
            f"{answers.places[at]}: {texts[at].as_py()!r} is no {name}; write a number, or name "
            f"another column with --column {name}=NAME"
        )
    return texts.cast(kind)


def _refuse_twice(table: pa.Table, places: list[str]) -> None:
    """Refuses two answers to the same prompt, with where the first of them stand."""
    keys = [*KEY, *_REPLY]
    rows = table.select(keys).append_column("at", pa.array(range(len(table)), pa.int64()))
    counted = rows.group_by(keys, use_threads=False).aggregate([("at", "min"), ("at", "max")])
    twice = counted.filter(pc.less(counted["at_min"], counted["at_max"]))
    if len(twice):
        first = twice.slice(0, 1).to_pylist()[0]
        raise DataError(
            f"{len(twice):,} prompts were answered more than once, first "
            f"{_shown(twice.select(KEY).slice(0, 1))} at {places[first['at_min']]} and "
            f"{places[first['at_max']]}; leave one answer to each, or number them in a column "
            "`sample`"
        )


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
            f"{pc.sum(lost).as_py()} of {len(table)} answers are to no prompt of the benchmark "
            f"({_shown(first)}; "
            f"{nearest(first['item_id'][0].as_py(), own['item_id'].unique().to_pylist())}); "
            "correct them or leave them out"
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
