"""Attention of replies in progress: one new token a row, after what its prompt and it have said.

Each row's keys and values stand in a slot of its own, except for what all prompts begin with: that
is held once and attended densely for all rows, and the two parts are merged by the logarithms of
their sums of exponentials. A row that has ended leaves its slot to the last one, so that the slots
in use are always the first ones and are read in place.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation

from .prefix_tree import Rows
from .tree_attention import PackPass, cpu_flash

# neighbours are padded to the longest of them, not of all
_SPAN = 8


@dataclass(frozen=True, slots=True)
class _Step:
    """Where a step's keys go, row by row, and what its rows see.

    Of each span of rows: how much the longest of them sees, and a bias of 0 where a row sees a
    place, else of minus infinity.
    """

    rows: torch.Tensor
    at: torch.Tensor
    spans: list[tuple[slice, int, torch.Tensor]]

    def on(self, device: torch.device) -> "_Step":
        return _Step(
            self.rows.to(device),
            self.at.to(device),
            [(span, longest, bias.to(device)) for span, longest, bias in self.spans],
        )


def can_share(device: torch.device) -> bool:
    """Whether attention there tells the sum by which what all share is merged with the rest."""
    return device.type == "cpu" and cpu_flash() is not None


class ReplySlots:
    """The keys and values of up to `slots` replies, each of up to `width` tokens with its prompt.

    What the prompts share, its first `shared` tokens, does not count towards `width`.
    """

    def __init__(self, slots: int, width: int, shared: int, *, dtype: torch.dtype) -> None:
        """No slot is in use. Where `can_share` is false, `shared` is 0."""
        self._slots, self._width, self._shared, self._dtype = slots, width, shared, dtype
        self._common: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._keys_values: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._lengths = np.zeros(slots, np.int64)
        self._steps: dict[torch.device, _Step] = {}
        nothing = torch.zeros(0, dtype=torch.long)
        self._step = _Step(nothing, nothing, [])
        self.used = 0

    @property
    def free(self) -> int:
        """How many slots are not in use."""
        return self._slots - self.used

    def add(self, read: PackPass, path: Rows) -> None:
        """Puts a prompt that has been read into the next slot; its tokens stand at `path`."""
        common, own = np.split(path, [self._shared])
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
        lengths = self._lengths[: self.used] = at + 1
        spans = []
        for start in range(0, self.used, _SPAN):
            span = slice(start, min(start + _SPAN, self.used))
            longest = int(lengths[span].max())
            hidden = torch.from_numpy(np.arange(longest) >= lengths[span, None])
            bias = torch.zeros(hidden.shape, dtype=self._dtype).masked_fill_(hidden, -torch.inf)
            spans.append((span, longest, bias[:, None, None]))
        self._steps = {}
        self._step = _Step(torch.arange(self.used), torch.from_numpy(at), spans)
        return at + self._shared

    def attend(
        self,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float | None,
    ) -> torch.Tensor:
        """The layer's attention output, rows × heads × size; inputs are heads × rows × size."""
        heads, count, width = query.shape
        shared_by = heads // key.shape[0]
        step = self._step_on(query.device)
        keys, values = self._keys_values[layer]
        keys[step.rows, :, step.at] = key.transpose(0, 1)
        values[step.rows, :, step.at] = value.transpose(0, 1)
        # query heads that share a key head are rows of one product
        rows = query.reshape(len(key), shared_by, count, width).permute(2, 0, 1, 3)
        out = torch.empty_like(rows, memory_format=torch.contiguous_format)
        flash: Any = cpu_flash()
        if self._shared:
            far, far_sum = flash(
                rows.transpose(0, 1).reshape(1, len(key), -1, width),
                *self._common[layer],
                scale=scale,
            )
            far = far.view(len(key), count, shared_by, width).transpose(0, 1)
            far_sum = far_sum.view(len(key), count, shared_by).transpose(0, 1)
        for span, longest, bias in step.spans:
            near_keys, near_values = keys[span, :, :longest], values[span, :, :longest]
            mask = bias.expand(-1, len(key), shared_by, -1)
            if not self._shared:
                out[span] = F.scaled_dot_product_attention(
                    rows[span], near_keys, near_values, attn_mask=mask, scale=scale
                )
                continue
            near, near_sum = flash(rows[span], near_keys, near_values, attn_mask=mask, scale=scale)
            # far and near by the share of either in the whole sum of exponentials
            weight = torch.sigmoid(far_sum[span] - near_sum)
            out[span] = torch.lerp(near, far[span], weight.to(rows.dtype)[..., None])
        return out.view(count, heads, width)

    def _step_on(self, device: torch.device) -> _Step:
        if device not in self._steps:
            self._steps[device] = self._step.on(device)
        return self._steps[device]

    def _empty(self, like: torch.Tensor) -> torch.Tensor:
        # what is masked must be a number: nothing times NaN is NaN
        return like.new_zeros(self._slots, like.shape[1], self._width, like.shape[2])


def _taken(tensor: torch.Tensor, path: Rows) -> torch.Tensor:
    """The keys or values on the path, heads × places × size."""
    return tensor.index_select(0, torch.from_numpy(path).to(tensor.device)).transpose(0, 1)
