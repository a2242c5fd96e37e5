"""A plan of what a configuration asks for, timed by a few seconds of its work."""

import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pyarrow as pa

from ...categorical import group_by
from ...datasets_builders.registry import builder
from ...judges.engine import Engine
from ...judges.engines import refuse_secrets
from ...judges.engines.counting import Counter, counter
from ...messages import message
from ...records.config import RunConfig
from ...records.folder import RunFolder
from ...records.integrity import ITEMS, RESPONSES
from ...records.item import Item
from ...records.item import to_table as to_items
from ...records.journal import Row
from ...records.model_spec import ModelSpec
from ..chosen import Chosen, choose
from ..judge import check_judging
from ..requested import requested_benchmarks
from .calibration import NOTHING, Measured, measure
from .plan import Memory, Plan, StagePlan, caveats_of
from .precision import precisions
from .ranges import Range, ratio, times
from .stages import Stage, expected_responses, judge_stages, model_stages
from .tokens import Recorder, StageTokens, stage_tokens

SECONDS = 10.0
"""How long a calibration takes, unless another time is asked for."""

STAND_INS = "safety-gradient"
"""The dataset whose answers stand for those that nobody has given yet."""

_FACTS = ":facts"
_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


class Planner:
    """Plans a configuration, once.

    `seconds` is how long a calibration takes together; with 0 no model is loaded, and nothing is
    said of time. `load` loads an engine and `counted` makes what counts a model's tokens. The work
    is shared by so many `processes`, each as fast as this one.
    """

    def __init__(
        self,
        load: Callable[[ModelSpec], Engine],
        *,
        seconds: float = SECONDS,
        processes: int = 1,
        counted: Callable[[ModelSpec], Counter] = counter,
    ) -> None:
        """Nothing is loaded yet."""
        self._load, self._seconds, self._processes = load, seconds, processes
        self._counted = cache(counted)
        self._engines: dict[ModelSpec, Engine] = {}
        self._identities: dict[ModelSpec, Mapping[str, Any]] = {}
        self._measured: dict[tuple[str, ModelSpec], Measured] = {}
        self._loading: dict[ModelSpec, float] = {}
        self._memory: dict[ModelSpec, Memory] = {}
        self._reading = 0.0
        self._stood_in = False

    def plan(self, config: RunConfig, run: RunFolder | None = None) -> Plan:
        """What the configuration takes and tells; of a begun `run`, what is left of it."""
        questions = check_judging(config)
        either = (config.model, config.judge if questions else None)
        specs = [spec for spec in either if spec is not None]
        for spec in specs:
            refuse_secrets(spec)
        begun = time.perf_counter()
        benchmarks = requested_benchmarks(config)
        chosen = choose(config, benchmarks)
        journal = None if run is None else run.journal
        asked = model_stages(chosen.items, chosen.benchmarks, config, journal)
        self._reading = time.perf_counter() - begun
        each = self._seconds / max(1, len(asked) + bool(questions))
        planned = [self._planned(stage, each) for stage in asked if stage.units]
        if config.model is not None and config.model != config.judge:
            self._engines.pop(config.model, None)
        if questions:
            items, responses = self._responses(chosen, config, run)
            judged = judge_stages(items, responses, chosen.benchmarks, config, journal)
            planned += [self._planned(stage, each) for stage in judged if stage.units]
        self._engines.clear()
        used = dict.fromkeys(stage.spec for stage, _ in planned)
        plan = Plan(
            stages=tuple(of_stage for _, of_stage in planned),
            loading=self._loaded(used),
            memory=tuple(self._memory[spec] for spec in used if spec in self._memory),
            precision=tuple(precisions(chosen.items, chosen.benchmarks)),
            items={name: taken.items for name, taken in chosen.benchmarks.items()},
        )
        return replace(plan, caveats=(*caveats_of(plan), *self._own_caveats()))

    def _planned(self, stage: Stage, seconds: float) -> tuple[Stage, StagePlan]:
        spec = stage.spec
        # before its tokenizer: what a process imports for it is of the loading
        seen = self._seen(stage, seconds)
        counter = self._counted(spec)
        identity = self._identities.get(spec, counter.identity)
        recorder = Recorder(counter, dict(identity))
        tokens = stage_tokens(stage, recorder, shared=_shares(identity))
        written = _written(seen.rows, tokens, counter)
        took = None
        if seen.pace is not None:
            # a unit is done by one process: the time is that of whoever does most of them
            rounds = -(-len(stage.units) // self._processes)
            took = times(seen.pace, tokens.size).times(rounds / len(stage.units))
        return stage, StagePlan(
            stage=stage.name,
            model=spec.model,
            rows=stage.rows,
            all_rows=stage.work.planned.total,
            units=len(stage.units),
            tokens=tokens,
            own_tokenizer=counter.exact,
            written=written,
            most_written=round(tokens.most_written.value),
            seconds=took,
            bytes=None if seen.row_bytes is None else seen.row_bytes * stage.rows,
        )

    def _seen(self, stage: Stage, seconds: float) -> Measured:
        """What was measured of the stage, or of the stage of the same model before it."""
        if self._seconds <= 0:
            return NOTHING
        spec = stage.spec
        # the judge's facts are few, and asked like the judgements, if any of these are left
        key = (stage.name.removesuffix(_FACTS), spec)
        if key not in self._measured:
            engine = self._engine(spec)
            recorder = Recorder(self._counted(spec), engine.identity)
            shared = _shares(engine.identity)
            self._measured[key] = measure(stage, engine, recorder, seconds=seconds, shared=shared)
            self._memory[spec] = _memory(spec.model, engine.identity)
        return self._measured[key]

    def _engine(self, spec: ModelSpec) -> Engine:
        if spec not in self._engines:
            begun = time.perf_counter()
            self._engines[spec] = self._load(spec)
            self._loading.setdefault(spec, time.perf_counter() - begun)
            self._identities[spec] = self._engines[spec].identity
        return self._engines[spec]

    def _loaded(self, used: Mapping[ModelSpec, None]) -> Range | None:
        if self._seconds <= 0:
            return None
        return Range.exact(self._reading + sum(self._loading.get(spec, 0.0) for spec in used))

    def _responses(
        self, chosen: Chosen, config: RunConfig, run: RunFolder | None
    ) -> tuple[pa.Table, pa.Table]:
        """The items and what is judged of them: a run's own, else what stands for it."""
        if run is not None and run.config.provenance.files("respond"):
            items, responses = (run.table(name, stage="respond") for name in (ITEMS, RESPONSES))
            return items, responses
        pools = self._replies(config.model)

        def reply(item: Item, number: int) -> str:
            pool = pools.get(item.benchmark)
            if not pool:
                self._stood_in, pool = True, _stand_ins(item.language)
            return pool[number % len(pool)]

        responses = expected_responses(chosen.items, chosen.benchmarks, config, reply)
        return to_items(chosen.items), responses

    def _replies(self, spec: ModelSpec | None) -> dict[str, list[str]]:
        """The replies of the calibration, by benchmark."""
        if spec is None:
            return {}
        rows = self._measured.get(("respond:texts", spec), NOTHING).rows
        given = group_by(rows, lambda row: str(row["key"][0]))
        return {name: [row["text"] or "" for row in several] for name, several in given.items()}

    def _own_caveats(self) -> Sequence[str]:
        if not self._stood_in:
            return ()
        return (
            message(
                "the answers are not known yet: the judge is planned with those of {name}, which "
                "may be shorter or longer",
                name=STAND_INS,
            ),
        )


def _shares(identity: Mapping[str, Any]) -> bool:
    """Whether the engine reads what prompts begin with alike once."""
    return identity.get("batching", "prefix tree") not in {"padded rows", "single rows"}


def _written(rows: Sequence[Row], tokens: StageTokens, counter: Counter) -> Range | None:
    """The tokens of all replies, by the length of those that were seen."""
    if not tokens.replies.value:
        return Range.exact(0)
    judged = (row.get("criteria", ()) for row in rows)
    texts = [c["reply"] for several in judged for c in several if c["reply"] is not None]
    texts = texts or [row["text"] or "" for row in rows if "text" in row]
    if not texts:
        return None
    return times(
        ratio([counter.replies([text]) for text in texts], [1] * len(texts)), tokens.replies
    )


def _memory(model: str, identity: Mapping[str, Any]) -> Memory:
    """The memory of the model's weights, and the most that was in use until now."""
    parameters, dtype = identity.get("parameters"), str(identity.get("dtype"))
    weights = parameters * _BYTES[dtype] if parameters and dtype in _BYTES else None
    device = str(identity.get("device") or "")
    torch = sys.modules.get("torch")
    if device == "cuda" and torch is not None:
        return Memory(model, weights, int(torch.cuda.max_memory_allocated()), device)
    # kilobytes but on macOS
    scale = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
    return Memory(model, weights, peak if device else None, device)


@cache
def _stand_ins(language: str) -> list[str]:
    """The answers of the graded set in the language; in all of them where it has none."""
    graded = builder(STAND_INS)
    bench = graded.benchmarks[0]
    items = bench.items(graded.tables(None)[bench.config])
    answers = [item.response or "" for item in items if item.language == language]
    return answers or [item.response or "" for item in items]
