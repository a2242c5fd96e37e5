"""Every node of a tree against plain forward passes over its leaves."""

from typing import Any

import pytest
import torch
from families import small
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from normscope.judges.engines.local import prefix_tree, tree_attention
from normscope.judges.engines.local.passes import tree_pieces
from normscope.judges.engines.local.prefix_tree import Ids
from normscope.judges.engines.local.transformers import Choice, Way, choose

VOCABULARY = 50
WINDOWS = {
    # shorter and longer than what is attended apart; sinks, caps, chunks, small values
    **dict.fromkeys(("llama", "qwen3", "deepseek_v3", "gpt2"), 0),
    **dict.fromkeys(("gemma2", "gpt_oss", "llama4_text"), 30),
    "mistral": 100,
}
TREES = st.builds(
    lambda stem, tails: [(*range(stem), *tail) for tail in tails],
    st.sampled_from((1, 20, 49)),
    st.lists(
        st.lists(st.integers(0, 2), min_size=1, max_size=70).map(tuple), min_size=1, max_size=6
    ),
)


@pytest.fixture(scope="module", params=WINDOWS)
def model(request: pytest.FixtureRequest) -> Any:
    return small(request.param, VOCABULARY, window=WINDOWS[request.param])


def read(model: Any, sequences: list[Ids], pack_tokens: int) -> dict[Ids, torch.Tensor]:
    pieces = tree_pieces(model, sequences, pack_tokens=pack_tokens)
    return {sequences[i]: row for at, rows in pieces for i, row in zip(at, rows, strict=True)}


@settings(
    max_examples=settings().max_examples // 5,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(tree=TREES, pack_tokens=st.sampled_from((7, 33, 150, 600)), worth=st.sampled_from((4, 64)))
def test_every_position_reads_as_in_a_plain_pass(
    model: Any, tree: list[Ids], pack_tokens: int, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefix_tree, "WORTH_SPLITTING", worth)
    nodes = [sequence[:cut] for sequence in tree for cut in range(1, len(sequence) + 1)]
    found = read(model, nodes, pack_tokens)
    for sequence in tree:
        with torch.inference_mode():
            plain = model(torch.tensor([sequence])).logits[0].log_softmax(-1)
        ours = torch.stack([found[sequence[:cut]] for cut in range(1, len(sequence) + 1)])
        torch.testing.assert_close(ours.log_softmax(-1), plain, atol=1e-4, rtol=1e-5)


def test_the_shared_path_attended_apart_is_the_same_as_attended_with_the_rest(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stem: tuple[int, ...] = tuple(range(50)) * 3
    tree = [(*stem, *(number,) * 20) for number in range(20)]
    apart = read(model, tree, 128)
    monkeypatch.setattr(prefix_tree, "WORTH_SPLITTING", 10_000)
    for sequence, row in read(model, tree, 128).items():
        torch.testing.assert_close(apart[sequence], row, atol=1e-3, rtol=1e-5)


def test_without_the_processors_attention_every_position_reads_the_same(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = [(*range(40), *(number,) * 20) for number in range(8)]
    expected = read(model, tree, 64)
    monkeypatch.setattr(tree_attention, "cpu_flash", lambda: None)
    # a few rows at a time
    monkeypatch.setattr(tree_attention, "_SCORES", 5000)
    for sequence, row in read(model, tree, 64).items():
        torch.testing.assert_close(expected[sequence], row, atol=1e-3, rtol=1e-5)


def test_a_model_that_a_tree_cannot_have_is_not_packed_and_it_says_why() -> None:
    assert choose(small("llama", VOCABULARY), pack_tokens=64) == Choice(Way.TREE)
    tuned = small("llama4_text", VOCABULARY, window=8192)
    assert choose(tuned, pack_tokens=64) == Choice(Way.TREE)
    way, why = choose(tuned, pack_tokens=9000)
    assert way is not Way.TREE
    assert why == "its attention is tuned by the places of a row"


def test_a_mask_that_looks_up_the_places_of_a_row_may_have_a_window_wider_than_a_pack() -> None:
    # of pictures, which are not there
    model = small("gemma4_unified", VOCABULARY, window=200)
    assert choose(model, pack_tokens=64) == Choice(Way.TREE)


def test_the_model_keeps_its_own_attention_outside(model: Any) -> None:
    before = model.config._attn_implementation
    read(model, [(1, 2, 3)], 8)
    assert model.config._attn_implementation == before
