"""Many replies at once are what each would be alone: beside any others, whenever they end."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_models import SHAPES, save_model

from normscope.judges.engine import TextRequest
from normscope.judges.engines import load
from normscope.judges.engines.local import replies, tree_attention
from normscope.judges.engines.local.passes import PLAIN_BATCH
from normscope.judges.engines.local.prefix_tree import Ids
from normscope.judges.engines.local.reads import Draw, Prompt
from normscope.records.model_spec import ModelSpec

STEM = tuple(range(5, 85))
# prompts that share much, little and nothing, repeat, and begin one another
BEGUN: tuple[Ids, ...] = (STEM, (*STEM, 9), (*STEM, 9, 30), (*STEM[:70], *STEM), (3,), STEM[:20])
LONGEST = 12

Writer = Callable[..., list[Ids]]


class Model:
    """A random model, and what it says to a prompt alone, by plain passes over the whole text."""

    def __init__(self, path: str) -> None:
        engine = load(ModelSpec(model=path, dtype="float32"))
        self.loaded: Any = engine._model  # type: ignore[attr-defined]
        self.rows: list[int] = []
        """How many tokens went through each pass."""
        self.loaded.register_forward_pre_hook(self._pass, with_kwargs=True)

    def _pass(self, _: Any, args: Any, given: Any) -> None:
        self.rows.append((args[0] if args else given["input_ids"]).numel())

    @cache  # noqa: B019 - the model lives as long as the tests
    def alone(self, ids: Ids, temperature: float, seed: int) -> Ids:
        draw, said = Draw(temperature, seed), list(ids)
        with torch.inference_mode():
            for _ in range(LONGEST):
                scores = self.loaded(torch.tensor([said])).logits[0, -1]
                said.append(int(draw(scores).argmax()))
        return tuple(said[len(ids) :])

    def expected(self, prompt: Prompt, ends: frozenset[int]) -> Ids:
        said = self.alone(prompt.ids, prompt.temperature, prompt.seed)[: prompt.max_new_tokens]
        end = next((n for n, token in enumerate(said, 1) if token in ends), len(said))
        return said[:end]


@pytest.fixture(scope="module", params=["qwen3", "gemma2", "gpt_oss"])
def model(
    request: pytest.FixtureRequest, tiny_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Model:
    folder = tmp_path_factory.mktemp("model") / request.param
    return Model(save_model(folder, tiny_model, request.param, template=True))


PROMPTS = st.lists(
    st.builds(
        Prompt,
        ids=st.sampled_from(BEGUN),
        max_new_tokens=st.integers(1, LONGEST),
        temperature=st.sampled_from([0.0, 1.0]),
        seed=st.integers(0, 1),
    ),
    max_size=12,
)


@settings(max_examples=settings().max_examples // 4)
@given(prompts=PROMPTS, every=st.integers(1, 9), pack_tokens=st.sampled_from([16, 40, 1024]))
def test_each_reply_is_what_it_would_be_alone(
    prompts: list[Prompt], every: int, pack_tokens: int, model: Model
) -> None:
    ends = frozenset(range(0, 1 << 12, every)) if every > 1 else frozenset[int]()
    said = replies.write(model.loaded, prompts, ends=ends, pack_tokens=pack_tokens)
    assert said == [model.expected(prompt, ends) for prompt in prompts]


@settings(max_examples=settings().max_examples // 10)
@given(prompts=PROMPTS, every=st.integers(2, 9))
def test_rows_that_wait_for_their_longest_say_the_same(
    prompts: list[Prompt], every: int, model: Model
) -> None:
    ends = frozenset(range(0, 1 << 12, every))
    said = replies.generate(model.loaded, prompts, ends=ends, pack_tokens=64)
    assert said == [model.expected(prompt, ends) for prompt in prompts]


def test_a_device_without_the_processors_attention_says_the_same(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = [Prompt(ids, LONGEST, 1.0, seed) for ids in BEGUN for seed in (0, 1)]
    monkeypatch.setattr(tree_attention, "cpu_flash", lambda: None)
    said = replies.write(model.loaded, prompts, ends=frozenset(), pack_tokens=64)
    assert said == [model.expected(prompt, frozenset()) for prompt in prompts]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_writes_where_a_window_ends_within_what_is_shared(
    dtype: Any, tiny_model: Path, tmp_path: Path
) -> None:
    path = save_model(tmp_path, tiny_model, "gemma2", template=True)
    loaded: Any = load(ModelSpec(model=path, dtype=dtype))._model  # type: ignore[attr-defined]
    prompts = [Prompt((*STEM, token), 2, 0.0, 0) for token in (3, 4)]
    said = replies.write(loaded, prompts, ends=frozenset(), pack_tokens=64)
    for prompt, (first, second) in zip(prompts, said, strict=True):
        with torch.inference_mode():
            logits = loaded(torch.tensor([[*prompt.ids, first]])).logits[0, -1].float()
        # rounding may decide between two that are near one another
        assert logits[second] > logits.max() - 0.05 * (logits.max() - logits.mean())


@pytest.mark.parametrize("pack_tokens", [32, 1024])
def test_nothing_is_computed_for_a_reply_that_has_ended_or_of_a_prompt_twice(
    pack_tokens: int, model: Model
) -> None:
    prompts = [Prompt((*STEM, 7), LONGEST, 9.0, seed) for seed in range(30)]
    ends = frozenset(range(0, 1 << 12, 5))
    model.rows.clear()
    said = replies.write(model.loaded, prompts, ends=ends, pack_tokens=pack_tokens)
    assert len(set(map(len, said))) > 3
    # the first token of a reply is read off its prompt, and the last one is not read
    assert sum(model.rows) == len(STEM) + 1 + sum(len(tokens) - 1 for tokens in said)


@pytest.mark.parametrize("pack_tokens", [16, 32, 1024])
def test_what_is_kept_of_replies_is_bounded_by_the_plan(
    pack_tokens: int, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = []

    class Counted(replies.ReplySlots):
        def __init__(self, slots: int, width: int, **where: Any) -> None:
            kept.append((slots, slots * width))
            super().__init__(slots, width, **where)

    monkeypatch.setattr(replies, "ReplySlots", Counted)
    prompts = [Prompt(ids, LONGEST, 0.0, 0) for ids in BEGUN * 3]
    replies.write(model.loaded, prompts, ends=frozenset(), pack_tokens=pack_tokens)
    assert all(slots == 1 or tokens <= PLAIN_BATCH * pack_tokens for slots, tokens in kept)
    # a short prompt takes no slot of a long one's width
    assert len(kept) > 1


@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - {"qwen3"}))
def test_a_model_of_any_shape_replies_alike_alone_and_among_others(
    shape: str, tiny_model: Path, tmp_path: Path
) -> None:
    path = save_model(tmp_path / "model", tiny_model, shape, template=True)
    engine = load(ModelSpec(model=path, dtype="float32"))
    asked = [
        TextRequest((("user", "智能手表" * length),), LONGEST, temperature, seed)
        for length, temperature, seed in ((20, 0.0, 0), (21, 1.0, 0), (1, 1.0, 1), (21, 1.0, 2))
    ]
    assert engine.texts(asked) == [engine.texts([request])[0] for request in asked]
