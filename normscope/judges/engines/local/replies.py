"""Replies of a model that reads packs: many at once, and what has ended makes room for the next.

Prompts are read as a prefix tree, so that what they have in common, and a prompt of which several
samples are drawn, is computed once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from .devices import main_device, rows_to_read
from .passes import attending, tree_passes
from .prefix_tree import Ids, Rows, paths
from .reply_attention import ReplySlots
from .rows import PLAIN_BATCH
from .sampling import Draw, Prompt
from .tree_attention import PackPass


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply in progress: whose it is, how it draws, and its tokens so far."""

    index: int
    room: int
    draw: Draw
    tokens: list[int] = field(default_factory=list)

    def ended(self, ends: frozenset[int]) -> bool:
        return len(self.tokens) == self.room or self.tokens[-1] in ends


@torch.inference_mode()
def write(
    model: Any,
    prompts: Sequence[Prompt],
    *,
    ends: frozenset[int],
    pack_tokens: int,
) -> list[Ids]:
    """The tokens of each reply, with the end token where it ended of itself.

    What is kept of prompts and replies in progress is at most `PLAIN_BATCH` × `pack_tokens` tokens
    or one reply, beside a pack.
    """
    replies: list[Ids] = [()] * len(prompts)
    for alike in _alike(prompts):
        some = [prompts[i] for i in alike]
        for index, tokens in _written(model, some, ends, pack_tokens):
            replies[alike[index]] = tokens
    return replies


def _alike(prompts: Sequence[Prompt]) -> Iterator[list[int]]:
    """Prompts in groups, each slot of which takes at most twice what the narrowest needs."""
    group: list[int] = []
    for index in sorted(range(len(prompts)), key=lambda i: (-prompts[i].width, i)):
        if group and 2 * prompts[index].width <= prompts[group[0]].width:
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def _written(
    model: Any, prompts: Sequence[Prompt], ends: frozenset[int], pack_tokens: int
) -> Iterator[tuple[int, Ids]]:
    """Each finished reply with its prompt's number, as they end."""
    width = max(prompt.width for prompt in prompts)
    slots = max(1, min(len(prompts), PLAIN_BATCH * pack_tokens // width))
    cache = ReplySlots(slots, width, dtype=model.dtype)
    waiting = _begun(model, prompts, pack_tokens)
    replies: list[_Reply] = []
    while True:
        while cache.free and (begun := next(waiting, None)) is not None:
            reply, read, path = begun
            if reply.ended(ends):
                yield reply.index, tuple(reply.tokens)
                continue
            cache.add(read, path)
            replies.append(reply)
        if not replies:
            return
        _step(model, cache, replies)
        # from the last one on, so that a row that moves into a freed slot has been looked at
        for row in reversed(range(len(replies))):
            if replies[row].ended(ends):
                yield replies[row].index, tuple(replies[row].tokens)
                cache.remove(row)
                last = replies.pop()
                if row < len(replies):
                    replies[row] = last


def _begun(
    model: Any, prompts: Sequence[Prompt], pack_tokens: int
) -> Iterator[tuple[_Reply, PackPass, Rows]]:
    """Replies with their first token, the pass that read the prompt, and its places there."""
    sequences = [prompt.ids for prompt in prompts]
    for pack, read, logits in tree_passes(model, sequences, pack_tokens=pack_tokens):
        begun = [
            _Reply(index, prompts[index].max_new_tokens, prompts[index].draw())
            for index in pack.order.tolist()
        ]
        _draw_next(begun, logits)
        for reply, path in zip(begun, paths(pack), strict=True):
            yield reply, read, path


def _step(model: Any, cache: ReplySlots, replies: list[_Reply]) -> None:
    """One more token of every reply."""
    device = main_device(model)
    tokens = torch.tensor([[reply.tokens[-1] for reply in replies]], device=device)
    positions = torch.from_numpy(cache.begin_step())[None].to(device)
    with attending(model):
        output = model(
            input_ids=tokens,
            position_ids=positions,
            # named, since some models cut their masks where nothing is
            logits_to_keep=rows_to_read(model, np.arange(len(replies))),
            use_cache=False,
            tree=cache,
        )
    _draw_next(replies, output.logits[0])


def _draw_next(replies: Sequence[_Reply], logits: torch.Tensor) -> None:
    """Adds the token that each reply draws."""
    if not replies:
        return
    scores = torch.stack([r.draw(row) for r, row in zip(replies, logits.float(), strict=True)])
    for reply, token in zip(replies, scores.argmax(-1).tolist(), strict=True):
        reply.tokens.append(token)
