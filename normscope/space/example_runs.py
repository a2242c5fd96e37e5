"""Two runs to look at for who has none: what two real models answered to some of the flows.

They stand in no folder: `normscope demo` makes whole runs of all published answers.
"""

from functools import cache
from itertools import starmap

import numpy as np

from ..builders.ci_vignettes.published_answers import published_answers
from ..builders.taxonomy import LIKERT
from ..reasons import Reason
from ..records import item, judgement, response
from ..records.integrity import ITEMS, JUDGEMENTS, RESPONSES
from ..records.item import Item
from ..records.judgement import Judgement, Source
from ..records.model_spec import ModelSpec
from ..records.provenance import BenchmarkItems, Provenance, ResponsesProvenance
from ..records.response import Response
from ..records.run import Run
from ..records.settings import Settings
from ..records.tables import to_table
from .flows import FACTORS, published_flows

BENCHMARK = "ci-vignettes:iot"
MODELS = ("tulu-2-7b", "Meta-Llama-3.1-8B-Instruct")
FLOWS = 60
"""In 33 prompts each, so that every answer stands on the page."""


@cache
def example_runs() -> tuple[Run, ...]:
    """The runs of the models, on the same flows taken evenly from the first to the last."""
    return tuple(map(_run, MODELS))


def _run(model: str) -> Run:
    answers, flows = published_answers(model), published_flows()
    count = len(flows[FACTORS[0]])
    places = np.linspace(0, count - 1, FLOWS).astype(int)
    # a row per flow for each prompt, in the order of the flows
    rows = (places + count * np.arange(len(answers) // count)[:, None]).ravel()
    items = [
        Item(
            benchmark=BENCHMARK,
            item_id=row["item_id"],
            messages=(),
            language="en",
            variant_id=row["variant_id"],
            scale_order=row["scale_order"],
            cluster=row["item_id"],
            facets={factor: flows[factor][at] for factor in FACTORS},
        )
        for at, row in zip(rows % count, answers.take(rows).to_pylist(), strict=True)
    ]
    values = answers["answer"].take(rows).to_pylist()
    responses = [_response(asked, value, model) for asked, value in zip(items, values, strict=True)]
    judgements = starmap(_judgement, zip(responses, values, strict=True))
    about = BenchmarkItems(
        dataset="ci-vignettes",
        config="iot_prompts",
        criteria=("acceptability",),
        metrics=("norm_consensus",),
        items=FLOWS,
        prompts=len(items),
        variants=tuple(dict.fromkeys(asked.variant_id for asked in items)),
    )
    config = Settings(
        benchmark=(BENCHMARK,),
        model=ModelSpec(model),
        channels=("text",),
        rule="published",
        provenance=Provenance(responses=ResponsesProvenance(benchmarks={BENCHMARK: about})),
    )
    contents = {
        ITEMS: to_table(items, item.SCHEMA),
        RESPONSES: to_table(responses, response.SCHEMA),
        JUDGEMENTS: to_table(judgements, judgement.SCHEMA),
    }
    return Run(model, config, contents=contents)


def _response(item: Item, value: int | None, model: str) -> Response:
    """The label that the number stands for."""
    text = None if value is None else LIKERT[value + 2]
    reason = Reason.NO_ANSWER if value is None else None
    return Response.to(item, text, reason=reason, model=model)


def _judgement(answer: Response, value: int | None) -> Judgement:
    return Judgement(
        key=answer.key,
        criterion="acceptability",
        source=Source.TEXT_RULE,
        labels=LIKERT,
        probs=None if value is None else tuple(float(label == answer.text) for label in LIKERT),
        value=value,
        reason=answer.reason,
    )
