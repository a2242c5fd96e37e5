"""A run with judgements to be labelled, a file of labelled answers, and scripted judges."""

import csv
import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from annotated_runs import Answer, made_up, write_run
from biased_judges import Opinion, judge, right
from click.testing import CliRunner, Result
from undrawn import undrawn

from normscope.cli.validate import validate
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.scale import Scale
from normscope.judges.trust.card import Card, read_card
from normscope.pipeline.judge import judge as judge_run
from normscope.pipeline.respond import respond
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings

__all__ = ["undrawn"]

Row = dict[str, str]
Run = Callable[..., Result]
JudgedRun = Callable[..., Path]


@pytest.fixture(scope="session")
def answers() -> list[Answer]:
    """Six hundred answers, every two to one question."""
    made: list[Answer] = made_up(600)
    return made


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory, answers: list[Answer]) -> Path:
    """The answers as a judged run, written once."""
    path: Path = write_run(tmp_path_factory.mktemp("judged") / "run", answers)
    return path


@pytest.fixture
def run(judged: Path, tmp_path: Path) -> Path:
    """A copy of the run, which a test may change."""
    return shutil.copytree(judged, tmp_path / "run")


def labelled_answers() -> list[Row]:
    """Twenty-four answers to twelve questions in two languages, half of them labelled unsafe."""
    rows = []
    for number in range(24):
        question, chinese = number // 2, number >= 12
        unsafe = number % 2 == 0
        said = {
            (True, False): "Sure, here is how: […]",
            (False, False): "I'm sorry, I cannot help with that.",
            (True, True): "好的，首先[…]",
            (False, True): "抱歉，我不能帮忙。",
        }[unsafe, chinese]
        rows.append(
            {
                "question": f"{'问题' if chinese else 'Question'} {question}",
                "response": f"{said} ({number})",
                "label": "unsafe" if unsafe else "safe",
                "language": "zh" if chinese else "en",
                "category": f"kind {question % 3}",
            }
        )
    return rows


@pytest.fixture
def rows() -> list[Row]:
    """The rows of `labels`."""
    return labelled_answers()


def as_csv(path: Path, rows: list[Row]) -> Path:
    """The rows as a CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def labels(tmp_path: Path, rows: list[Row]) -> Path:
    """The rows as a CSV."""
    return as_csv(tmp_path / "labels.csv", rows)


@dataclass
class Script:
    """Scripted judge: by an answer's number, the share of its last label; and what it is called.

    It is right but for the answers 4, 15 and 22, and has no mass on the scale for answer 7.
    """

    name: str = "toy"
    wrong: tuple[int, ...] = (4, 15, 22)
    silent: tuple[int, ...] = (7,)
    asked: list[int] = field(default_factory=list)
    engines: list[FakeEngine] = field(default_factory=list)

    def labels(self, request: LabelRequest) -> LabelResult:
        prompt = request.conversation[0][1]
        number = next(n for n in range(99) if f"({n})\n" in prompt)
        self.asked.append(number)
        k = len(request.scale.labels)
        if number in self.silent:
            return LabelResult(logprobs=(math.log(0.01),) * k)
        safe = (number % 2 == 1) != (number in self.wrong)
        share = 0.9 - number / 100 if safe else 0.1 + number / 100
        rest = (1 - share) / (k - 1)
        probs = [share if at == k - 1 else rest for at in range(k)]
        return LabelResult(logprobs=tuple(math.log(0.9 * p) for p in probs))

    def text(self, request: TextRequest) -> TextResult:
        """The likeliest label in words; of answer 7 none."""
        scale = Scale(("0", "1"), (0, 1))
        low, high = self.labels(LabelRequest(request.conversation, scale)).logprobs or (0, 0)
        return TextResult("moral: 1" if high > low else "moral: 0" if high < low else "Who knows.")

    def load(self, spec: ModelSpec) -> FakeEngine:
        self.engines.append(FakeEngine(self.labels, self.text, name=spec.model))
        return self.engines[-1]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    made = Script()
    monkeypatch.setattr(import_module("normscope.cli.validate"), "load", made.load)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    return made


@pytest.fixture(scope="session")
def card(tmp_path_factory: pytest.TempPathFactory) -> Card:
    """The card of the criterion moral, made once by the verb."""
    folder = tmp_path_factory.mktemp("card")
    labels = as_csv(folder / "labels.csv", labelled_answers())
    common = ("--judge", "toy", "--rubric", "cfsafety", "--resamples", "200")
    asked = ("--labels", str(labels), "--criterion", "moral", "--map", "safe=1,unsafe=0")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("normscope.cli.validate"), "load", Script().load)
        patch.setenv("SOURCE_DATE_EPOCH", "1790000000")
        done = CliRunner().invoke(validate, [*common, *asked, "--out", str(folder / "cards")])
    assert done.exit_code == 0, done.output
    (path,) = (folder / "cards").glob("*.json")
    return read_card(path)


@pytest.fixture
def make_card(script: Script, tmp_path: Path) -> Run:
    """`make_card("--labels", path)` judges with the script into `tmp_path/cards`."""

    def invoke(*arguments: object) -> Result:
        given = [str(argument) for argument in arguments]
        common = ["--judge", script.name, "--rubric", "cfsafety", "--out", str(tmp_path / "cards")]
        common += ["--resamples", "200"]
        return CliRunner().invoke(validate, [*common, *given])

    return invoke


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
        return sum(len(engine.requests) for engine in self.engines)


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Loaded:
    made = Loaded()
    # the package has the verb itself under its module's name
    monkeypatch.setattr(import_module("normscope.cli.validate"), "load", made.load)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    return made


@pytest.fixture
def command(loaded: Loaded) -> Run:
    """`command(verb, *arguments)` runs a verb of the command line."""

    def invoke(verb: Any, *arguments: object) -> Result:
        return CliRunner().invoke(verb, [str(argument) for argument in arguments])

    return invoke


@pytest.fixture
def graded_run(tmp_path: Path) -> JudgedRun:
    """`graded_run(name, opinion)` is a run on some graded answers, judged with that opinion."""

    def make(name: str, opinion: Opinion = right, *, limit: int | None = 200) -> Path:
        asked = Settings(
            benchmark=("safety-gradient",),
            model=ModelSpec("reference-model"),
            judge=ModelSpec(name),
            limit={} if limit is None else {"all": limit},
        )
        with opened(tmp_path / name, create=True) as folder:
            respond(folder, asked, Here(lambda spec: judge(right, spec.model)))
            judge_run(folder, asked, Here(lambda spec: judge(opinion, spec.model)))
        return tmp_path / name

    return make
