"""Two runs to look at for who has none: what two real models answered to some of the flows.

They stand in no folder: `normscope demo` makes whole runs of all published answers.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..builders.ci_vignettes.published_answers import published_answers
from ..builders.taxonomy import LIKERT
from ..metrics.majority import LIKERT as VALUES
from ..reasons import Reason
from ..records import item, judgement, response
from ..records.integrity import ITEMS, JUDGEMENTS, RESPONSES
from ..records.judgement import Source
from ..records.model_spec import ModelSpec
from ..records.provenance import (
    BenchmarkItems,
    JudgementsProvenance,
    Provenance,
    ResponsesProvenance,
)
from ..records.run import Run
from ..records.settings import Settings
from .flows import published_flows

BENCHMARK = "ci-vignettes:iot"
MODELS = ("tulu-2-7b", "Meta-Llama-3.1-8B-Instruct")
FLOWS = 60
"""In 33 prompts each, so that every answer stands on the page."""


@cache
def example_runs() -> tuple[Run, ...]:
    """The runs of the models, on the same flows taken evenly from the first to the last."""
    return tuple(_run(model) for model in MODELS)


def _run(model: str) -> Run:
    answers = published_answers(model)
    flows = published_flows()
    count = len(flows["sender"])
    places = np.linspace(0, count - 1, FLOWS).astype(int)
    # a row per flow for each prompt, in the order of the flows
    rows = (places + count * np.arange(len(answers) // count)[:, None]).ravel()
    chosen = answers.take(rows)
    n, values = len(chosen), chosen["answer"].cast(pa.float64())
    labels = pa.array(LIKERT).take(pc.cast(pc.subtract(values, VALUES[0]), pa.int32()))
    reason = pc.if_else(pc.is_null(values), str(Reason.NO_ANSWER), None)
    facets = [{factor: levels[at] for factor, levels in flows.items()} for at in rows % count]
    shares = [
        None if value is None else [float(value == each) for each in VALUES]
        for value in values.to_pylist()
    ]
    common = {
        **{name: chosen[name] for name in ("item_id", "variant_id", "scale_order", "model")},
        "benchmark": [BENCHMARK] * n,
        "sample": [0] * n,
        "reason": reason,
    }
    of_items = {"category": ["iot"] * n, "language": ["en"] * n, "cluster": chosen["item_id"]}
    of_items |= {"facets": [[*each.items()] for each in facets]}
    of_judgements = {
        "criterion": ["acceptability"] * n,
        "source": [str(Source.TEXT_RULE)] * n,
        "labels": [[*LIKERT]] * n,
        "probs": shares,
        "value": values,
        "windows": [1] * n,
    }
    about = BenchmarkItems(
        dataset="ci-vignettes",
        config="iot_prompts",
        criteria=("acceptability",),
        metrics=("norm_consensus",),
        items=FLOWS,
        prompts=n,
        variants=tuple(dict.fromkeys(chosen["variant_id"].to_pylist())),
    )
    provenance = Provenance(
        responses=ResponsesProvenance(benchmarks={BENCHMARK: about}),
        judgements=JudgementsProvenance(),
    )
    config = Settings(
        benchmark=(BENCHMARK,),
        model=ModelSpec(model),
        channels=("text",),
        rule="published",
        provenance=provenance,
    )
    contents = {
        ITEMS: _table(item.SCHEMA, common | of_items),
        RESPONSES: _table(response.SCHEMA, common | {"text": labels}),
        JUDGEMENTS: _table(judgement.SCHEMA, common | of_judgements),
    }
    return Run(model, config, contents=contents)


def _table(schema: pa.Schema, columns: Mapping[str, Any]) -> pa.Table:
    """The columns that the schema has; a text that is not there is empty, all else null."""
    n = len(columns["item_id"])
    arrays = []
    for field in schema:
        empty = pa.nulls(n, field.type) if field.nullable else pa.array([""] * n)
        column = columns.get(field.name, empty)
        is_array = isinstance(column, pa.ChunkedArray | pa.Array)
        arrays.append(column.cast(field.type) if is_array else pa.array(column, field.type))
    return pa.table(arrays, schema=schema)
