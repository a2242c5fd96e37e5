"""Attention of replies in progress: one new token a row, after what its prompt and it have said.

Each row's keys and values stand in a slot of its own. A row that has ended leaves its slot to the
last one, so that the slots in use are always the first ones and are read in place.
"""

import numpy as np
import torch

from .attention import Reach, Rule, attention_output, attention_with_lse, merge, pad_to_one_size
from .devices import to_device
from .prefix_tree import Rows
from .tree_attention import PackPass

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
        places = torch.from_numpy(read.places(path))
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
