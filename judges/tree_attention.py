"""Attention over a pack of a prefix tree, as one of transformers' attention implementations.

The queries of a pack go in blocks. A block's keys and values are gathered (the path to its first
node, then the block), what all nodes of the pack share is attended densely, and the two parts are
merged by the logarithms of their sums of exponentials. Query heads that share a key head are rows
of one product.
"""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from transformers import AttentionInterface, AttentionMaskInterface

from .prefix_tree import BLOCK, Pack

NAME = "normscope_tree"

# below this a second product costs more than the keys that it saves from being gathered
_WORTH_SPLITTING = 64


class PackPass:
    """One pack on its way through the layers of a model; keeps the keys and values it passes."""

    def __init__(
        self, pack: Pack, before: "PackPass | None", *, device: torch.device, dtype: torch.dtype
    ) -> None:
        """`before` is the finished pass of the pack before, whose path this one goes on from."""
        split = device.type == "cpu" and pack.shared >= _WORTH_SPLITTING and _flash() is not None
        keys, visible = torch.from_numpy(pack.keys), torch.from_numpy(pack.visible)
        if not split and pack.shared:
            all_see = torch.arange(pack.shared).expand(len(keys), -1)
            keys = torch.cat((all_see, keys), dim=1)
            visible = F.pad(visible, (pack.shared, 0), value=True)
        self._shared = pack.shared if split else 0
        self._keys = keys.reshape(-1).to(device)
        self._visible = visible.to(device)
        self._carry = torch.from_numpy(pack.carry).to(device)
        self._before = before._seen if before is not None else {}
        self._dtype = dtype
        self._bias: torch.Tensor | None = None
        self._seen: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

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
        keys, values = self._with_path(layer, key, value)
        count = -(-size // BLOCK)
        rows = query.transpose(0, 1)
        if size < count * BLOCK:
            rows = F.pad(rows, (0, 0, 0, 0, 0, count * BLOCK - size))
        rows = rows.reshape(count, BLOCK, len(key), shared_by, width).permute(2, 0, 3, 1, 4)
        rows = rows.reshape(len(key), count, shared_by * BLOCK, width)
        out = self._attend_blocks(rows, keys, values, scale)
        out = out.reshape(len(key), count, shared_by, BLOCK, width).permute(1, 3, 0, 2, 4)
        return out.reshape(count * BLOCK, heads, width)[:size]

    def _with_path(
        self, layer: int, key: torch.Tensor, value: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        keys, values = key.transpose(0, 1), value.transpose(0, 1)
        if len(self._carry):
            past_keys, past_values = self._before[layer]
            keys = torch.cat((past_keys.index_select(0, self._carry), keys))
            values = torch.cat((past_values.index_select(0, self._carry), values))
        self._seen[layer] = keys, values
        return keys, values

    def _attend_blocks(
        self, rows: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, scale: float | None
    ) -> torch.Tensor:
        """The output as key heads × blocks × rows × size."""
        groups, count, height, width = rows.shape
        blocks = rows.transpose(0, 1)
        near_keys, near_values = (
            part.index_select(0, self._keys).view(count, -1, *part.shape[1:]).transpose(1, 2)
            for part in (keys, values)
        )
        bias = self._bias_for(height // BLOCK)
        if not self._shared:
            near = F.scaled_dot_product_attention(
                blocks, near_keys, near_values, attn_mask=bias, scale=scale
            )
            return near.transpose(0, 1)
        flash: Any = _flash()
        near, near_sum = flash(blocks, near_keys, near_values, attn_mask=bias, scale=scale)
        far, far_sum = flash(
            rows.view(1, groups, count * height, width),
            keys[: self._shared].transpose(0, 1)[None],
            values[: self._shared].transpose(0, 1)[None],
            scale=scale,
        )
        weight = torch.sigmoid(far_sum.view(groups, count, height) - near_sum.transpose(0, 1))
        return torch.lerp(
            near.transpose(0, 1), far.view(rows.shape), weight.to(rows.dtype)[..., None]
        )

    def _bias_for(self, shared_by: int) -> torch.Tensor:
        if self._bias is None:
            count, height, width = self._visible.shape
            bias = torch.zeros(self._visible.shape, dtype=self._dtype, device=self._visible.device)
            bias.masked_fill_(~self._visible, -torch.inf)
            bias = bias[:, None, None].expand(count, 1, shared_by, height, width)
            self._bias = bias.reshape(count, 1, shared_by * height, width)
        return self._bias


def tree_attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    tree: PackPass,
    scaling: float | None = None,
    **told: Any,
) -> tuple[torch.Tensor, None]:
    """What transformers calls in each layer; refuses what it would have to leave out."""
    if any(told.get(name) is not None for name in ("softcap", "s_aux", "sliding_window")):
        raise ValueError("this attention is more than a causal one over all tokens")
    if attention_mask is not None or len(query) != 1:
        raise ValueError("a pack is one row and brings its own mask")
    out = tree.attend(module.layer_idx, query[0], key[0], value[0], scaling)
    return out[None], None


def _no_mask(*_: Any, **__: Any) -> None:
    return None


def _flash() -> Any:
    """The processor's attention that also returns the sums; an operator of torch's own, private."""
    return getattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu", None)


AttentionInterface.register(NAME, tree_attention)
AttentionMaskInterface.register(NAME, _no_mask)
