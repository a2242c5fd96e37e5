"""vLLM's part of benchmarks/gpu.py, in a process of its own and, mostly, another environment.

    PYTHON benchmarks/gpu_vllm.py ASKED.json MEASURED.json

Two ways of asking for labels: a token of each prompt and beginning of a label, with prefix caching
(as `normscope/judges/engines/vllm.py` asks), and the prompt's log-probabilities with every label
behind it, as harnesses ask. The cache is emptied before every repeat: a unit finds only what it
has itself put there.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from normscope.files import typed
from normscope.judges.distribution import normalise
from normscope.judges.engine import LabelRequest
from normscope.judges.engines import load
from normscope.judges.scale import Scale
from normscope.records.model_spec import ModelSpec

ROOT = Path(__file__).parents[1]

Probs = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be measured: the folder of a model, and whole units of requests."""

    model: str
    dtype: str
    repeats: int
    units: tuple[tuple[LabelRequest, ...], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """The labels' probabilities per request of the first unit, and seconds for all units."""

    readings: Probs
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """Both ways, and the versions that computed them."""

    cached: Part
    echoed: Part
    vllm: str
    torch: str


def measured_by(python: str, asked: Asked) -> Measured:
    """What this file measures when that Python runs it; `CalledProcessError` where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("asked.json", "measured.json")]
        files[0].write_text(json.dumps(asdict(asked)), encoding="utf-8")
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        command = [python, __file__, *map(str, files)]
        environment = os.environ | {"PYTHONPATH": paths}
        subprocess.run(command, check=True, env=environment, stderr=subprocess.PIPE, text=True)
        return typed(Measured, json.loads(files[1].read_text(encoding="utf-8")))


def measure(asked: Asked) -> Measured:
    """Loads the model in vLLM and asks it in both ways."""
    engine: Any = load(ModelSpec(model=f"vllm:{asked.model}", dtype=asked.dtype))
    units = _units(asked)
    return Measured(
        _part(engine, units, asked.repeats, _cached),
        _part(engine, units, asked.repeats, _echoed),
        engine.identity["vllm"],
        _torch(),
    )


def _part(
    engine: Any,
    units: Sequence[Sequence[LabelRequest]],
    repeats: int,
    read: Callable[[Any, Sequence[LabelRequest]], Probs],
) -> Part:
    # once beforehand: kernels are chosen or compiled when they are first used
    readings = read(engine, units[0])
    seconds = []
    for _ in range(repeats):
        engine._llm.reset_prefix_cache()
        begun = time.perf_counter()
        for unit in units:
            read(engine, unit)
        seconds.append(time.perf_counter() - begun)
    return Part(readings, tuple(seconds))


def _cached(engine: Any, requests: Sequence[LabelRequest]) -> Probs:
    return _among(result.logprobs for result in engine.labels(requests))


def _echoed(engine: Any, requests: Sequence[LabelRequest]) -> Probs:
    """Every prompt with every label behind it, sent back with the log-probability of each token."""
    reader = engine._reader
    prompts = reader.plan(requests)
    starts = [
        s for s, read in zip(prompts.sequences, prompts.reads, strict=True) if not read.prefix
    ]
    labels = [[forms[0] for forms in reader._tokens(request.scale)] for request in requests]
    asked = [
        (start, label) for start, several in zip(starts, labels, strict=True) for label in several
    ]
    params = engine._vllm.SamplingParams(
        max_tokens=1, temperature=0.0, detokenize=False, prompt_logprobs=0
    )
    outputs = engine._ask([start + label for start, label in asked], [params] * len(asked))
    sums = iter(
        math.fsum(
            output.prompt_logprobs[len(start) + at][token].logprob for at, token in enumerate(label)
        )
        for (start, label), output in zip(asked, outputs, strict=True)
    )
    return _among(tuple(next(sums) for _ in several) for several in labels)


def _among(logprobs: Any) -> Probs:
    """The labels' probabilities among themselves."""
    read = [normalise(each) for each in logprobs]
    return tuple(tuple(each[0]) for each in read if each is not None)


def _units(asked: Asked) -> list[list[LabelRequest]]:
    """The requests, with one object for every equal scale: its tokens are resolved once."""
    scales: dict[tuple[str, ...], list[Scale]] = {}

    def one(scale: Scale) -> Scale:
        known = scales.setdefault(scale.labels, [])
        if scale not in known:
            known.append(scale)
        return known[known.index(scale)]

    return [[replace(each, scale=one(each.scale)) for each in unit] for unit in asked.units]


def _torch() -> str:
    import torch

    return str(torch.__version__)


def main(asked: str, measured: str) -> None:
    """Reads what is asked, and writes what was measured."""
    given = typed(Asked, json.loads(Path(asked).read_text(encoding="utf-8")))
    result = asdict(measure(given))
    Path(measured).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
