"""Which scripted judge a verb loads, and runs on the ladder that one of them has judged."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from biased_judges import Opinion, judge, right
from click.testing import CliRunner, Result

import normscope.cli.check as check_verb
import normscope.cli.probe as probe_verb
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge as judge_run
from normscope.pipeline.respond import respond
from normscope.records.config import RunConfig
from normscope.records.folder import opened
from normscope.records.model_spec import ModelSpec


@dataclass
class Loaded:
    """Which judge is loaded, whatever the name on the command line."""

    opinion: Opinion = right
    by_name: dict[str, Opinion] = field(default_factory=dict)
    engines: list[FakeEngine] = field(default_factory=list)

    def load(self, spec: ModelSpec) -> FakeEngine:
        self.engines.append(judge(self.by_name.get(spec.model, self.opinion), spec.model))
        return self.engines[-1]

    @property
    def asked(self) -> int:
        """How many questions all engines were asked."""
        return sum(len(engine.asked) for engine in self.engines)


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Loaded:
    made = Loaded()
    monkeypatch.setattr(probe_verb, "load", made.load)
    monkeypatch.setattr(check_verb, "load", made.load)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    return made


Run = Callable[..., Result]


@pytest.fixture
def run(loaded: Loaded) -> Run:
    """`run(verb, *arguments)` runs a verb of the command line."""

    def invoke(verb: Any, *arguments: object) -> Result:
        return CliRunner().invoke(verb, [str(argument) for argument in arguments])

    return invoke


JudgedRun = Callable[..., Path]


@pytest.fixture
def ladder_run(tmp_path: Path) -> JudgedRun:
    """`ladder_run(name, opinion)` is a run on a slice of the ladder, judged with that opinion."""

    def make(name: str, opinion: Opinion = right, *, limit: int | None = 200) -> Path:
        asked = RunConfig(
            benchmark=("safety-gradient",),
            model=ModelSpec("reference-model"),
            judge=ModelSpec(name),
            limit={} if limit is None else {"all": limit},
        )
        with opened(tmp_path / name, create=True) as folder:
            respond(folder, asked, lambda spec: judge(right, spec.model))
            judge_run(folder, asked, lambda spec: judge(opinion, spec.model))
        return tmp_path / name

    return make
