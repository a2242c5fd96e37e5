"""The model's own forward pass, cut down to what a verdict needs: the states at the asking places.

The asking tokens stand behind the conversation, see it and themselves, all at the same position,
as the engine's prefix tree lays them out. The conversation is read causally, so that padding on
the right needs no mask, and in the last layer it gives keys and values only.
"""

from typing import Any

from ....extras import require


def states_at_asks(model: Any, embedded: Any, places: Any, lengths: Any) -> Any:
    """The last hidden states of the asking tokens, rows × asking tokens × width, after the norm.

    `embedded` are the conversations' tokens, padded on the right, and behind them those that ask,
    whose position is the one after the last real token; `places` holds the positions of the
    former, `lengths` how many of them are real.
    """
    torch = require("torch", extra="judge")
    rows, width = places.shape
    asks = embedded.shape[1] - width
    body = model.model
    last = places.gather(1, (lengths - 1).clamp_min(0)[:, None]) + 1
    turns = body.rotary_emb(body.norm.weight, torch.cat([places, last.expand(-1, asks)], 1))
    hidden = embedded
    real = torch.arange(width)[None] < lengths[:, None]
    bias = torch.zeros(rows, width).masked_fill(~real, float("-inf"))[:, None, None]
    for number, layer in enumerate(body.layers):
        normed = layer.input_layernorm(hidden)
        final = number == len(body.layers) - 1
        # of the last layer only the asking tokens' output is needed
        begin = width if final else 0
        read = _attend(layer.self_attn, normed, turns, bias, begin)
        hidden = hidden[:, begin:] + layer.self_attn.o_proj(read)
        hidden = hidden + layer.mlp(layer.post_attention_layernorm(hidden))
    return body.norm(hidden)


def _attend(attention_layer: Any, normed: Any, turns: Any, bias: Any, begin: int) -> Any:
    """What the tokens from `begin` on see, rows × tokens × all criteria' values side by side."""
    width = bias.shape[-1]
    torch = require("torch", extra="judge")
    attention = torch.nn.functional.scaled_dot_product_attention
    cos, sin = (side[:, None] for side in turns)
    sizes = (width, normed.shape[1] - width)
    key = _turn(_criteria(attention_layer.k_proj(normed), attention_layer), cos, sin)
    (known, own_keys), (values, own_values) = (
        side.split(sizes, 2)
        for side in (key, _criteria(attention_layer.v_proj(normed), attention_layer))
    )
    query = _criteria(attention_layer.q_proj(normed[:, begin:]), attention_layer)
    query = _turn(query, cos[:, :, begin:], sin[:, :, begin:])
    before, asking = query.split((width - begin, sizes[1]), 2)
    far = asking @ known.transpose(2, 3) * attention_layer.scaling + bias
    # the asking token sees itself and none of the others
    near = (asking * own_keys).sum(-1, keepdim=True) * attention_layer.scaling
    far, near = torch.softmax(torch.cat([far, near], -1), -1).split((width, 1), -1)
    read = far @ values + near * own_values
    if begin == 0:
        passed = attention(before, known, values, is_causal=True, scale=attention_layer.scaling)
        read = torch.cat([passed, read], 2)
    return read.transpose(1, 2).flatten(2)


def _criteria(flat: Any, attention_layer: Any) -> Any:
    return flat.unflatten(-1, (-1, attention_layer.head_dim)).transpose(1, 2)


def _turn(vectors: Any, cos: Any, sin: Any) -> Any:
    torch = require("torch", extra="judge")
    half = vectors.shape[-1] // 2
    turned = torch.cat([-vectors[..., half:], vectors[..., :half]], -1)
    return vectors * cos + turned * sin
