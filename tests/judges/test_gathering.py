"""What is read of logits, whatever pieces they come in, and nothing else is kept of them."""

import gc
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference_models import MORAL
from torch.utils._python_dispatch import TorchDispatchMode

from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.engines import load
from normscope.judges.engines.local import reads as module
from normscope.judges.engines.local.reads import ReadPlan, take_logprobs
from normscope.judges.engines.local.transformers import TransformersEngine, Way
from normscope.judges.scale import LabelTokens
from normscope.records.model_spec import ModelSpec

# two labels of one token, and one of two tokens
LABELS = LabelTokens((((5,),), ((3,),), ((6, 7),)))
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
