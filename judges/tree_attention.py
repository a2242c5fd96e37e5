"""Attention over a pack of a prefix tree, as one of transformers' attention implementations.

The queries of a pack go in blocks. A block's keys and values are gathered (the path to its first
node, then the block), what all nodes of the pack share is attended densely, and the two parts are
merged by the logarithms of their sums of exponentials. Query heads that share a key head are rows
of one product.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from transformers import AttentionInterface, AttentionMaskInterface

from .prefix_tree import BLOCK, Pack, Rows

NAME = "normscope_tree"

# below this a second product costs more than the keys that it saves from being gathered
_WORTH_SPLITTING = 64

# on a CPU; every group is a gather and a product of its own
_GROUPS = 8


@dataclass(frozen=True, slots=True)
class _Group:
    """Blocks of like width, from `start` to `end` in the order of their widths.

    `keys` are the places of their keys, block after block; `bias` is 0 where a node of a block sees
    one of them, else minus infinity.
    """

    start: int
    end: int
    keys: torch.Tensor
    bias: torch.Tensor


@dataclass(frozen=True, slots=True)
class _Places:
    """Where a pack's rows and keys stand: its groups, its blocks by width, the path to it."""

    groups: list[_Group]
    order: torch.Tensor
    carry: torch.Tensor

    def on(self, device: torch.device) -> "_Places":
        return _Places(
            [
                replace(each, keys=each.keys.to(device), bias=each.bias.to(device))
                for each in self.groups
            ],
            self.order.to(device),
            self.carry.to(device),
        )


class Attending(Protocol):
    """What attends in the place of the model's own attention."""

    def attend(
        self,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float | None,
    ) -> torch.Tensor:
        """The layer's attention output, nodes × heads × size; inputs are heads × nodes × size."""


