"""What a run will take and tell, before anything of it is done."""

import math
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ..builders.registry import builder
from ..categorical import group_by
from ..extras import require
from ..judges.chat import render
from ..judges.engine import (
    Conversation,
    Engine,
    LabelRequest,
    LabelResult,
    TextRequest,
    TextResult,
    lanes_of,
)
from ..judges.engines import refuse_secrets
from ..metrics.intervals import normal, score_limits, wilson_of_all
from ..metrics.registry import MEASURES, kind_of
from ..records.config import RunConfig
from ..records.item import Item
from ..records.item import to_table as to_items
from ..records.model_spec import ADDRESSES, VLLM, ModelSpec
from ..records.provenance import BenchmarkItems
from ..records.response import Response
from ..records.response import to_table as to_responses
from ..records.units import each_done, unit_of
from .chosen import Chosen, choose
from .inputs import OfItems
from .judge import check_judging, facts_of
from .judge import work_of as judge_work
from .requested import requested_benchmarks
from .respond import CHANNELS, requested_of
from .respond import work_of as channel_work
from .tasks import JudgeFacts
from .workers import StageWork

if TYPE_CHECKING:
    import pandas as pd

SECONDS = 10.0
"""For how long the work of a run is tried, unless another time is asked for."""

_BYTES = 4
"""Bytes of UTF-8 that are taken for a token where the tokenizer is a server's."""

_ROWS, _PIECES = 8, 4
"""A stage is timed in so many pieces, of so many rows at least."""


@dataclass(frozen=True)
class Plan:
    """What a run will take and tell.

    `stages` has the prompts of each stage, their tokens by a sample, and its seconds; `precision`
    the items of each benchmark, and half of the 95 % interval of its headline at most. `loading` is
    the seconds to load the models, `memory` the bytes in use at most. What is of a model is null
    where none was loaded.
    """

    stages: "pd.DataFrame"
    precision: "pd.DataFrame"
    loading: float | None
    memory: int | None


def plan(
    config: RunConfig, load: Callable[[ModelSpec], Engine], *, seconds: float = SECONDS
) -> Plan:
    """What the configuration takes and tells; `load` loads an engine.

    Units of its work are done for about so many seconds; with 0 no model is loaded.
    """
    import pandas as pd

    questions = check_judging(config)
    for spec in filter(None, (config.model, config.judge if questions else None)):
        refuse_secrets(spec)
    chosen = choose(config, requested_benchmarks(config))
    works = [*_asked(chosen, config), *(_judged(chosen, config) if questions else ())]
    stages, loading, pace = [], 0.0, 0.0
    engine: Engine | None = None
    for work in works:
        spec = work.task.spec
        if seconds and (engine is None or engine.name != spec.model):
            # one model at a time
            engine, begun = None, time.perf_counter()
            engine = load(spec)
            loading += time.perf_counter() - begun
        rows, tokens = work.planned.total, _tokens(work, engine)
        if engine and not isinstance(work.task, JudgeFacts):
            pace = _timed(work, engine, seconds / len(works)) / tokens
        # facts are asked once: as long as the judge's other questions, by their tokens
        took = pace * tokens if engine else None
        stages.append((work.task.stage, spec.model, rows, tokens, took))
    of_benchmark = group_by(chosen.items, lambda item: item.benchmark)
    told = [(n, *precision(of_benchmark[n], about)) for n, about in chosen.benchmarks.items()]
    return Plan(
        pd.DataFrame(stages, columns=["stage", "model", "prompts", "tokens", "seconds"]),
        pd.DataFrame(told, columns=["benchmark", "items", "headline", "half_width"]),
        *((loading, _memory()) if seconds else (None, None)),
    )


def _asked(chosen: Chosen, config: RunConfig) -> Iterator[StageWork]:
    """What the model under test is asked."""
    items, taken = chosen.items, chosen.benchmarks
    requested, table = requested_of(items, taken, config), to_items(items).combine_chunks()
    for channel in CHANNELS:
        if work := channel_work(channel, items, requested, taken, config):
            yield StageWork(work.task, work.planned, OfItems(table, work.item, work.more))


def _judged(chosen: Chosen, config: RunConfig) -> Iterator[StageWork]:
    """What the judge is asked; the graded set's answers stand for those that nobody has given."""
    graded = builder("safety-gradient")
    bench = graded.benchmarks[0]
    answers = cycle(item.response for item in bench.items(graded.tables(None)[bench.config]))
    replies = len(config.decoding.replies)
    responses = [
        Response.to(item, item.response or next(answers) or "", model="")
        for item in chosen.items
        if chosen.benchmarks[item.benchmark].rubric is not None
        for _ in range(replies if item.response is None else 1)
    ]
    items = to_items(chosen.items).combine_chunks()
    if work := judge_work(items, to_responses(responses), chosen.benchmarks, config):
        yield StageWork(work.task, work.planned, work.inputs)
        yield facts_of(work)


