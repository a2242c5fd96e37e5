"""The last feed-forward part runs at the places that are read, and changes nothing there."""

from typing import Any

import torch
import transformers

from normscope.judges.engines.local.narrow import narrow_tail
from normscope.judges.engines.local.passes import tree_pieces

SIZES: dict[str, Any] = {
    "vocab_size": 50,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 64,
}
TREE = [(1, 2, 3), (1, 2, 4, 5), (1, 2, 4, 6)]


def random_model(config: Any) -> Any:
    torch.manual_seed(5)
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def read(model: Any, **how: Any) -> torch.Tensor:
    ((order, logits),) = tree_pieces(model, TREE, pack_tokens=64, **how)
    return logits[[order.index(number) for number in range(len(TREE))]]


def test_only_the_rows_that_are_read_pass_the_last_feed_forward_part() -> None:
    model = random_model(transformers.LlamaConfig(**SIZES))
    whole = read(model)
    tail = narrow_tail(model)
    assert tail is not None
    seen: list[int] = []
    model.model.layers[-1].mlp.up_proj.register_forward_hook(
        lambda _, inputs, __: seen.append(inputs[0].shape[1])
    )
    torch.testing.assert_close(read(model, tail=tail), whole, atol=1e-5, rtol=1e-5)
    read(model)
    # three sequences are read; the tree has six nodes: 1, 2, 3, 4, 5, 6
    assert seen == [3, 6]


def test_a_feed_forward_part_that_mixes_rows_is_left_whole() -> None:
    model = random_model(transformers.LlamaConfig(**SIZES))
    plain = model.model.layers[-1].mlp.forward
    model.model.layers[-1].mlp.forward = lambda rows: plain(rows).cumsum(1)
    assert narrow_tail(model) is None