class PackPass:
    """One pack on its way through the layers of a model.

    `keys_values` has the keys and the values of each layer that it has passed: of the path to the
    pack and of its nodes, places × heads × size.
    """

    def __init__(
        self, pack: Pack, before: "PackPass | None", *, device: torch.device, dtype: torch.dtype
    ) -> None:
        """`before` is the finished pass of the pack before, whose path this one goes on from.

        `device` is where the model is computed; its layers may be on several of the kind.
        """
        on_cpu = device.type == "cpu"
        split = on_cpu and pack.shared >= _WORTH_SPLITTING and cpu_flash() is not None
        self._shared = pack.shared if split else 0
        groups = [
            _Group(start, end, *_near(pack, blocks, split, dtype))
            for start, end, blocks in _by_width(pack, _GROUPS if on_cpu else 1)
        ]
        self._places = _Places(
            groups, torch.from_numpy(_by_depth(pack)), torch.from_numpy(pack.carry)
        )
        self._places_on: dict[torch.device, _Places] = {}
        self._biases: dict[tuple[torch.device, int], list[torch.Tensor]] = {}
        self._before = before.keys_values if before is not None else {}
        self.keys_values: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def close(self) -> None:
        """Lets go of the pack before."""
        self._before = {}

    def attend(
        self,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float | None,
    ) -> torch.Tensor:
        """The layer's attention output, nodes × heads × size; inputs are heads × nodes × size."""
        heads, size, width = query.shape
        shared_by = heads // key.shape[0]
        if query.device not in self._places_on:
            self._places_on[query.device] = self._places.on(query.device)
        places = self._places_on[query.device]
        keys, values = self._with_path(layer, key, value, places.carry)
        count = -(-size // BLOCK)
        # the last block is filled up, and cut off again below
        if size < count * BLOCK:
            query = F.pad(query, (0, 0, 0, count * BLOCK - size))
        rows = query.reshape(len(key), shared_by, count, BLOCK, width).transpose(1, 2)
        rows = rows.index_select(1, places.order).reshape(len(key), count, -1, width)
        out = torch.empty_like(rows)
        for group, result in self._attend_groups(places, rows, keys, values, scale):
            out[:, places.order[group.start : group.end]] = result
        out = out.reshape(len(key), count, shared_by, BLOCK, width).permute(1, 3, 0, 2, 4)
        return out.reshape(count * BLOCK, heads, width)[:size]

    def _with_path(
        self, layer: int, key: torch.Tensor, value: torch.Tensor, carry: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        keys, values = key.transpose(0, 1), value.transpose(0, 1)
        if len(carry):
            past_keys, past_values = self._before[layer]
            keys = torch.cat((past_keys.index_select(0, carry), keys))
            values = torch.cat((past_values.index_select(0, carry), values))
        self.keys_values[layer] = keys, values
        return keys, values

    def _biases_for(self, places: _Places, shared_by: int) -> list[torch.Tensor]:
        """Each group's bias with a row per query head of a key head; layers share them."""
        key = places.order.device, shared_by
        if key not in self._biases:
            self._biases[key] = [g.bias.repeat(1, 1, shared_by, 1) for g in places.groups]
        return self._biases[key]

    def _attend_groups(
        self,
        places: _Places,
        rows: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        scale: float | None,
    ) -> Iterator[tuple[_Group, torch.Tensor]]:
        """Each group's output as key heads × blocks × rows × size."""
        flash: Any = cpu_flash()
        if self._shared:
            far, far_sum = flash(
                rows.view(1, len(rows), -1, rows.shape[-1]),
                keys[: self._shared].transpose(0, 1)[None],
                values[: self._shared].transpose(0, 1)[None],
                scale=scale,
            )
            far, far_sum = far.view(rows.shape), far_sum.view(rows.shape[:-1])
        biases = self._biases_for(places, rows.shape[2] // BLOCK)
        for group, bias in zip(places.groups, biases, strict=True):
            span = slice(group.start, group.end)
            count = group.end - group.start
            blocks = rows[:, span].transpose(0, 1)
            near_keys, near_values = (
                tensor.index_select(0, group.keys)
                .view(count, -1, *tensor.shape[1:])
                .transpose(1, 2)
                for tensor in (keys, values)
            )
            if not self._shared:
                near = F.scaled_dot_product_attention(
                    blocks, near_keys, near_values, attn_mask=bias, scale=scale
                )
                yield group, near.transpose(0, 1)
                continue
            near, near_sum = flash(blocks, near_keys, near_values, attn_mask=bias, scale=scale)
            # far and near by the share of either in the whole sum of exponentials
            weight = torch.sigmoid(far_sum[:, span] - near_sum.transpose(0, 1))
            yield (
                group,
                torch.lerp(near.transpose(0, 1), far[:, span], weight.to(rows.dtype)[..., None]),
            )


def _by_depth(pack: Pack) -> Rows:
    """The pack's blocks by the length of the path to each, which is what they see beside shared."""
    return pack.depth[::BLOCK].argsort(kind="stable")


def _by_width(pack: Pack, most: int) -> Iterator[tuple[int, int, Rows]]:
    """At most so many groups of blocks of like width: padding blocks to one width is waste."""
    start = 0
    for blocks in np.array_split(_by_depth(pack), min(most, len(pack.keys))):
        yield start, start + len(blocks), blocks
        start += len(blocks)


def _near(
    pack: Pack, blocks: Rows, split: bool, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor]:
    """The places of the blocks' keys, and the bias; shared places count unless they are apart."""
    width = int(pack.depth[blocks[-1] * BLOCK]) - pack.shared
    columns = np.r_[:width, pack.keys.shape[1] - BLOCK : pack.keys.shape[1]]
    keys = torch.from_numpy(pack.keys[np.ix_(blocks, columns)])
    visible = torch.from_numpy(pack.visible[blocks][:, :, columns])
    if not split and pack.shared:
        keys = torch.cat((torch.arange(pack.shared).expand(len(keys), -1), keys), dim=1)
        visible = F.pad(visible, (pack.shared, 0), value=True)
    bias = torch.zeros(visible.shape, dtype=dtype).masked_fill_(~visible, -torch.inf)
    return keys.reshape(-1), bias[:, None]


def tree_attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    tree: Attending,
    scaling: float | None = None,
    **settings: Any,
) -> tuple[torch.Tensor, None]:
    """What transformers calls in each layer; refuses what it would have to leave out."""
    if any(settings.get(name) is not None for name in ("softcap", "s_aux", "sliding_window")):
        raise ValueError("this attention is more than a causal one over all tokens")
    if attention_mask is not None or len(query) != 1:
        raise ValueError("a pack is one row and brings its own mask")
    out = tree.attend(module.layer_idx, query[0], key[0], value[0], scaling)
    return out[None], None


def _no_mask(*_: Any, **__: Any) -> None:
    return None


def cpu_flash() -> Any:
    """The processor's attention that also returns the sums; an operator of torch's own, private."""
    return getattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu", None)


AttentionInterface.register(NAME, tree_attention)
AttentionMaskInterface.register(NAME, _no_mask)
