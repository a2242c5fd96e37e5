"""Attention over a pack of a prefix tree, as one of transformers' attention implementations.

The queries of a pack go in blocks, whose near keys and values are gathered; what all nodes see of
the path that they share is attended densely. The two parts are merged by the logarithms of their
sums of exponentials. Query heads that share a key head are rows of one product. How far a layer
sees is told where transformers makes its masks: here that gives the reach instead of a mask.
"""

from typing import Any, Literal, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from transformers import AttentionInterface, AttentionMaskInterface

from .devices import to_device
from .prefix_tree import BLOCK, Layout, Pack, Reach

NAME = "normscope_tree"

# on a CPU; every group is a gather and a product of its own
_GROUPS = 8

_SCORES = 1 << 26
"""The most scores that stand in memory at once where no operator of torch's works them off."""

Parts = tuple[torch.Tensor, torch.Tensor]
"""What a part of all keys gives to rows, and the logarithms of its sums of exponentials."""


class Rule(NamedTuple):
    """A layer's rule: softmax over scale × query · key, of what is in reach.

    `cap` bounds the scores (cap × tanh(score / cap)); `sinks`, a score for each head, take their
    share of the softmax and give nothing; `scale` is 1/√size if null.
    """

    scale: float | None = None
    reach: Reach | None = None
    cap: float | None = None
    sinks: torch.Tensor | None = None


def cpu_flash() -> Any:
    """The processor's attention that also returns the sums; an operator of torch's own, private."""
    return getattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu", None)


def returns_lse(device: torch.device) -> bool:
    """Whether attention there tells the sums by which two parts of it are merged."""
    return device.type == "cpu" and cpu_flash() is not None


def attention_output(
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    bias: torch.Tensor | None,
    rule: Rule,
) -> torch.Tensor:
    """As `attention_with_lse`, without the sums, which few operators return."""
    if rule.cap is None:
        return F.scaled_dot_product_attention(query, keys, values, attn_mask=bias, scale=rule.scale)
    return attention_with_lse(query, keys, values, bias, rule)[0]


