"""What the model under test does with each item: a text, or a distribution over labels.

Options and vignettes are answered in the channels that are asked for, a row per answer: the label
distribution (without a temperature, for nothing is drawn), and each reply in text. So a row of one
channel is the same whatever else was recorded beside it.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

from ..errors import UsageError
from ..files import typed, write_parquet
from ..judges.engine import Engine, LabelRequest, TextRequest, served_by
from ..judges.respondent import item_scale, labels_response, scale_hash
from ..messages import message
from ..packages import packages
from ..records.config import RunConfig
from ..records.folder import RunFolder
from ..records.integrity import RESPONSES, SOURCES
from ..records.item import Item
from ..records.model_spec import ModelSpec
from ..records.provenance import BenchmarkItems, Reply, ResponsesProvenance
from ..records.reproduction import serving_notes
from ..records.response import Response, ResponseKey, to_table
from ..records.tables import to_json
from ..records.units import Unit, plan, work_off
from .chosen import choose
from .requested import keep_copies, requested_benchmarks

STAGE = "respond"
REFERENCE = "reference"
"""The model's name in rows whose answer the benchmark itself brings along."""

LoadEngine = Callable[[ModelSpec], Engine]


@dataclass(frozen=True, slots=True)
class Job:
    """One requested answer: `reply` is which text, null for a label distribution."""

    item: Item
    criterion: str
    reply: Reply | None


def respond(run: RunFolder, config: RunConfig, load: LoadEngine) -> None:
    """Asks every item of the run's benchmarks and writes `responses.parquet`."""
    if not config.benchmark:
        raise UsageError(message("no benchmark is named: --benchmark cfsafety,ci-vignettes:coppa"))
    benchmarks = requested_benchmarks(config)
    chosen = choose(config, benchmarks)
    items, taken = chosen.items, chosen.benchmarks
    jobs = [job for item in items for job in _jobs(item, taken[item.benchmark], config)]
    engine = _engine_for(items, config.model, load)
    run.begin(
        STAGE,
        config,
        ResponsesProvenance(
            benchmarks=taken,
            model=engine.identity if engine else None,
            scales=_scales(jobs),
            replies=_drawn(jobs, config),
            packages=packages(),
        ),
    )
    if run.whole:
        return
    run.reopen()
    for _, bench in benchmarks.values():
        keep_copies(bench, run.path / SOURCES)
    run.write_items(items)
    run.write_ratings(chosen.ratings)
    responses = {
        i: Response(_key(job, REFERENCE), text=job.item.response)
        for i, job in enumerate(jobs)
        if job.item.response is not None
    }
    if engine is not None:
        for name in ("labels", "texts"):
            places = [i for i, job in enumerate(jobs) if _channel(job) == name]
            answered = _responses(run, engine, config, [jobs[i] for i in places], name)
            responses.update(zip(places, answered, strict=True))
    # in the order of the jobs, not of the channels: the answers to an item stand together
    in_order = [responses[i] for i in range(len(jobs))]
    write_parquet(run.path / RESPONSES, to_table(in_order))
    run.seal(STAGE, served=run.served(STAGE) if engine else ())
    for note in serving_notes(run.config.provenance, of=[STAGE]):
        tqdm.write(f"warning: {note}", file=sys.stderr)


def _engine_for(items: list[Item], spec: ModelSpec | None, load: LoadEngine) -> Engine | None:
    if all(item.response is not None for item in items):
        return None
    if spec is None:
        raise UsageError(message("no model under test is named: --model PATH_OR_HUB_ID"))
    return load(spec)


def _jobs(item: Item, about: BenchmarkItems, config: RunConfig) -> list[Job]:
    """The answers that are requested for the item: labels first, then the replies in text."""
    criterion = about.criteria[0]
    if item.response is not None:
        return [Job(item, criterion, None)]
    replies = config.replies(labelled=about.labelled)
    return [Job(item, criterion, reply) for reply in replies]


def _channel(job: Job) -> str | None:
    """The channel that is requested of the engine; null where the item brings its answer along."""
    if job.item.response is not None:
        return None
    return "labels" if job.reply is None else "texts"


def _scales(jobs: list[Job]) -> dict[str, str]:
    """The hash of each scale whose labels are read from the model under test."""
    criteria = dict.fromkeys(job.criterion for job in jobs if _channel(job) == "labels")
    return {criterion: scale_hash(criterion) for criterion in criteria}


def _drawn(jobs: list[Job], config: RunConfig) -> tuple[Reply, ...]:
    """Each reply's temperature and seed, where something is drawn."""
    drawn = any(config.decoding.temperatures) and any(job.reply is not None for job in jobs)
    return config.decoding.replies if drawn else ()


def _responses(
    run: RunFolder, engine: Engine, config: RunConfig, jobs: list[Job], how: str
) -> list[Response]:
    """A response per job; prompts that begin alike go together, for texts those of like length."""
    # labels: prompts that begin alike are read once; texts: a batch waits for its longest
    keys: list[Any] = [
        (job.item.benchmark, len(job.item.question) if how == "texts" else job.item.question)
        for job in jobs
    ]

    def do(unit: Unit) -> list[dict[str, Any]]:
        chosen = [jobs[i] for i in unit]
        responses = _labels(engine, chosen) if how == "labels" else _texts(engine, chosen, config)
        return list(map(to_json, responses))

    rows = work_off(
        run.journal,
        f"{STAGE}:{how}",
        plan(keys, size=config.unit_items),
        do,
        label=f"respond ({how})",
        retry=run.retries_calls,
        served=served_by(engine),
    )
    return [typed(Response, row) for row in rows]


def _labels(engine: Engine, jobs: list[Job]) -> list[Response]:
    scales = [item_scale(job.item, job.criterion) for job in jobs]
    requests = [
        LabelRequest(conversation=job.item.messages, scale=scale)
        for job, scale in zip(jobs, scales, strict=True)
    ]
    return [
        labels_response(_key(job, engine.name), scale, result)
        for job, scale, result in zip(jobs, scales, engine.labels(requests), strict=True)
    ]


def _texts(engine: Engine, jobs: list[Job], config: RunConfig) -> list[Response]:
    requests = [
        TextRequest(
            conversation=job.item.messages,
            max_new_tokens=config.decoding.max_new_tokens,
            temperature=job.reply.temperature,
            seed=job.reply.seed,
        )
        for job in jobs
        if job.reply is not None
    ]
    return [
        Response(_key(job, engine.name), text=result.text, reason=result.reason)
        for job, result in zip(jobs, engine.texts(requests), strict=True)
    ]


def _key(job: Job, model: str) -> ResponseKey:
    if job.reply is None:
        return ResponseKey(*job.item.key, model=model)
    return ResponseKey(*job.item.key, job.reply.sample, job.reply.temperature, model)
