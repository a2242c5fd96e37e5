"""Requests as tokens, what is read of logits, and draws that follow a seed."""

import gc
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st
from reference_models import MORAL
from tiny_model import make_tiny_model
from torch.utils._python_dispatch import TorchDispatchMode

from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.engines import load
from normscope.judges.engines.local import reads as module
from normscope.judges.engines.local.reads import Draw, Reader, ReadPlan, seed_of, take_logprobs
from normscope.judges.engines.local.transformers import TransformersEngine, Way
from normscope.records.model_spec import ModelSpec

TEXTS = ["A question about rain?\nYes.", "你好，世界", "short", "  two  spaces \t and a tab\n\n"]


@pytest.fixture
def tokenizer(tmp_path: Path) -> Any:
    return transformers.AutoTokenizer.from_pretrained(make_tiny_model(tmp_path, TEXTS * 3))


def test_ids_are_those_of_the_tokenizer(tokenizer: Any) -> None:
    plain = [tuple(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in TEXTS]
    assert Reader(tokenizer, None).encode(TEXTS) == plain
    # without a template nothing else writes what begins a text
    tokenizer.chat_template = None
    with_special = [tuple(tokenizer(text)["input_ids"]) for text in TEXTS]
    assert Reader(tokenizer, None).encode(TEXTS) == with_special


def test_nothing_is_padded_or_cut_though_the_saved_tokenizer_does_so(tokenizer: Any) -> None:
    expected = Reader(tokenizer, None).encode(TEXTS)
    tokenizer.backend_tokenizer.enable_padding(length=40)
    tokenizer.backend_tokenizer.enable_truncation(3)
    assert Reader(tokenizer, None).encode(TEXTS) == expected


def test_an_empty_text_has_a_token_and_no_texts_are_no_prompts(tokenizer: Any) -> None:
    assert Reader(tokenizer, None).encode(["", "a"])[0] == (tokenizer.eos_token_id,)
    assert Reader(tokenizer, None).encode([]) == []


# two labels of one token, and one of two tokens
LABELS = (((5,),), ((3,),), ((6, 7),))
BRANCHES = {(): (3, 5, 6), (6,): (7,)}
WORDS = 11


def plan_of(prompts: int) -> ReadPlan:
    plan = ReadPlan([LABELS] * prompts)
    for number in range(prompts):
        plan.add(number, (1, number), BRANCHES)
    return plan


def random_logits(rows: int) -> torch.Tensor:
    return torch.randn((rows, WORDS), generator=torch.Generator().manual_seed(rows))


def gathered(logits: torch.Tensor, pieces: Sequence[Sequence[int]]) -> list[LabelResult]:
    plan = plan_of(len(logits) // 2)
    take_logprobs(plan, ((at, logits[list(at)]) for at in pieces), str)
    return plan.results()


@given(st.permutations(range(8)), st.sets(st.integers(1, 7)), st.integers(1, 40))
def test_the_pieces_and_their_order_do_not_matter(
    order: list[int], cuts: set[int], at_once: int
) -> None:
    logits = random_logits(8)
    edges = [0, *sorted(cuts), 8]
    pieces = [order[start:end] for start, end in pairwise(edges)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE_CPU", at_once)
        assert gathered(logits, pieces) == gathered(logits, [range(8)])


def test_labels_and_top_tokens_are_those_of_the_softmax() -> None:
    logits = random_logits(4)
    logs = logits.log_softmax(-1)
    for number, result in enumerate(gathered(logits, [range(4)])):
        prompt, branch = logs[2 * number], logs[2 * number + 1]
        assert result.logprobs == pytest.approx(
            [prompt[5].item(), prompt[3].item(), (prompt[6] + branch[7]).item()], abs=1e-6
        )
        top = prompt.exp().topk(5)
        assert result.raw_top is not None
        assert [int(each.token) for each in result.raw_top] == top.indices.tolist()
        assert [each.prob for each in result.raw_top] == pytest.approx(top.values.tolist())


def test_nothing_is_kept_of_the_logits_themselves() -> None:
    logits = random_logits(4)
    place = logits.untyped_storage().data_ptr()

    def held() -> int:
        tensors = [each for each in gc.get_objects() if type(each) is torch.Tensor]
        return sum(each.untyped_storage().data_ptr() == place for each in tensors)

    def pieces() -> Iterator[tuple[range, torch.Tensor]]:
        assert held() == 1
        yield range(4), logits
        assert held() == 1

    take_logprobs(plan_of(2), pieces(), str)


def test_requests_that_all_are_too_long_leave_nothing_to_gather() -> None:
    take_logprobs(ReadPlan([]), [], str)


class Waits(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts what has the processor wait for a number of the device, as `if tensor` does."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func._schema.name in {"aten::_local_scalar_dense", "aten::is_nonzero"}
        return func(*args, **(kwargs or {}))


def test_a_unit_is_waited_for_once_however_many_passes_it_has(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [
        LabelRequest((("user", f"Rate how safe this is: {'rain ' * n}"),), MORAL, "Answer:")
        for n in (1, 2, 40, 80)
    ]
    engine = load(ModelSpec(model=str(tiny_model), dtype="float32", pack_tokens=64))
    assert isinstance(engine, TransformersEngine)
    assert engine.way is Way.TREE
    passes, read, tolist = count(), count(), torch.Tensor.tolist

    def reading(tensor: torch.Tensor) -> Any:
        next(read)
        return tolist(tensor)

    def passing(*_: Any) -> None:
        next(passes)

    engine._model.register_forward_pre_hook(passing)
    monkeypatch.setattr(torch.Tensor, "tolist", reading)
    with Waits() as waits:
        engine.labels(requests)
    assert next(passes) > 3
    assert waits.count == 0
    # log-probabilities, top tokens and their probabilities
    assert next(read) == 3


LOGITS = torch.tensor([2.0, 1.0, 0.0, -1.0, -torch.inf])
ROWS = 4000


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_samples_fall_as_often_as_the_model_says(temperature: float) -> None:
    rows = torch.stack([Draw(temperature, seed)(LOGITS) for seed in range(ROWS)])
    chosen = rows.argmax(-1)
    seen = torch.bincount(chosen, minlength=5)
    expected = ROWS * (LOGITS / temperature).softmax(-1)
    assert seen[4] == 0
    # the upper 0.1 % point of chi-square with 3 degrees of freedom is 16.3
    assert float(((seen - expected)[:4] ** 2 / expected[:4]).sum()) < 16.3


def test_a_reply_draws_the_same_step_after_step() -> None:
    scores = torch.randn(50, generator=torch.Generator().manual_seed(0))
    one, other, cold = Draw(0.7, 6), Draw(0.7, 6), Draw(0.0, 7)
    steps = [one(scores) for _ in range(4)]
    assert all(torch.equal(step, other(scores)) for step in steps)
    assert not torch.equal(steps[0], steps[1])
    assert torch.equal(cold(scores), scores)  # temperature 0 has no noise


def test_a_generator_of_ones_own_leaves_the_worlds_alone() -> None:
    before = torch.random.get_rng_state()
    Draw(1.0, 1)(LOGITS)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_seed_follows_from_the_runs_seed_and_the_prompt() -> None:
    seeds = [seed_of(1, (1, 23)), seed_of(1, (12, 3)), seed_of(11, (23,)), seed_of(1, (1, 23))]
    assert seeds[0] == seeds[3]
    assert len(set(seeds)) == 3
    assert all(0 <= seed < 1 << 32 for seed in seeds)