def _tokens(work: StageWork, engine: Engine | None) -> int:
    """The tokens of the stage's prompts, by those of rows that are spread over it."""
    rows = work.planned.total
    sample = np.unique(np.linspace(0, rows - 1, _ROWS * _PIECES).astype(np.int64))
    asked = _Asked(counter(work.task.spec), engine.identity if engine else {})
    work.task.do(asked, work.inputs.take(sample))
    return round(asked.tokens * rows / len(sample))


def counter(spec: ModelSpec) -> Callable[[Conversation, str], int]:
    """What counts a prompt's tokens: the model's tokenizer and template, but a server's by bytes.

    >>> counter(ModelSpec("http://host/v1#m"))((("user", "four letters"),), "")
    3
    """
    if spec.model.startswith(ADDRESSES):
        return lambda conversation, lead: math.ceil(
            len("".join((*(text for _, text in conversation), lead)).encode()) / _BYTES
        )
    require("transformers", extra="judge")
    from ..judges.engines.local.loading import describe

    tokenizer = describe(replace(spec, model=spec.model.removeprefix(VLLM))).tokenizer
    return lambda conversation, lead: len(
        tokenizer(render(tokenizer, conversation, lead)).input_ids
    )


def _timed(work: StageWork, engine: Engine, seconds: float) -> float:
    """How long the stage takes, by the beginnings of units that are spread over it.

    Some rows are done before, for an engine's first pass is slower than all others.
    """
    units, lanes = work.planned.units, lanes_of(engine)

    def done(count: int, most: int) -> float:
        """The seconds per row of the first rows of so many units."""
        places = np.unique(np.linspace(0, len(units) - 1, count).astype(int)).tolist()
        parts = [unit_of(units[at].rows[:most], work.planned.hashes) for at in places]
        begun = time.perf_counter()
        for _ in each_done(
            parts, lambda u: work.task.do(engine, work.inputs.take(u.rows)), lanes=lanes
        ):
            pass
        return (time.perf_counter() - begun) / sum(len(part.rows) for part in parts)

    rows = int(seconds / max(done(1, _ROWS), 1e-6))
    count = min(max(rows // _ROWS, 1), _PIECES * lanes.number)
    return done(count, max(_ROWS, rows // count)) * work.planned.total


@dataclass(slots=True)
class _Asked:
    """An engine that answers nothing and counts the tokens of what it is asked."""

    count: Callable[..., int]
    identity: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    tokens: int = 0

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """All labels alike."""
        self.tokens += sum(self.count(each.conversation, each.lead) for each in requests)
        sizes = [len(each.scale.labels) for each in requests]
        return [LabelResult((-math.log(size),) * size) for size in sizes]

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """A dash each."""
        self.tokens += sum(self.count(each.conversation, "") for each in requests)
        return [TextResult("-") for _ in requests]


def precision(items: Sequence[Item], about: BenchmarkItems) -> tuple[int, str, float]:
    """How many items there are, their headline, and half its interval in the middle of its scale.

    Items of a cluster are taken for alike: m of them in clusters count as (Σm)²/Σm². Of a context's
    vignettes, of which a benchmark has all that there are, some are a sample without replacement.
    """
    metric = next(iter(about.metrics), "")
    statistic, top = f"criterion:{about.criteria[0]}", 1.0
    if metric in MEASURES:
        statistic = MEASURES[metric].headline
        top = kind_of(statistic)[1][1]
    # an item has a row per variant and order, and is one item all the same
    rows = [several[0] for several in group_by(items, lambda item: item.item_id).values()]
    if metric == "norm_consensus":
        low, high = wilson_of_all(round(0.5 * len(rows)), len(rows), about.items_in_dataset)
    else:
        sizes = Counter(item.cluster_or_id for item in rows).values()
        independent = sum(sizes) ** 2 / sum(size * size for size in sizes)
        low, high = score_limits(0.5, independent, normal(0.95))
    return len(rows), statistic, top * (high - low) / 2


def _memory() -> int:
    """The most bytes that were in use until now: of a GPU's memory where torch has used any."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return int(torch.cuda.max_memory_allocated())
    # kilobytes but on macOS
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
