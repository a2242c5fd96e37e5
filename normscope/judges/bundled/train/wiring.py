"""Places of each embedding and heads of attention that are set, not learnt.

A bag of an answer's words says most of what the teachers say of it, but a transformer that starts
from random heads spends millions of tokens on finding the answer. Here its heads are set: in the
first layer, one notes in each token whether it stands before the answer or in it, and one looks at
the token before; in the last layer the asking token looks at all of the answer's tokens alike, and
with its last head at all of the question's. The last layer can then be taught on means alone
(`pooled.py`), hundreds of texts at a time, before all of it is taught as it will be read.
"""

from typing import Any

from ....extras import require
from .vocabulary import mark_tokens, marks, said_tokens

RESERVED = 4
"""The last places of a row: a label's or an asking token's, a mark's, the constant, the segment."""

_SAID, _MARK, _CONSTANT, _SEGMENT = range(-RESERVED, 0)

HEAD = 64
"""The width of an attention head."""

# the root mean square of a row, and what stands in its places, in units of it
_SCALE = 0.05
_LOUD = 6.0
_IN_ANSWER = 3.0

# queries and keys, whose product over the root of a head's width is what a softmax takes: 15 for
# each 1 of a mark, 13 for the segment, 96 for the token before (of 12 rotations, 8 × 8 each)
_SHARP = 11.0
_EVEN = 6.0
_STEEP = 8.0
_TURNED = 12


def reserved_places(tokenizer: Any) -> Any:
    """What stands in the reserved places of each row, vocabulary × 4, before scaling.

    Labels are told from all other tokens by a place of their own, so that those need not be learnt
    one by one never to be said; a mark is 1 and the one that opens the answer 2.
    """
    torch = require("torch", extra="judge")
    places = torch.zeros(len(tokenizer), RESERVED)
    used = marks()
    number = tokenizer.convert_tokens_to_ids
    places[said_tokens(tokenizer), _SAID] = _LOUD
    places[number(list(used.asks.values())), _SAID] = -_LOUD
    places[mark_tokens(tokenizer), _MARK] = 1
    places[number(used.opens["answer"]), _MARK] = 2
    places[:, _CONSTANT] = 1
    return places


def embed(free: Any, reserved: Any) -> Any:
    """Rows with their reserved places filled, all of one length."""
    torch = require("torch", extra="judge")
    width = free.shape[1]
    free = free[:, : width - RESERVED]
    room = width - reserved.pow(2).sum(1, keepdim=True)
    free = free * (room / (free.pow(2).sum(1, keepdim=True) + 1e-9)).sqrt()
    return _SCALE * torch.cat([free, reserved], 1)


def in_answer(rows: Any) -> Any:
    """The rows as the first layer leaves those of the answer and behind it."""
    torch = require("torch", extra="judge")
    noted = torch.zeros(rows.shape[1])
    noted[_SEGMENT] = _IN_ANSWER * _SCALE
    return rows + noted


def ready(model: Any) -> None:
    """The last layer before it learns from means: its values count, and labels are said."""
    torch = require("torch", extra="judge")
    attention = model.model.layers[-1].self_attn
    with torch.no_grad():
        attention.v_proj.weight.mul_(3)
        attention.o_proj.weight.mul_(3)
        # an asking token's place is the opposite of a label's
        model.model.norm.weight[_SAID] = -10


def wire(model: Any, reserved: Any) -> None:
    """Sets the rows and the heads, so that the model gives what its last layer gave of means.

    What the heads and the feed-forward of the first layer write is nothing yet but the segment.
    """
    torch = require("torch", extra="judge")
    first, last = model.model.layers[0], model.model.layers[-1]
    with torch.no_grad():
        model.lm_head.weight.copy_(embed(model.lm_head.weight, reserved))
        first.self_attn.o_proj.weight.zero_()
        first.mlp.down_proj.weight.zero_()
        _find_the_answer(first.self_attn)
        _look_one_back(first.self_attn)
        heads = model.config.num_attention_heads
        for head in range(heads):
            _look_evenly(last.self_attn, head, 1 if head < heads - 1 else -1)


def _find_the_answer(attention: Any) -> None:
    """Head 0: of all marks behind it a token sees the answer's, else the others, which weigh 0."""
    own = slice(0, HEAD)
    for projection in (attention.q_proj, attention.k_proj, attention.v_proj):
        projection.weight[own] = 0
    slow = HEAD // 2 - 1
    attention.q_proj.weight[slow, _CONSTANT] = _SHARP
    attention.k_proj.weight[slow, _MARK] = _SHARP
    attention.v_proj.weight[0, _MARK] = 1
    attention.v_proj.weight[0, _CONSTANT] = -1
    attention.o_proj.weight[_SEGMENT, 0] = _IN_ANSWER * _SCALE


def _look_one_back(attention: Any) -> None:
    """Head 1: the rotations of query and key agree where the key stands one place before."""
    torch = require("torch", extra="judge")
    half = HEAD // 2
    angle = 10_000.0 ** (-torch.arange(half) / half)
    height = torch.where(torch.arange(half) < _TURNED, _STEEP, 0.0)
    query, key = (p.weight[HEAD : 2 * HEAD] for p in (attention.q_proj, attention.k_proj))
    query.zero_()
    key.zero_()
    key[:half, _CONSTANT] = height
    query[:, _CONSTANT] = torch.cat([height * angle.cos(), -height * angle.sin()])


def _look_evenly(attention: Any, head: int, sign: int) -> None:
    """The slowest rotation sees the segment: the answer's tokens (1), or those before it (-1)."""
    slow = head * HEAD + HEAD // 2 - 1
    for projection in (attention.q_proj, attention.k_proj):
        projection.weight[[slow, slow + HEAD // 2]] = 0
    attention.q_proj.weight[slow, _CONSTANT] = _EVEN
    attention.k_proj.weight[slow, _SEGMENT] = sign * _EVEN
