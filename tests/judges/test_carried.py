"""Every node of a tree, read with carried states, against plain forward passes over its leaves."""

import random
import weakref
from functools import cache
from typing import Any

import pytest
import torch
from families import small
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from normscope.judges.engines.local import carried
from normscope.judges.engines.local.carried import Paths, cache_kind, carried_pieces
from normscope.judges.engines.local.passes import PLAIN_BATCH
from normscope.judges.engines.local.prefix_tree import Ids
from normscope.judges.engines.local.transformers import Way, choose

VOCABULARY = 50
# the last one tells keys apart by their distance, with no position ids
SHAPES = ("qwen3_5_text", "qwen3_next", "mamba2", "granitemoehybrid", "lfm2", "bamba", "bloom")
TREES = st.builds(
    lambda stem, tails: [(*range(stem), *tail) for tail in tails],
    st.sampled_from((1, 20, 49)),
    st.lists(
        st.lists(st.integers(0, 2), min_size=1, max_size=70).map(tuple), min_size=1, max_size=6
    ),
)


@cache
def peaked(name: str) -> Any:
    return small(name, VOCABULARY)


def read(model: Any, sequences: list[Ids], pack_tokens: int, cost: int) -> dict[Ids, torch.Tensor]:
    pieces = carried_pieces(model, sequences, pack_tokens=pack_tokens, pass_tokens=cost)
    found = [(i, row) for at, rows in pieces for i, row in zip(at, rows, strict=True)]
    assert sorted(i for i, _ in found) == list(range(len(sequences)))
    return {sequences[i]: row for i, row in found}


@settings(
    max_examples=settings().max_examples // 10,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(tree=TREES, pack_tokens=st.sampled_from((2, 33, 600)), cost=st.sampled_from((0, 16, 500)))
@pytest.mark.parametrize("name", SHAPES)
def test_every_position_reads_as_in_a_plain_pass(
    name: str, tree: list[Ids], pack_tokens: int, cost: int
) -> None:
    nodes = [sequence[:cut] for sequence in tree for cut in range(1, len(sequence) + 1)]
    found = read(peaked(name), nodes, pack_tokens, cost)
    for sequence in tree:
        with torch.inference_mode():
            plain = peaked(name)(torch.tensor([sequence]), use_cache=False).logits[0]
        ours = torch.stack([found[sequence[:cut]] for cut in range(1, len(sequence) + 1)])
        torch.testing.assert_close(
            ours.log_softmax(-1), plain.log_softmax(-1), atol=1e-4, rtol=1e-5
        )


def items(count: int, *, stem: int = 20) -> list[Ids]:
    """What a unit looks like: one beginning, a text for each item, three questions about each."""
    draw = random.Random(0)
    texts = [tuple(draw.choices(range(40), k=draw.randint(18, 22))) for _ in range(count)]
    asked = [tuple(draw.choices(range(40, 50), k=5)) for _ in range(3)]
    return [(*range(stem), *text, *question) for text in texts for question in asked]


def test_the_order_of_requests_changes_no_bit() -> None:
    sequences = items(9)
    shuffled = random.Random(1).sample(sequences, len(sequences))
    one, other = (read(peaked("qwen3_5_text"), given, 64, 16) for given in (sequences, shuffled))
    assert all(torch.equal(one[sequence], other[sequence]) for sequence in sequences)


def test_a_duplicate_and_a_beginning_are_read_where_they_are_passed() -> None:
    sequences = [(1, 2, 3, 4), (1, 2), (1, 2, 3, 4), (1, 2, 3, 9)]
    tokens = 0

    def count(_: Any, __: Any, given: dict[str, Any]) -> None:
        nonlocal tokens
        tokens += given["input_ids"].numel()

    cache_kind(peaked("lfm2"))
    hook = peaked("lfm2").register_forward_pre_hook(count, with_kwargs=True)
    try:
        (sizes,) = (
            [len(at) for at, _ in carried_pieces(peaked("lfm2"), sequences, pack_tokens=9)],
        )
    finally:
        hook.remove()
    assert sum(sizes) == len(sequences)
    # two rows of four tokens: to carry three of them would cost a pass
    assert tokens <= 8


@pytest.mark.parametrize("name", ["bloom", "qwen3_5_text"])
def test_what_is_kept_is_bounded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, sequences, pack_tokens = peaked(name), items(60), 64
    alive: weakref.WeakSet[Any] = weakref.WeakSet()
    most = rows = 0
    forward = carried._forward

    def watched(*given: Any, **settings: Any) -> Any:
        nonlocal most, rows
        logits, after = forward(*given, **settings)
        alive.update(x for x in (given[3], after) if x is not None)
        most = max(most, sum(map(carried.cache_bytes, alive)))
        rows = max(rows, len(given[2]))
        assert given[2].size <= pack_tokens
        return logits, after

    monkeypatch.setattr(carried, "_forward", watched)
    found = read(model, sequences, pack_tokens, 4)
    # keys and values of three layers, in float32
    whole = PLAIN_BATCH * pack_tokens * 2 * 3 * 64 * 4
    longest = max(map(len, sequences))
    kind = cache_kind(model)
    bound = max(whole, 4 * kind.size(longest))
    # the bound is felt: all items at once would need more
    assert 60 * kind.size(40) > bound
    assert bound / 4 < most <= bound
    assert rows > 1
    monkeypatch.undo()
    with torch.inference_mode():
        plain = model(torch.tensor([sequences[7]])).logits[0, -1]
    torch.testing.assert_close(
        found[sequences[7]].log_softmax(-1), plain.log_softmax(-1), atol=1e-4, rtol=1e-5
    )


@pytest.mark.parametrize("name", SHAPES)
def test_a_model_that_cannot_be_packed_carries_its_states(name: str) -> None:
    choice = choose(peaked(name), pack_tokens=64)
    assert choice.way is Way.CARRIED
    assert choice.why


# the one scans from nothing whenever it is given several tokens, the other has a cache of its own
@pytest.mark.parametrize("name", ["mamba", "minimax"])
def test_a_model_whose_cache_does_not_go_on_takes_plain_rows_and_says_why(name: str) -> None:
    model = small(name, VOCABULARY)
    choice = choose(model, pack_tokens=64)
    assert choice.way is Way.ROWS
    assert choice.why.endswith("and its cache cannot be carried on")


@given(tree=TREES)
def test_paths_and_what_is_read_on_them_are_the_sequences(tree: list[Ids]) -> None:
    nodes = [sequence[:cut] for sequence in tree for cut in range(1, len(sequence) + 1)]
    paths = Paths(nodes)
    found = {
        index: tokens[:length]
        for tokens, reads in zip(paths.tokens, paths.reads, strict=True)
        for length, several in reads
        for index in several
    }
    assert found == dict(enumerate(nodes))
    assert paths.tokens == sorted(
        s for s in set(tree) if not any(o[: len(s)] == s != o for o in tree)
    )
