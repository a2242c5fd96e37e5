"""Texts whose length changes how all of their tokens are positioned are read as they are alone."""

from typing import Any

import pytest
import torch
import transformers
from reference_models import peaked

from normscope.judges.engines.choosing import Way, choose, pieces
from normscope.judges.engines.stretching import longest_alike

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
    assert longest_alike(model) == LONGEST
    assert choose(model, pack_tokens=64) == (Way.TREE, "")
    read = {
        TREE[i]: row
        for at, rows in pieces(way, model, TREE, pack_tokens=64)
        for i, row in zip(at, rows, strict=True)
    }
    differing = 0
    for sequence in TREE:
        with torch.inference_mode():
            model(torch.tensor([[0]]))
            plain = model(torch.tensor([sequence])).logits[0]
            # as if the text were as long as the longest
            filled = model(torch.tensor([sequence + (0,) * (190 - len(sequence))])).logits[0]
        at = len(sequence) - 1
        torch.testing.assert_close(
            read[sequence].log_softmax(-1), plain[at].log_softmax(-1), atol=1e-4, rtol=1e-5
        )
        differing += not torch.allclose(plain[at], filled[at], atol=1e-2)
    assert differing >= 3
