"""What the model under test does with each item: a text, or a distribution over labels."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..config import RunConfig
from ..datasets_builders.item import Item
from ..datasets_builders.registry import benchmark
from ..datasets_builders.slice import balanced
from ..datasets_builders.write import content_hash
from ..errors import UsageError
from ..files import write_parquet
from ..judges.engine import Engine, LabelRequest, TextRequest
from ..judges.engines import ModelSpec
from ..judges.heads import normalise, own_scale
from ..run.folder import RESPONSES, RunFolder
from ..run.journal import Row
from ..run.tables import RESPONSES as COLUMNS
from ..run.units import Unit, plan, work_off
from .packages import packages

STAGE = "respond"
REFERENCE = "reference"
"""The model's name in rows whose answer the benchmark itself brings along."""

LoadEngine = Callable[[ModelSpec], Engine]


def respond(run: RunFolder, asked: RunConfig, load: LoadEngine) -> None:
    """Asks every item of the run's benchmarks and writes `responses.parquet`."""
    if not asked.benchmark:
        raise UsageError("no benchmark is named: --benchmark cfsafety,ci-vignettes:coppa")
    items, chosen = _choose(asked)
    engine = _engine_for(items, asked.model, load)
    run.begin(
        STAGE,
        asked,
        {
            "benchmarks": chosen,
            "model": engine.identity if engine else None,
            "packages": packages(),
        },
    )
    if run.whole:
        return
    run.reopen()
    run.write_items(items)
    jobs = _jobs(items, asked)
    rows: list[Row] = [{}] * len(jobs)
    for index, (item, _, _) in enumerate(jobs):
        if item.response is not None:
            rows[index] = _row(item, REFERENCE, text=item.response)
    if engine is not None:
        for kind, name in ((_asks_labels, "labels"), (_asks_text, "texts")):
            mine = [i for i, (item, heads, _) in enumerate(jobs) if kind(item, heads)]
            for i, row in zip(
                mine, _ask(run, engine, asked, [jobs[i] for i in mine], name), strict=True
            ):
                rows[i] = row
    write_parquet(run.path / RESPONSES, pa.Table.from_pylist(rows, schema=COLUMNS))


Job = tuple[Item, tuple[str, ...], int]
"""An item, its heads, and which sample of its reply is asked for."""


def _choose(asked: RunConfig) -> tuple[list[Item], dict[str, Any]]:
    """The items of every benchmark, and for each where they come from and how many there were."""
    items: list[Item] = []
    chosen: dict[str, Any] = {}
    tables: dict[str, Mapping[str, pa.Table]] = {}
    for name in asked.benchmark:
        made, bench = benchmark(name)
        if made.slug not in tables:
            source = Path(asked.source) if asked.source else None
            tables[made.slug] = made.tables(source, unpinned=asked.unpinned)
        table = tables[made.slug][bench.config]
        every = bench.items(table)
        limit = asked.limit_of(name)
        taken = every if limit is None else balanced(every, limit)
        items += taken
        chosen[name] = {
            "dataset": made.slug,
            "config": bench.config,
            "revision": content_hash({bench.config: table}),
            "rubric": bench.rubric,
            "heads": list(bench.heads),
            "items": len({item.item_id for item in taken}),
            "items_in_dataset": len({item.item_id for item in every}),
            "prompts": len(taken),
        }
    return items, chosen


def _engine_for(items: list[Item], spec: ModelSpec | None, load: LoadEngine) -> Engine | None:
    if all(item.response is not None for item in items):
        return None
    if spec is None:
        raise UsageError("no model under test is named: --model PATH_OR_HUB_ID")
    return load(spec)


def _jobs(items: list[Item], asked: RunConfig) -> list[Job]:
    heads = {name: benchmark(name)[1].heads for name in asked.benchmark}
    return [
        (item, heads[item.benchmark], sample)
        for item in items
        for sample in range(
            asked.decoding.samples if _asks_text(item, heads[item.benchmark]) else 1
        )
    ]


def _asks_labels(item: Item, heads: tuple[str, ...]) -> bool:
    return item.response is None and bool({"acceptability", "option"} & set(heads))


def _asks_text(item: Item, heads: tuple[str, ...]) -> bool:
    return item.response is None and not _asks_labels(item, heads)


def _ask(run: RunFolder, engine: Engine, asked: RunConfig, jobs: list[Job], how: str) -> list[Row]:
    """A row per job; prompts that begin alike are asked together, texts those of like length."""
    keys: list[Any] = [
        (item.benchmark, len(item.question) if how == "texts" else item.question)
        for item, _, _ in jobs
    ]

    def do(unit: Unit) -> list[Row]:
        mine = [jobs[i] for i in unit]
        return _labels(engine, mine) if how == "labels" else _texts(engine, mine, asked)

    units = plan(keys, size=asked.unit_items)
    rows: list[Row] = [{}] * len(jobs)
    for unit, answered in work_off(
        run.journal, f"{STAGE}:{how}", units, do, label=f"respond ({how})"
    ):
        for i, row in zip(unit, answered, strict=True):
            rows[i] = row
    return rows


def _labels(engine: Engine, jobs: list[Job]) -> list[Row]:
    scales = [own_scale(item, heads[0]) for item, heads, _ in jobs]
    requests = [
        LabelRequest(turns=_turns(item), scale=scale)
        for (item, _, _), scale in zip(jobs, scales, strict=True)
    ]
    rows = []
    for (item, _, _), scale, result in zip(jobs, scales, engine.labels(requests), strict=True):
        read = None if result.logprobs is None else normalise(result.logprobs)
        probs, coverage = read or (None, None)
        rows.append(
            _row(
                item,
                engine.name,
                labels=list(scale.labels),
                label_probs=None if probs is None else list(probs),
                coverage=coverage,
                reason=result.reason,
            )
        )
    return rows


def _texts(engine: Engine, jobs: list[Job], asked: RunConfig) -> list[Row]:
    decoding = asked.decoding
    requests = [
        TextRequest(
            turns=_turns(item),
            max_new_tokens=decoding.max_new_tokens,
            temperature=decoding.temperature,
            seed=decoding.seed + sample,
        )
        for item, _, sample in jobs
    ]
    return [
        _row(
            item,
            engine.name,
            sample=sample,
            temperature=decoding.temperature,
            text=result.text,
            reason=result.reason,
        )
        for (item, _, sample), result in zip(jobs, engine.texts(requests), strict=True)
    ]


def _turns(item: Item) -> tuple[tuple[str, str], ...]:
    return tuple((message.role, message.content) for message in item.messages)


def _row(item: Item, model: str, **columns: Any) -> Row:
    known = {
        "benchmark": item.benchmark,
        "item_id": item.item_id,
        "variant_id": item.variant_id,
        "scale_order": item.scale_order,
        "sample": 0,
        "model": model,
    }
    return dict.fromkeys(COLUMNS.names) | known | columns
