"""After its first unit a local model says which way its prompts go, why, and what that costs."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from reference_models import MORAL, RATING

from normscope.format import number
from normscope.judges.engine import LabelRequest, TextRequest
from normscope.judges.engines import load
from normscope.judges.engines.local.transformers import (
    Choice,
    TransformersEngine,
    Way,
    way_and_cost,
)
from normscope.messages import from_json, message, translate
from normscope.pipeline.workers.actors import identity
from normscope.progress import hidden
from normscope.records.model_spec import ModelSpec

REQUESTS = [
    LabelRequest((("user", f"Rate how safe this is: {'rain ' * n}"),), scale, "Answer:")
    for n in (1, 2, 2, 40)
    for scale in (MORAL, RATING)
]


@pytest.fixture
def engine(tiny_model: Path) -> TransformersEngine:
    loaded = load(ModelSpec(model=str(tiny_model), dtype="float32", pack_tokens=64))
    assert isinstance(loaded, TransformersEngine)
    return loaded


@pytest.mark.parametrize("way", Way)
def test_the_tokens_that_are_told_are_those_that_pass(
    way: Way, engine: TransformersEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    passed: list[int] = []

    def count(_: Any, __: Any, settings: dict[str, Any]) -> None:
        passed.append(settings["input_ids"].numel())

    engine.way = way
    sequences = engine._reader.plan(REQUESTS).sequences
    engine._model.register_forward_pre_hook(count, with_kwargs=True)
    engine.labels(REQUESTS)
    ratio = sum(map(len, sequences)) / sum(passed)
    (line,) = capsys.readouterr().err.splitlines()
    # packs and carried states spare tokens
    assert (ratio > 1) == (way is not Way.ROWS)
    assert f"{engine.name}: {way}, 1 of {number(ratio)} tokens computed" in line


def test_it_is_said_once_and_not_where_nothing_is_to_be_shown(
    engine: TransformersEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    with hidden():
        engine.labels(REQUESTS)
    assert capsys.readouterr().err == ""
    # of replies no cost: how long they get is not known
    engine.texts([TextRequest((("user", "rain"),), max_new_tokens=1, temperature=0.0, seed=0)])
    assert capsys.readouterr().err == f"{engine.name}: prefix tree\n"
    engine.labels(REQUESTS)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(Way.TREE), "m: prefix tree, 1 of 2.50 tokens computed"),
        (
            Choice(Way.ROWS, "its layers are linear"),
            "m: plain rows, 1 of 2.50 tokens computed (its layers are linear)",
        ),
    ],
)
def test_the_line_has_the_way_the_cost_and_the_reason(choice: Choice, expected: str) -> None:
    assert way_and_cost("m", choice, 20, 8) == expected
    assert way_and_cost("m", choice) == expected.replace(", 1 of 2.50 tokens computed", "")


def test_the_line_is_translated_whole() -> None:
    reason = message("packs give other logits than plain rows")
    line = way_and_cost("m", Choice(Way.ROWS, reason), 6, 4)
    assert line.startswith("m: plain rows, 1 of 1.50 tokens computed (packs give other")
    assert translate(line, "zh") == (
        "m：逐行计算，每 1.50 个词元只计算 1 个（打包计算的 logits 与普通逐行计算不同）"
    )


def test_a_machine_of_a_cluster_tells_it_to_the_driver(
    tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = identity(asdict(ModelSpec(model=str(tiny_model))))
    assert from_json(answer["how"]) == f"{tiny_model}: prefix tree"
    assert capsys.readouterr().err == ""
