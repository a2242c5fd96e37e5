"""Finished runs of scripted models that differ by as much as a test wants."""

import hashlib
import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from normscope.files import hash_value
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.requested import Chosen, choose
from normscope.pipeline.respond import respond
from normscope.pipeline.score import score
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.settings import Settings

CONFIG = Settings(
    benchmark=("cfsafety", "ci-vignettes:coppa"),
    model=ModelSpec("model"),
    judge=ModelSpec("judge"),
    limit={"ci-vignettes:coppa": 12},
    unpinned=True,
)

CHOSEN_BY = (
    *("benchmark", "context", "prompts", "variants", "limit"),
    *("option_orders", "source", "unpinned", "key"),
)
"""What items hang on, of all that a run is configured by."""
CHOOSE = "normscope.pipeline.respond.choose"


def noise(text: str) -> float:
    """A number from 0 to 1 that the text alone decides."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 16**8


@dataclass
class Scripted(FakeEngine):
    """An engine with an identity of its own."""

    told: dict[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> dict[str, Any]:
        return {"engine": "fake", "model": self.name, **self.told}


def scripted(name: str, shift: float, told: dict[str, Any] | None = None) -> Scripted:
    """Answers on a scale of k labels around noise + shift, each prompt in its own way."""

    def labels(request: LabelRequest) -> LabelResult:
        k = len(request.scale.labels)
        centre = (noise(request.conversation[-1][1]) + shift) * (k - 1)
        weights = [math.exp(-1.5 * abs(at - centre)) for at in range(k)]
        return LabelResult(logprobs=tuple(math.log(0.9 * w / sum(weights)) for w in weights))

    def text(request: TextRequest) -> TextResult:
        return TextResult(f"{name} says {len(request.conversation)}")

    return Scripted(labels, text, name=name, told=told or {})


MakeRun = Callable[..., Path]


@pytest.fixture(scope="session")
def kept_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where finished runs are kept, each for all tests that want the same."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session")
def chosen() -> Callable[..., Chosen]:
    """The items that a configuration asks, those of one alike with it chosen once for all runs."""
    kept: dict[str, Chosen] = {}

    def chosen_once(config: Settings, benchmarks: Any) -> Chosen:
        alike = repr([getattr(config, name) for name in CHOSEN_BY])
        if alike not in kept:
            kept[alike] = choose(config, benchmarks)
        return kept[alike]

    return chosen_once


@pytest.fixture
def make_run(
    tmp_path: Path, small_source: Path, kept_runs: Path, chosen: Callable[..., Chosen]
) -> MakeRun:
    """Makes a finished run: its name, how far its model leans upwards, and what is otherwise."""
    # one source for all, since a run says where its own lay
    source = kept_runs / "source"
    if not source.exists():
        shutil.copytree(small_source, source)

    def make(
        name: str, shift: float = 0.0, *, judge_told: dict[str, Any] | None = None, **other: Any
    ) -> Path:
        kept = kept_runs / hash_value(repr((name, shift, judge_told, sorted(other.items()))))
        if not kept.exists():
            finished(kept / name, name, shift, judge_told, **other)
        return shutil.copytree(kept / name, tmp_path / name)

    def finished(
        folder: Path, name: str, shift: float, judge_told: dict[str, Any] | None, **other: Any
    ) -> None:
        decoding = Decoding(**other.pop("decoding", {}))
        config = replace(CONFIG, source=str(source), decoding=decoding, **other)
        config = replace(config, model=ModelSpec(f"model-{name}"))

        def load(spec: ModelSpec) -> Scripted:
            # the judge leans with the text it reads, which is the model's own
            return scripted(spec.model, shift, judge_told if spec.model == "judge" else None)

        with opened(folder, create=True) as run, mock.patch(CHOOSE, chosen):
            respond(run, config, Here(load))
            judge(run, config, Here(load))
            score(run)
            # what a report looks like is no matter here
            (run.path / "report.html").touch()
            run.finish()

    return make
