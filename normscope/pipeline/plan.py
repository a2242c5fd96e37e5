"""What a run will take and tell, before anything of it is done."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from ..categorical import group_by
from ..extras import require
from ..judges.engine import Conversation, LabelResult, TextResult
from ..judges.engines import refuse_secrets
from ..judges.engines.chat import render
from ..judges.engines.fake import FakeEngine
from ..metrics.intervals import normal, score_limits, wilson_of_all
from ..metrics.registry import MEASURES, kind_of
from ..records import item, response
from ..records.item import Item
from ..records.model_spec import VLLM, ModelSpec, is_elsewhere
from ..records.provenance import BenchmarkItems
from ..records.response import Response
from ..records.settings import Settings
from ..records.tables import to_table
from . import judge, respond
from .requested import Chosen, choose, requested_benchmarks
from .stage import StageWork

_ROWS = 16
"""So many rows of a unit are counted, of four units of a stage."""

_RESPONSE = "I can help with that, as long as nobody is harmed by it and the law allows it. " * 4
"""Stands for a response that nobody has given yet: the judge's prompts hold one."""


@dataclass(frozen=True)
class Plan:
    """What a run will take and tell.

    `stages` has the prompts of each stage, and their tokens by a sample; `precision` the items of
    each benchmark, and half of the 95 % interval of its headline at most.
    """

    stages: pd.DataFrame
    precision: pd.DataFrame


def plan(config: Settings) -> Plan:
    """What the configuration takes and tells; no model is loaded, only its tokenizer."""
    judge.check_judging(config)
    chosen = choose(config, requested_benchmarks(config))
    stages = []
    for work in _works(chosen, config):
        spec = work.task.spec
        refuse_secrets(spec)
        stages.append((work.task.stage, spec.model, work.rows, _tokens(work)))
    items = group_by(chosen.items, lambda item: item.benchmark)
    precise = [(name, *precision(items[name], of)) for name, of in chosen.benchmarks.items()]
    return Plan(
        pd.DataFrame(stages, columns=["stage", "model", "prompts", "tokens"]),
        pd.DataFrame(precise, columns=["benchmark", "items", "headline", "half_width"]),
    )


def _works(chosen: Chosen, config: Settings) -> Iterator[StageWork]:
    """What the model under test is asked, and the judge."""
    items, benchmarks = chosen.items, chosen.benchmarks
    requested = respond.requested_of(items, benchmarks, config)
    yield from respond.works_of(items, requested, benchmarks, config)
    responses = [
        Response.to(item, item.response or _RESPONSE, model="")
        for item in items
        if benchmarks[item.benchmark].rubric is not None
        for _ in range(len(config.decoding.replies) if item.response is None else 1)
    ]
    judged = judge.judged_items(to_table(items, item.SCHEMA), benchmarks)
    if task := judge.task_of(judged, benchmarks, config):
        table = to_table(responses, response.SCHEMA)
        yield from judge.works_of(task, judged, table, size=config.unit_items)


def _tokens(work: StageWork) -> int:
    """The tokens of the stage's prompts, by those of rows that are spread over it."""
    tables = [unit.inputs for unit in work.units()]
    of_units = tables[:: max(1, len(tables) // 4)]
    engine = FakeEngine(
        on_labels=lambda request: LabelResult((0.0,) * len(request.scale.labels)),
        on_text=lambda _: TextResult("-"),
    )
    sample = [table.slice(0, _ROWS) for table in of_units]
    for inputs in sample:
        work.task.do(engine, inputs)
    prompts = [(each.conversation, getattr(each, "lead", "")) for each in engine.requests]
    return round(tokens_of(work.task.spec, prompts) * work.rows / sum(map(len, sample)))


def tokens_of(spec: ModelSpec, prompts: Iterable[tuple[Conversation, str]]) -> int:
    """The tokens of the prompts with the model's tokenizer and template; a server's by bytes.

    >>> tokens_of(ModelSpec("http://host/v1#m"), [((("user", "four letters"),), "")])
    3
    """
    if is_elsewhere(spec.model):
        texts = ("".join((*(text for _, text in turns), lead)) for turns, lead in prompts)
        # four bytes of UTF-8 are taken for a token
        return sum(math.ceil(len(text.encode()) / 4) for text in texts)
    require("transformers", extra="judge")
    from ..judges.engines.local.loading import describe

    tokenizer = describe(replace(spec, model=spec.model.removeprefix(VLLM))).tokenizer
    return sum(len(tokenizer(render(tokenizer, *prompt)).input_ids) for prompt in prompts)


def precision(items: Sequence[Item], about: BenchmarkItems) -> tuple[int, str, float]:
    """How many items there are, their headline, and half its interval in the middle of its scale.

    Items of a cluster are taken for alike: m of them in clusters count as (Σm)²/Σm². Of a context's
    vignettes, of which a benchmark has all that there are, some are a sample without replacement.
    """
    metric, headline, top = next(iter(about.metrics), ""), f"criterion:{about.criteria[0]}", 1.0
    if metric in MEASURES:
        headline = MEASURES[metric].headline
        top = kind_of(headline)[1][1]
    # an item has a row per variant and order, and is one item all the same
    clusters = {item.item_id: item.cluster_or_id for item in items}
    if metric == "norm_consensus":
        low, high = wilson_of_all(round(len(clusters) / 2), len(clusters), about.items_in_dataset)
    else:
        sizes = Counter(clusters.values()).values()
        effective = sum(sizes) ** 2 / sum(size * size for size in sizes)
        low, high = score_limits(0.5, effective, normal())
    return len(clusters), headline, top * (high - low) / 2
