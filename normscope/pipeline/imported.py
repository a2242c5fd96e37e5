"""Answers that were recorded elsewhere as a run, whose later stages go on as after `respond`.

What nobody noted stays null: which engine answered, at what temperature, and, where a variant or an
order of the answers is not the benchmark's, in which words it was asked.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from ..builders.write import content_hash
from ..extras import packages
from ..files import write_parquet
from ..reasons import Reason
from ..records import item as items
from ..records import response as responses
from ..records.folder import RunFolder
from ..records.integrity import ITEMS, RESPONSES, SOURCES
from ..records.item import of_items
from ..records.model_spec import ModelSpec
from ..records.provenance import BenchmarkItems, Imported, ResponsesProvenance
from ..records.tables import to_table
from ..tables import Table
from .importing.match import KEY, Target, matched
from .requested import keep_copies, sources_of

if TYPE_CHECKING:
    import pandas as pd

STAGE = "respond"
_HASHED = pa.schema(
    [
        *((name, pa.string()) for name in ("model", *KEY, "answer")),
        *(("sample", pa.int32()), ("temperature", pa.float64()), ("failed", pa.bool_())),
    ]
)
"""What of the answers makes the hash of a run of them."""


def import_answers(
    run: RunFolder,
    answers: Table,
    target: Target,
    *,
    columns: Mapping[str, str] | None = None,
    model: str = "",
    file: str = "",
) -> Imported:
    """Writes the run's items and responses from a table with a row per recorded answer.

    `columns` and `model` are as for `matched`, `file` is where the answers are from. An answer is a
    text, which the benchmark's rule or judge will read, or of vignettes, where all are numbers, a
    degree of acceptability (−2 … +2) that stands for its label. The order of the rows is kept,
    since the published majority goes by it. A `DataError` names what does not fit.
    """
    rows = matched(answers, target, columns or {}, model=model)
    bench, ids, prompts = target.bench, rows["item_id"].unique(), _items(rows, target)
    variants, in_dataset = (
        [*filter(None, frame["variant_id"].unique())] for frame in (rows, target.prompts)
    )
    table = pa.Table.from_pandas(rows, _HASHED, preserve_index=False)
    imported = Imported(
        file,
        content_hash({"answers": table}),
        len(rows),
        format=answers.form,
        note=answers.note,
        reworded=int(rows["reworded"].sum()),
        items_in_benchmark=target.prompts["item_id"].nunique(),
    )
    about = BenchmarkItems(
        dataset=target.builder.slug,
        config=bench.config,
        # what was asked in unknown words was asked in no revision of ours
        revision=""
        if imported.reworded or (rows["place"] < 0).any()
        else content_hash(bench.tables(target.tables)),
        rubric=bench.rubric,
        criteria=tuple(bench.criteria),
        metrics=tuple(bench.metrics),
        items=len(ids),
        prompts=len(prompts),
        variants=tuple(name for name in variants if name in in_dataset),
        variants_in_dataset=len(in_dataset),
        other_variants=tuple(name for name in variants if name not in in_dataset),
        title=bench.title,
        sources=sources_of(bench),
    )
    name = rows["model"].iloc[0]
    run.begin(
        STAGE,
        replace(target.config, model=ModelSpec(name), channels=("text",)),
        ResponsesProvenance(
            benchmarks={target.name: about},
            model={"model": name},
            imported=imported,
            packages=packages(),
        ),
    )
    if not run.whole:
        run.reopen()
        keep_copies(bench, run.path / SOURCES)
        write_parquet(run.path / ITEMS, to_table(prompts, items.SCHEMA))
        run.write_ratings(of_items(bench.people(target.tables), set(ids)))
        write_parquet(run.path / RESPONSES, _responses(rows, target.name))
        run.seal(STAGE)
    return imported


def _items(rows: "pd.DataFrame", target: Target) -> list[items.Item]:
    """The prompts that were answered; nobody knows the messages of one that is not the benchmark's.

    Of the other prompts of its item any does: what is taken over is the same in all of them.
    """
    first = {item.item_id: item for item in reversed(target.items)}
    # several replies to a prompt are of one item
    prompts = rows.drop_duplicates([*KEY])[[*KEY, "place"]]
    return [
        target.items[at]
        if at >= 0
        else replace(first[item], variant_id=variant, scale_order=order, messages=())
        for item, variant, order, at in prompts.itertuples(index=False)
    ]


def _responses(rows: "pd.DataFrame", name: str) -> pa.Table:
    """The responses as `responses.parquet` has them."""
    reason = rows["answer"].isna().map({True: str(Reason.NO_ANSWER), False: None})
    columns = {
        "benchmark": name,
        "text": rows["answer"].mask(rows["failed"], None),
        "reason": reason.mask(rows["failed"], str(Reason.CALL_FAILED)),
    }
    frame = rows.assign(**columns).reindex(columns=responses.SCHEMA.names).astype(object)
    table = pa.Table.from_pandas(frame, responses.SCHEMA, preserve_index=False)
    return table.replace_schema_metadata(None)
