"""A file of labelled answers, a scripted judge, and the command that brings them together."""

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import normscope.cli.validate as verb
from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.records.model_spec import ModelSpec

Row = dict[str, str]


def answers() -> list[Row]:
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
    return answers()


@pytest.fixture
def labels(tmp_path: Path, rows: list[Row]) -> Path:
    """The rows as a CSV."""
    path = tmp_path / "labels.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


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
        prompt = request.turns[0][1]
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

    def load(self, spec: ModelSpec) -> FakeEngine:
        self.engines.append(FakeEngine(self.labels, lambda _: TextResult(""), name=spec.model))
        return self.engines[-1]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    made = Script()
    monkeypatch.setattr(verb, "load", made.load)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    return made


Run = Callable[..., Result]


@pytest.fixture
def run(script: Script, tmp_path: Path) -> Run:
    """`run("--labels", path)` judges with the script into `tmp_path/cards`."""

    def invoke(*arguments: object, figures: bool = False) -> Result:
        given = [str(argument) for argument in arguments]
        common = ["--judge", script.name, "--rubric", "cfsafety", "--out", str(tmp_path / "cards")]
        common += ["--resamples", "200"]
        drawn = [] if figures else ["--no-figures"]
        return CliRunner().invoke(verb.validate, [*common, *drawn, *given])

    return invoke
