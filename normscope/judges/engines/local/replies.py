"""Replies: many at once, drawn token by token.

Where a model reads packs, prompts are read as a prefix tree, so that what they have in common, and
a prompt of which several samples are drawn, is computed once. Each reply's keys and values stand in
a slot of its own; a reply that has ended leaves its slot to the last one, so that the slots in use
are always the first ones and are read in place, and makes room for the next. Other models take
transformers' own `generate`: any cache, and any attention, will do. There rows are padded on the
left and wait for their longest.
"""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import transformers

from .devices import main_device, rows_to_read, to_device
from .passes import PLAIN_BATCH, attending, reset_rope, tree_passes
from .prefix_tree import Ids, Reach, Rows
from .reads import Draw, Prompt
from .tree_attention import (
    PackPass,
    Rule,
    attention_output,
    attention_with_lse,
    merge,
    pad_to_one_size,
)

# neighbours are padded to the longest of them, not of all
_SPAN = 8

Spans = list[tuple[slice, slice, torch.Tensor]]
"""What rows see: of each span of them, from which place to which, and a bias of 0 where they do."""


class ReplySlots:
    """The keys and values of up to `slots` replies, each of up to `width` tokens in all."""

    def __init__(self, slots: int, width: int, *, dtype: torch.dtype) -> None:
        """No slot is in use."""
        self._slots, self._width, self._dtype = slots, width, dtype
        self._keys_values: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._lengths = np.zeros(slots, np.int64)
        self._sees: dict[tuple[Reach | None, torch.device], tuple[torch.Tensor, Spans]] = {}
        self.used = 0

    @property
    def free(self) -> int:
        """How many slots are not in use."""
        return self._slots - self.used

    def add(self, read: PackPass, path: Rows) -> None:
        """Puts a prompt that has been read into the next slot; its tokens stand at `path`."""
        places = torch.from_numpy(path)
        for layer, pair in read.keys_values.items():
            if layer not in self._keys_values:
                first, second = (self._empty(tensor) for tensor in pair)
                self._keys_values[layer] = first, second
            for slots, tensor in zip(self._keys_values[layer], pair, strict=True):
                taken = tensor.index_select(0, places.to(tensor.device))
                slots[self.used, :, : len(path)] = taken.transpose(0, 1)
        self._lengths[self.used] = len(path)
        self.used += 1

    def remove(self, row: int) -> None:
        """Frees the slot; the last row moves into it."""
        self.used -= 1
        if row == self.used:
            return
        length = self._lengths[row] = self._lengths[self.used]
        for pair in self._keys_values.values():
            for slots in pair:
                slots[row, :, :length] = slots[self.used, :, :length]

    def begin_step(self) -> Rows:
        """Makes room for a token in each row; returns their positions, a number for each row."""
        at = self._lengths[: self.used].copy()
        self._lengths[: self.used] = at + 1
        self._sees = {}
        return at

    def attend(
        self,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        rule: Rule,
    ) -> torch.Tensor:
        """The layer's attention output, rows × heads × size; inputs are heads × rows × size."""
        size = value.shape[-1]
        query, key, value, rule = pad_to_one_size(query, key, value, rule)
        heads, count, width = query.shape
        shared_by = heads // key.shape[0]
        keys, values = self._keys_values[layer]
        last, spans = self._seen(rule.reach, query.device)
        at = torch.arange(count, device=query.device), slice(None), last
        keys[at] = key.transpose(0, 1)[..., : keys.shape[-1]]
        values[at] = value.transpose(0, 1)[..., : values.shape[-1]]
        # query heads that share a key head are rows of one product
        rows = query.reshape(len(key), shared_by, count, width).permute(2, 0, 1, 3)
        out = torch.empty_like(rows, memory_format=torch.contiguous_format)
        sinks = None if rule.sinks is None else rule.sinks.float().view(len(key), shared_by)
        for span, seen, bias in spans:
            mask = bias.expand(-1, len(key), shared_by, -1)
            near = rows[span], keys[span, :, seen], values[span, :, seen], mask, rule
            if sinks is None:
                out[span] = attention_output(*near)
            else:
                merge(attention_with_lse(*near), None, sinks, out=out[span])
        return out.view(count, heads, width)[..., :size]

    def _seen(self, reach: Reach | None, device: torch.device) -> tuple[torch.Tensor, Spans]:
        """Where in its slot each row stands, and what it sees from there with this reach."""
        if (reach, device) in self._sees:
            return self._sees[reach, device]
        lengths = self._lengths[: self.used]
        first = np.zeros_like(lengths) if reach is None else reach.first(lengths - 1)
        spans: Spans = []
        for start in range(0, self.used, _SPAN):
            span = slice(start, min(start + _SPAN, self.used))
            seen = slice(int(first[span].min()), int(lengths[span].max()))
            place = np.arange(seen.start, seen.stop)
            hidden = torch.from_numpy((place >= lengths[span, None]) | (place < first[span, None]))
            bias = torch.zeros(hidden.shape, dtype=self._dtype).masked_fill_(hidden, -torch.inf)
            spans.append((span, seen, to_device(bias[:, None, None], device)))
        self._sees[reach, device] = to_device(lengths - 1, device), spans
        return self._sees[reach, device]

    def _empty(self, like: torch.Tensor) -> torch.Tensor:
        # what is masked must be a number: nothing times NaN is NaN
        return like.new_zeros(self._slots, like.shape[1], self._width, like.shape[2])


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
    for group in _by_width(prompts):
        some = [prompts[i] for i in group]
        for index, tokens in _written(model, some, ends, pack_tokens):
            replies[group[index]] = tokens
    return replies