def attention_with_lse(
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    bias: torch.Tensor | None,
    rule: Rule,
) -> Parts:
    """The output, and the logarithm of each row's sum of exponentials.

    Inputs are batch × heads × rows × size. The rule's reach must be in the bias, and its sinks are
    left out: with the sums they can be put in after (`softmax_share`).
    """
    if rule.cap is None and query.device.type == "cpu" and (flash := cpu_flash()) is not None:
        result: Parts = flash(query, keys, values, attn_mask=bias, scale=rule.scale)
        return result
    step = max(1, _SCORES // (keys.shape[:-1].numel() or 1))
    parts = [
        _by_scores(
            query[..., rows, :], keys, values, bias if bias is None else bias[..., rows, :], rule
        )
        for rows in (slice(start, start + step) for start in range(0, query.shape[-2], step))
    ]
    if len(parts) == 1:
        return parts[0]
    outs, totals = zip(*parts, strict=True)
    return torch.cat(outs, -2), torch.cat(totals, -1)


def _by_scores(
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    bias: torch.Tensor | None,
    rule: Rule,
) -> Parts:
    scale = query.shape[-1] ** -0.5 if rule.scale is None else rule.scale
    scores = (query @ keys.transpose(-2, -1)).float() * scale
    if rule.cap is not None:
        scores = torch.tanh(scores / rule.cap) * rule.cap
    if bias is not None:
        scores = scores + bias
    total = scores.logsumexp(-1)
    return (scores - total[..., None]).exp().to(values.dtype) @ values, total


def unflatten(tensor: torch.Tensor, dim: int, sizes: tuple[int, ...]) -> torch.Tensor:
    """The tensor with one dimension parted into several; shares its memory."""
    result: torch.Tensor = tensor.unflatten(dim, sizes)  # type: ignore[no-untyped-call]
    return result


def softmax_share(sums: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Which share of a softmax a part of it has beside another, by the logarithms of their sums.

    >>> softmax_share(torch.tensor(3.0).log(), torch.tensor(1.0).log())
    tensor(0.7500)
    """
    return torch.sigmoid(sums - other)


def merge(near: Parts, far: Parts | None, sinks: torch.Tensor | None, *, out: torch.Tensor) -> None:
    """Writes to `out` what rows see near and far, and takes from it the share of the sinks."""
    part, total = near
    if far is None:
        out.copy_(part)
    else:
        other, sums = far
        torch.lerp(part, other, softmax_share(sums, total).to(part)[..., None], out=out)
        total = total if sinks is None else torch.logaddexp(sums, total)
    if sinks is not None:
        out *= softmax_share(total, sinks).to(part)[..., None]


def pad_to_one_size(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, rule: Rule
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, Rule]:
    """All three filled up with zeros to one size, which changes no score and no output before it.

    Some layers have smaller values than keys; the processor's attention takes one size only.
    """
    width, other = query.shape[-1], value.shape[-1]
    if width == other:
        return query, key, value, rule
    rule = rule._replace(scale=width**-0.5 if rule.scale is None else rule.scale)
    size = max(width, other)
    query, key, value = (F.pad(each, (0, size - each.shape[-1])) for each in (query, key, value))
    return query, key, value, rule


class PackPass:
    """One pack on its way through the layers of a model.

    `keys_values` has the keys and the values of each layer that it has passed: of the path to the
    pack and of its rows, places × heads × size.
    """

    def __init__(
        self, pack: Pack, before: "PackPass | None", *, device: torch.device, dtype: torch.dtype
    ) -> None:
        """`before` is the finished pass of the pack before, whose path this one goes on from.

        `device` is where the model is computed; its layers may be on several of the kind.
        """
        self._on_cpu, self._dtype = device.type == "cpu", dtype
        self._split = returns_lse(device)
        self.pack = pack
        self._carry: dict[torch.device, torch.Tensor] = {}
        self._layouts: dict[tuple[Reach | None, torch.device, int], Layout] = {}
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
        rule: Rule,
    ) -> torch.Tensor:
        """The layer's attention output, rows × heads × size; inputs are heads × rows × size."""
        size = value.shape[-1]
        query, key, value, rule = pad_to_one_size(query, key, value, rule)
        heads, nodes, width = query.shape
        shared_by, count = heads // len(key), -(-nodes // BLOCK)
        layout = self._layout(rule.reach, query.device, shared_by)
        keys, values = self._with_path(layer, key, value)
        rows = _in_blocks(query, len(key))
        out = query.new_empty(count, BLOCK, len(key), shared_by, width)
        # key heads × blocks × heads that share one × nodes × size, as the products have it
        view = out.permute(2, 0, 3, 1, 4)
        far = _far(rows, keys[layout.far], values[layout.far], rule, shared_by)
        sinks = None if rule.sinks is None else rule.sinks.float().view(len(key), 1, shared_by, 1)
        for group in layout.groups:
            span = slice(group.start, group.end)
            near = (rows[:, span].transpose(0, 1), *group.near(keys, values), group.bias, rule)
            if far is None and sinks is None:
                view[:, span] = _by_heads(attention_output(*near), shared_by)
                continue
            part, total = (_by_heads(each, shared_by) for each in attention_with_lse(*near))
            of_far = None if far is None else (far[0][:, span], far[1][:, span])
            merge((part, total), of_far, sinks, out=view[:, span])
        return out.view(count * BLOCK, heads, width)[:nodes, :, :size]

    def _with_path(
        self, layer: int, key: torch.Tensor, value: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        keys, values = key.transpose(0, 1), value.transpose(0, 1)
        if len(self.pack.carry):
            if key.device not in self._carry:
                self._carry[key.device] = to_device(self.pack.carry, key.device)
            carry = self._carry[key.device]
            past_keys, past_values = self._before[layer]
            keys = torch.cat((past_keys.index_select(0, carry), keys))
            values = torch.cat((past_values.index_select(0, carry), values))
        self.keys_values[layer] = keys, values
        return keys, values

    def _layout(self, reach: Reach | None, device: torch.device, shared_by: int) -> Layout:
        """The layout, which layers of one reach share."""
        # layers that see all of every path are alike, however far they could see
        reach = None if self.pack.sees_all(reach) else reach
        key = reach, device, shared_by
        if key not in self._layouts:
            self._layouts[key] = self.pack.layout(
                reach,
                split=self._split,
                groups=_GROUPS if self._on_cpu else 1,
                shared_by=shared_by,
                dtype=self._dtype,
                device=device,
            )
        return self._layouts[key]


def _in_blocks(query: torch.Tensor, key_heads: int) -> torch.Tensor:
    """The queries, key heads × blocks × rows × size; zeros fill up the last block."""
    heads, nodes, width = query.shape
    shared_by, full = heads // key_heads, nodes // BLOCK
    rest = nodes - full * BLOCK
    query = query.view(key_heads, shared_by, nodes, width)
    rows = query.new_empty(key_heads, full + (rest > 0), shared_by, BLOCK, width)
    whole = unflatten(query[:, :, : full * BLOCK], 2, (full, BLOCK))
    rows[:, :full] = whole.transpose(1, 2)
    if rest:
        rows[:, full, :, :rest] = query[:, :, full * BLOCK :]
        rows[:, full, :, rest:] = 0
    return rows.flatten(2, 3)


def _far(
    rows: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, rule: Rule, shared_by: int
) -> Parts | None:
    """What all rows see alike: key heads × blocks × heads that share one × nodes."""
    if not len(keys):
        return None
    out, total = attention_with_lse(
        rows.view(1, len(rows), -1, rows.shape[-1]),
        keys.transpose(0, 1)[None],
        values.transpose(0, 1)[None],
        None,
        rule,
    )
    sizes = (rows.shape[1], shared_by, BLOCK)
    return unflatten(out[0], 1, sizes), unflatten(total[0], 1, sizes)


def _by_heads(near: torch.Tensor, shared_by: int) -> torch.Tensor:
    """Blocks × key heads × rows as key heads × blocks × heads that share one × nodes."""
    return unflatten(near.transpose(0, 1), 2, (shared_by, BLOCK))


def tree_attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: Reach | None,
    *,
    tree: Any,
    scaling: float | None = None,
    softcap: float | None = None,
    s_aux: torch.Tensor | None = None,
    **settings: Any,
) -> tuple[torch.Tensor, None]:
    """What transformers calls in each layer; refuses what it would have to leave out.

    `tree` attends in the place of the model's own attention: a `PackPass` or `ReplySlots`.

    `attention_mask` is what `_reach` has told. A window in the settings is that of the mask.
    """
    if strange := [
        name
        for name, setting in settings.items()
        if isinstance(setting, torch.Tensor) and name not in _UNUSED_TENSORS
    ]:
        raise ValueError(f"attention that hangs on {', '.join(strange)} is not known here")
    if not isinstance(attention_mask, Reach | None) or len(query) != 1:
        raise ValueError("a pack is one row and brings its own mask")
    rule = Rule(scaling, attention_mask, softcap, s_aux)
    out = tree.attend(module.layer_idx, query[0], key[0], value[0], rule)
    return out[None], None


# tensors that models hand to their attention, which does not use them
_UNUSED_TENSORS = {"position_ids", "cache_position", "logits_to_keep"}


def _reach(
    *_: Any, local_size: int | None = None, config: Any = None, use_vmap: bool = False, **__: Any
) -> Reach | None:
    """What transformers calls for each kind of mask; null where all before a token is seen.

    The size is what the config says of windows or of chunks. The mask itself is not asked: some
    look up every place of the row, and on a GPU an answer has to be waited for.
    """
    if use_vmap:
        raise ValueError("a mask with a function of the model's own is not known here")
    # a size of nothing is that of a window that no layer has
    if not local_size:
        return None
    kinds: list[Literal["window", "chunk"]] = [
        kind for kind, name in _SIZES.items() if getattr(config, name, None) == local_size
    ]
    if len(kinds) != 1:
        raise ValueError(f"a mask of size {local_size} that is not said to be window or chunk")
    return Reach(kinds[0], local_size)


# where transformers' own masks have their sizes from
_SIZES: dict[Literal["window", "chunk"], str] = {
    "window": "sliding_window",
    "chunk": "attention_chunk_size",
}


AttentionInterface.register(NAME, tree_attention)
AttentionMaskInterface.register(NAME, _reach)
