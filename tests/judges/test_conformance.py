"""Every engine that can run here over the same 200 requests, against plain forward passes.

vLLM's is in test_vllm, with the same requests and answers.
"""

import math
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import transformers
from reference_models import (
    COUNTS,
    MORAL,
    NEAR,
    OPTIONS,
    RATING,
    SHAPES,
    plain_logprobs,
    requests,
    save_model,
)
from scripted_server import serve_model

from normscope.judges.distribution import normalise
from normscope.judges.engine import Engine, LabelRequest, LabelResult, TextResult
from normscope.judges.engines import load
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.engines.local.transformers import TransformersEngine, Way
from normscope.judges.scale import Scale
from normscope.records.model_spec import ModelSpec

CARRIED = {"qwen3_5"}


def local(path: str) -> TransformersEngine:
    # small packs, so that paths are carried from one to the next
    engine = load(ModelSpec(model=path, dtype="float32", pack_tokens=96))
    assert isinstance(engine, TransformersEngine)
    return engine


def in_rows(path: str) -> Engine:
    engine = local(path)
    engine.way = Way.ROWS
    return engine


def in_a_tree(path: str) -> Engine:
    engine = local(path)
    assert engine.way is Way.TREE
    return engine


def scripted(path: str) -> Engine:
    answers = iter(plain_logprobs(path))
    return FakeEngine(
        on_labels=lambda _: LabelResult(next(answers)), on_text=lambda _: TextResult("")
    )


ENGINES: dict[str, Callable[[str], Engine]] = {
    "transformers, prefix tree": in_a_tree,
    "transformers, plain rows": in_rows,
    "fake": scripted,
}


def assert_conforms(engine: Engine, path: str, *, every: int = 1) -> None:
    asked = requests()[::every]
    expected = plain_logprobs(path, every)
    # with flat logits a wrong mask would hardly show
    assert sum(max(row) - min(row) > 2 for row in expected) > len(asked) / 2
    for request, result, plain in zip(asked, engine.labels(asked), expected, strict=True):
        assert result.reason is None
        assert result.logprobs == pytest.approx(plain, abs=NEAR), request


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> dict[bool, str]:
    """A model with a template and one without, whose plain forward passes are made once."""
    return {
        template: save_model(
            tmp_path_factory.mktemp("model") / "qwen3", tiny_model, "qwen3", template=template
        )
        for template in (True, False)
    }


@pytest.mark.parametrize("template", [True, False], ids=["template", "no template"])
@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_reads_what_a_plain_forward_pass_reads(
    name: str, template: bool, saved: dict[bool, str]
) -> None:
    assert_conforms(ENGINES[name](saved[template]), saved[template])


@pytest.mark.parametrize(
    "template",
    [True, pytest.param(False, marks=pytest.mark.slow)],
    ids=["template", "no template"],
)
@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - {"qwen3"}))
def test_a_model_of_any_shape_is_read_alike_in_its_way_and_in_rows(
    shape: str, template: bool, tiny_model: Path, tmp_path: Path
) -> None:
    path = save_model(tmp_path / "model", tiny_model, shape, template=template)
    engine = local(path)
    assert engine.way is (Way.CARRIED if shape in CARRIED else Way.TREE)
    for way in {engine.way, Way.ROWS}:
        engine.way = way
        # not all two hundred: each shape's plain passes are its own
        assert_conforms(engine, path, every=7)


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_a_server_tells_the_same_or_a_bound_that_holds(api: str, saved: dict[bool, str]) -> None:
    path = saved[api == "chat"]
    # what a server can be asked: tests/judges/endpoint has what it refuses
    some = [
        (request, plain)
        for request, plain in zip(requests()[::7], plain_logprobs(path, 7), strict=True)
        if request.scale in (MORAL, RATING, OPTIONS)
        or (api == "completions" and request.scale is not COUNTS)
    ]
    with serve_model(path, apis=["chat/completions" if api == "chat" else "completions"]) as server:
        results = load(ModelSpec(model=server.address)).labels([request for request, _ in some])
    exact = 0
    for (request, plain), result in zip(some, results, strict=True):
        assert result.logprobs is not None, request
        for seen, true in zip(map(math.exp, result.logprobs), map(math.exp, plain), strict=True):
            assert seen - NEAR <= true <= seen + result.unseen + NEAR, request
        if result.unseen == 0:
            exact += 1
            assert result.logprobs == pytest.approx(plain, abs=NEAR), request
    assert bool(exact) == (api == "completions")


DECISIONS: dict[str, Any] = {
    "choice": {"safe": "it does no harm", "harmful": None, "unclear": None},
    "score": ["不可以", "可以", "完全可以", "没有意见"],
}


@pytest.mark.skipif(
    find_spec("transformers.decision") is None, reason="this transformers has no pipeline(decision)"
)
@pytest.mark.parametrize("state", ["The watch records a heart rate.", "手表记录心率。"])
@pytest.mark.parametrize("kind", DECISIONS)
def test_the_local_engine_agrees_with_transformers_own_decision_pipeline(
    kind: str,
    state: str,
    saved: dict[bool, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = saved[True]
    decide = transformers.pipeline("decision", model=path, dtype="float32")
    said: list[str] = []
    render = decide.tokenizer.apply_chat_template

    def overhear(conversation: Any, **how: Any) -> Any:
        said.append(conversation[0]["content"])
        return render(conversation, **how)

    monkeypatch.setattr(decide.tokenizer, "apply_chat_template", overhear)
    question = {"type": kind, "instructions": "How safe is it?", "criteria": DECISIONS[kind]}
    verdict = decide({"state": state, "questions": {"verdict": question}})["verdict"]
    theirs = list(verdict["probabilities"].values())
    labels = tuple("ABCD"[: len(theirs)])
    scale = Scale(
        labels=labels,
        values=tuple(float(level) for level in range(len(theirs))),
        forms={label: (label,) for label in labels},
    )
    (ours,) = local(path).labels([LabelRequest(conversation=(("user", said[0]),), scale=scale)])
    assert ours.logprobs is not None
    read = normalise(ours.logprobs)
    assert read is not None
    assert read[0] == pytest.approx(theirs, abs=NEAR)
    assert max(theirs) < 0.999  # else any wrong reading could agree
    if kind == "score":
        assert scale.expected(read[0]) == pytest.approx(verdict["score"], abs=NEAR)
