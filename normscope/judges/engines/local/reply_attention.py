"""Attention of replies in progress: one new token a row, after what its prompt and it have said.

Each row's keys and values stand in a slot of its own, except for what all prompts begin with: that
is held once and attended densely for all rows, and the two parts are merged by the logarithms of
their sums of exponentials. A row that has ended leaves its slot to the last one, so that the slots
in use are always the first ones and are read in place.
"""

from dataclasses import dataclass

import numpy as np
import torch

from .attention import (
    NOTHING,
    Parts,
    Reach,
    Rule,
    attended,
    attended_alone,
    merge,
    of_one_size,
    parted,
)
from .devices import sent
from .prefix_tree import Rows
from .tree_attention import PackPass

# neighbours are padded to the longest of them, not of all
_SPAN = 8


@dataclass(frozen=True, slots=True)
class _Sees:
    """What the rows of a step see, in layers of one reach.

    Of what all prompts begin with: `common`, a bias for each row, null where all see all of it. Of
    each span of rows: from which place to which they see, and a bias of 0 where a row sees a place.
    """

    common: torch.Tensor | None
    spans: list[tuple[slice, slice, torch.Tensor]]

    def on(self, device: torch.device) -> "_Sees":
        common = None if self.common is None else sent(self.common, device)
        return _Sees(common, [(rows, seen, sent(bias, device)) for rows, seen, bias in self.spans])


class ReplySlots:
    """The keys and values of up to `slots` replies, each of up to `width` tokens with its prompt.

    What the prompts share, its first `shared` tokens, does not count towards `width`.
    """

    def __init__(self, slots: int, width: int, shared: int, *, dtype: torch.dtype) -> None:
        """No slot is in use. Where `returns_lse` is false, `shared` is 0."""
        self._slots, self._width, self._shared, self._dtype = slots, width, shared, dtype
        self._common: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._keys_values: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._lengths = np.zeros(slots, np.int64)
        nothing = torch.zeros(0, dtype=torch.long)
        self._at = nothing, nothing
        self._at_on: dict[torch.device, tuple[torch.Tensor, torch.Tensor]] = {}
        self._sees: dict[tuple[Reach | None, torch.device], _Sees] = {}
        self.used = 0

    @property
    def free(self) -> int:
        """How many slots are not in use."""
        return self._slots - self.used

    def add(self, read: PackPass, path: Rows) -> None:
        """Puts a prompt that has been read into the next slot; its tokens stand at `path`."""
        common, own = np.split(read.places(path), [self._shared])
        for layer, pair in read.keys_values.items():
            if layer not in self._keys_values:
                first, second = (self._empty(tensor) for tensor in pair)
                self._keys_values[layer] = first, second
                first, second = (_taken(tensor, common)[None].contiguous() for tensor in pair)
                self._common[layer] = first, second
            for slots, tensor in zip(self._keys_values[layer], pair, strict=True):
                slots[self.used, :, : len(own)] = _taken(tensor, own)
        self._lengths[self.used] = len(own)
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
        self._at = torch.arange(self.used), torch.from_numpy(at)
        self._at_on, self._sees = {}, {}
        return at + self._shared

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
        query, key, value, rule = of_one_size(query, key, value, rule)
        heads, count, width = query.shape
        shared_by = heads // key.shape[0]
        sees = self._seen(rule.reach, query.device)
        keys, values = self._keys_values[layer]
        rows_at = self._places_on(query.device)
        keys[rows_at[0], :, rows_at[1]] = key.transpose(0, 1)[..., : keys.shape[-1]]
        values[rows_at[0], :, rows_at[1]] = value.transpose(0, 1)[..., : values.shape[-1]]
        # query heads that share a key head are rows of one product
        rows = query.reshape(len(key), shared_by, count, width).permute(2, 0, 1, 3)
        out = torch.empty_like(rows, memory_format=torch.contiguous_format)
        far = self._far(layer, rows, sees.common, rule) if self._shared else None
        sinks = None if rule.sinks is None else rule.sinks.float().view(len(key), shared_by)
        for span, seen, bias in sees.spans:
            mask = bias.expand(-1, len(key), shared_by, -1)
            near = rows[span], keys[span, :, seen], values[span, :, seen], mask, rule
            if far is None and sinks is None:
                out[span] = attended_alone(*near)
                continue
            of_far = None if far is None else (far[0][span], far[1][span])
            merge(attended(*near), of_far, sinks, out=out[span])
        return out.view(count, heads, width)[..., :size]

    def _far(
        self, layer: int, rows: torch.Tensor, common: torch.Tensor | None, rule: Rule
    ) -> Parts:
        """What the rows see of what all prompts begin with, and the logarithms of the sums."""
        count, heads, shared_by, width = rows.shape
        bias = None if common is None else common.repeat_interleave(shared_by, 0)[None, None]
        keys, values = self._common[layer]
        out, total = attended(
            rows.transpose(0, 1).reshape(1, heads, -1, width), keys, values, bias, rule
        )
        sizes = (count, shared_by)
        return parted(out[0], 1, sizes).transpose(0, 1), parted(total[0], 1, sizes).transpose(0, 1)

    def _places_on(self, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
        """The rows, and where in their slots their new keys go."""
        if device not in self._at_on:
            self._at_on[device] = sent(self._at[0], device), sent(self._at[1], device)
        return self._at_on[device]

    def _seen(self, reach: Reach | None, device: torch.device) -> _Sees:
        if (reach, device) not in self._sees:
            self._sees[reach, device] = self._look(reach).on(device)
        return self._sees[reach, device]

    def _look(self, reach: Reach | None) -> _Sees:
        """What the rows see from where they stand."""
        lengths = self._lengths[: self.used]
        last = lengths - 1 + self._shared
        first = np.zeros_like(last) if reach is None else reach.first(last)
        common = None
        if first.any() and self._shared:
            hidden = torch.from_numpy(np.arange(self._shared) < first[:, None])
            common = torch.zeros(hidden.shape, dtype=self._dtype).masked_fill_(hidden, NOTHING)
        first = (first - self._shared).clip(0)
        spans = []
        for start in range(0, self.used, _SPAN):
            span = slice(start, min(start + _SPAN, self.used))
            seen = slice(int(first[span].min()), int(lengths[span].max()))
            place = np.arange(seen.start, seen.stop)
            hidden = torch.from_numpy((place >= lengths[span, None]) | (place < first[span, None]))
            bias = torch.zeros(hidden.shape, dtype=self._dtype).masked_fill_(hidden, -torch.inf)
            spans.append((span, seen, bias[:, None, None]))
        return _Sees(common, spans)

    def _empty(self, like: torch.Tensor) -> torch.Tensor:
        # what is masked must be a number: nothing times NaN is NaN
        return like.new_zeros(self._slots, like.shape[1], self._width, like.shape[2])


def _taken(tensor: torch.Tensor, path: Rows) -> torch.Tensor:
    """The keys or values on the path, heads × places × size."""
    return tensor.index_select(0, torch.from_numpy(path).to(tensor.device)).transpose(0, 1)