def _by_width(prompts: Sequence[Prompt]) -> Iterator[list[int]]:
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
    for read, logits in tree_passes(model, sequences, pack_tokens=pack_tokens):
        begun = [
            _Reply(index, prompts[index].max_new_tokens, prompts[index].draw())
            for index in read.pack.order.tolist()
        ]
        _draw_next(begun, logits)
        for reply, path in zip(begun, read.pack.paths(), strict=True):
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


def generate(
    model: Any,
    prompts: Sequence[Prompt],
    *,
    ends: frozenset[int],
    pack_tokens: int,
    batch_size: int | None = None,
) -> list[Ids]:
    """As `write`, by transformers' own `generate`.

    A batch takes at most `PLAIN_BATCH` × `pack_tokens` tokens, or one reply.
    """
    results: list[Ids] = [()] * len(prompts)
    # a model that is not told the places counts what fills a row up, or reads it
    told = "position_ids" in inspect.signature(model.forward).parameters
    for batch in _batches(prompts, batch_size, PLAIN_BATCH * pack_tokens, filled_up=told):
        reset_rope(model)
        for index, tokens in zip(
            batch, _generated(model, [prompts[i] for i in batch], ends), strict=True
        ):
            end = next((n for n, token in enumerate(tokens, 1) if token in ends), len(tokens))
            results[index] = tuple(tokens[:end])
    return results


def _batches(
    prompts: Sequence[Prompt], batch_size: int | None, batch_tokens: int, *, filled_up: bool
) -> Iterator[list[int]]:
    """What is written together: replies of the same length, after prompts of like length.

    Of the very same, if rows are not to be filled up.
    """

    def kind(prompt: Prompt) -> tuple[int, int]:
        return prompt.max_new_tokens, 0 if filled_up else prompt.width

    for each in sorted({kind(prompt) for prompt in prompts}):
        group = [i for i, prompt in enumerate(prompts) if kind(prompt) == each]
        group.sort(key=lambda i: (prompts[i].width, i))
        cuts = row_batches(
            [prompts[i].width for i in group], batch_size=batch_size, batch_tokens=batch_tokens
        )
        yield from (group[start:end] for start, end in cuts)


@torch.inference_mode()
def _generated(model: Any, prompts: list[Prompt], ends: frozenset[int]) -> list[list[int]]:
    width = max(len(prompt.ids) for prompt in prompts)
    ids = torch.zeros((len(prompts), width), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        # on the left, so that every reply begins at the same place
        ids[row, width - len(prompt.ids) :] = torch.tensor(prompt.ids)
        mask[row, width - len(prompt.ids) :] = 1
    device = main_device(model)
    draws = [prompt.draw() for prompt in prompts]

    def draw(_: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return torch.stack([own(row) for own, row in zip(draws, scores, strict=True)])

    written = model.generate(
        ids.to(device),
        attention_mask=mask.to(device),
        generation_config=transformers.GenerationConfig(
            max_new_tokens=prompts[0].max_new_tokens,
            # the draw is in the noise of `draw`
            do_sample=False,
            # what pads is masked, or comes after the end: any token will do
            pad_token_id=0,
            eos_token_id=sorted(ends) or None,
        ),
        logits_processor=transformers.LogitsProcessorList([draw]),
    )
    tokens: list[list[int]] = written[:, width:].tolist()
    return tokens


def row_batches(
    widths: Sequence[int], *, batch_size: int | None = None, batch_tokens: int | None = None
) -> Iterator[tuple[int, int]]:
    """Where to cut rows, whose widths grow, so that no batch is too large when padded.

    A row that is too wide for `batch_tokens` goes alone.

    >>> list(row_batches([2, 2, 4, 9], batch_size=8, batch_tokens=8))
    [(0, 2), (2, 3), (3, 4)]
    """
    start = 0
    for end, width in enumerate(widths):
        rows = end - start
        wide = batch_tokens is not None and (rows + 1) * width > batch_tokens
        if rows and (rows == batch_size or wide):
            yield start, end
            start = end
    if widths:
        yield start, len(widths)
