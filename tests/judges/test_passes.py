"""Texts whose length changes how all of their tokens are positioned are read as they are alone."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
import transformers
from reference_models import peaked

from normscope.judges.engines.local import replies
from normscope.judges.engines.local.passes import Piece, max_stable_length, tree_pieces
from normscope.judges.engines.local.prefix_tree import Ids
from normscope.judges.engines.local.reads import Prompt
from normscope.judges.engines.local.transformers import Choice, Way, choose, pieces

LONGEST = 150
SIZES: dict[str, Any] = {
    "vocab_size": 50,
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "bos_token_id": 1,
    "eos_token_id": 1,
    "pad_token_id": 0,
}
ROPE = {"rope_theta": 10000.0}
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 6, "long_factor": [40.0] * 6}
STRETCHED: dict[str, Any] = {
    "longrope": lambda: transformers.Phi3Config(
        rope_parameters=ROPE
        | LONG
        | {"original_max_position_embeddings": LONGEST, "partial_rotary_factor": 1.0},
        original_max_position_embeddings=LONGEST,
        max_position_embeddings=2 * LONGEST,
        **SIZES,
    ),
    "tuned": lambda: transformers.Llama4TextConfig(
        attn_temperature_tuning=True,
        floor_scale=LONGEST + 1,
        attn_scale=9.0,
        num_local_experts=2,
        head_dim=12,
        intermediate_size_mlp=64,
        no_rope_layers=[1, 0],
        **SIZES,
    ),
    "dynamic": lambda: transformers.LlamaConfig(
        rope_parameters=ROPE | {"rope_type": "dynamic", "factor": 40.0},
        max_position_embeddings=LONGEST,
        **SIZES,
    ),
}
STEM = tuple(i * 7 % 50 for i in range(LONGEST - 20))
TREE = [(*STEM, *(number,) * length) for number, length in enumerate((1, 20, 21, 30, 30, 5, 60))]


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("name", STRETCHED)
def test_a_text_that_is_positioned_otherwise_shares_nothing(name: str, way: Way) -> None:
    model = peaked(STRETCHED[name]())
    assert max_stable_length(model) == LONGEST
    assert choose(model, pack_tokens=64) == Choice(Way.TREE)
    ours = read(pieces(way, model, TREE, pack_tokens=64))
    # as if all of them were alike
    together = read(tree_pieces(model, TREE, pack_tokens=64))
    differing = 0
    for sequence in TREE:
        with torch.inference_mode():
            # a short text first, which undoes what a longer one has stretched
            model(torch.tensor([[0]]))
            plain = model(torch.tensor([sequence])).logits[0, -1].log_softmax(-1)
        torch.testing.assert_close(ours[sequence], plain, atol=1e-4, rtol=1e-5)
        differing += not torch.allclose(together[sequence], plain, atol=1e-2)
    assert differing >= 3


@pytest.mark.parametrize("way", Way)
def test_what_a_longer_text_has_stretched_is_undone_before_the_next_unit(way: Way) -> None:
    model = peaked(STRETCHED["dynamic"]())
    # of this length transformers itself undoes nothing
    text = (*STEM, *(2,) * 20)
    ((_, expected),) = pieces(way, model, [text], pack_tokens=200)
    ((_, longer),) = pieces(way, model, [TREE[-1]], pack_tokens=200)
    ((_, again),) = pieces(way, model, [text], pack_tokens=200)
    torch.testing.assert_close(again, expected, atol=1e-4, rtol=1e-5)
    assert not torch.allclose(longer, expected, atol=1e-2)


def test_a_long_reply_is_the_same_after_another() -> None:
    model = peaked(STRETCHED["dynamic"]())
    prompts = [Prompt((*STEM, *(number,) * 22), 40, 0.0, 0) for number in (1, 2, 3)]

    def written(some: list[Prompt]) -> list[Ids]:
        return replies.generate(model, some, ends=frozenset(), pack_tokens=64, batch_size=1)

    assert written(prompts) == [reply for prompt in prompts for reply in written([prompt])]


def read(given: Iterator[Piece]) -> dict[Ids, torch.Tensor]:
    return {
        TREE[i]: row.log_softmax(-1) for at, rows in given for i, row in zip(at, rows, strict=True)
    }
