"""How one layer attends: how far it sees, and what it does to its scores beside the products."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation

from .prefix_tree import Rows

_SCORES = 1 << 26
"""The most scores that stand in memory at once where no operator of torch's works them off."""


Parts = tuple[torch.Tensor, torch.Tensor]
"""What a part of all keys gives to rows, and the logarithms of its sums of exponentials."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a token sees of those before it where that is not all: a window, or its own chunk."""

    kind: Literal["window", "chunk"]
    size: int

    def first(self, depth: Rows) -> Rows:
        """The first position that tokens at these positions see.

        >>> import numpy as np
        >>> Reach("window", 3).first(np.arange(6)).tolist()
        [0, 0, 0, 1, 2, 3]
        >>> Reach("chunk", 3).first(np.arange(6)).tolist()
        [0, 0, 0, 3, 3, 3]
        """
        if self.kind == "chunk":
            return depth // self.size * self.size
        return (depth - (self.size - 1)).clip(0)


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
    """As `attended`, where the sums are not needed, for which few operators are made."""
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
