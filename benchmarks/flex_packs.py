"""Attention over a pack of a prefix tree by torch's flex attention, to be compared on a GPU.

The engine gathers the keys of a pack's blocks for torch's scaled dot product (`PackPass`). Here a
kernel that torch compiles skips the blocks of keys that no node of a block of queries sees. In
depth-first order a node is seen by an interval of nodes, from itself to the end of its subtree, so
that the mask needs one number for each key. Sizes are filled up to a few, since the kernel is
compiled for each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch.nn.attention.flex_attention import BlockMask, flex_attention

from normscope.judges.engines.local.devices import to_device, to_device_together
from normscope.judges.engines.local.prefix_tree import Pack, Reach, Rows
from normscope.judges.engines.local.tree_attention import Rule

TILE = 128
"""Queries and keys of a block of the mask, torch's own default."""

Attention = Callable[..., Any]


@cache
def compiled() -> Attention:
    """The kernel, compiled anew for each size: there are few, and fixed sizes are the fastest."""
    attention: Attention = torch.compile(flex_attention, dynamic=False)
    return attention


def filled_up(size: int) -> int:
    """The size to which so many nodes or places are filled up; nothing stays nothing.

    >>> [filled_up(size) for size in (0, 1, 128, 129, 1000)]
    [0, 128, 128, 256, 1024]
    """
    return max(TILE, 1 << (size - 1).bit_length()) if size else 0


def seen_until(depth: Rows) -> tuple[Rows, Rows]:
    """Up to which node of a pack each place of its path, and each of its nodes, is seen.

    Depth-first order: what comes after a node and lies deeper is below it. A place of the path is
    seen from the first node on, a node from itself on.

    >>> [each.tolist() for each in seen_until(np.array([2, 3, 3, 1, 2]))]
    [[5, 3], [3, 2, 3, 5, 5]]
    """
    lowest = np.minimum.accumulate(depth)
    path = len(depth) - np.searchsorted(lowest[::-1], np.arange(depth[0]), side="right")
    nodes = np.full(len(depth), len(depth))
    above: list[int] = []
    for node, deep in enumerate(depth.tolist()):
        while above and depth[above[-1]] >= deep:
            nodes[above.pop()] = node
        above.append(node)
    return path, nodes


@dataclass(frozen=True, slots=True)
class Seen:
    """What a pack's nodes see, over its path and then its nodes, both filled up.

    Key `k` is seen by the nodes from `k - path` up to `until[k]`, if `depth[k]` is at least what
    the node's reach begins with (`first`).
    """

    path: int
    until: Rows
    depth: Rows
    first: Rows

    @classmethod
    def of(cls, pack: Pack, reach: Reach | None) -> "Seen":
        """That of a pack; what fills it up sees itself, so that no row is without a key."""
        past, size = len(pack.carry), len(pack.depth)
        path, nodes = filled_up(past), filled_up(size)
        until, depth = np.zeros(path + nodes, np.int64), np.zeros(path + nodes, np.int64)
        until[:past], until[path : path + size] = seen_until(pack.depth)
        until[path + size :] = np.arange(size, nodes) + 1
        depth[:past], depth[path : path + size] = np.arange(past), pack.depth
        first = np.zeros(nodes, np.int64)
        if reach is not None:
            first[:size] = reach.first(pack.depth)
        return cls(path, until, depth, first)

    @property
    def dense(self) -> npt.NDArray[np.bool_]:
        """Nodes × keys."""
        node, key = np.arange(len(self.first))[:, None], np.arange(len(self.until))
        visible = (key - self.path <= node) & (node < self.until)
        return visible & (self.depth >= self.first[:, None])

    def mask(self, device: torch.device) -> BlockMask:
        """For the kernel: which tiles have something to see, and a test for each pair in these."""
        tiles = self.dense.reshape(len(self.first) // TILE, TILE, len(self.until) // TILE, TILE)
        full, some = tiles.all(axis=(1, 3)), tiles.any(axis=(1, 3))
        tables = [each for which in (some & ~full, full) for each in _listed(which)]
        until, depth, first, *tables = to_device_together(
            [self.until, self.depth, self.first, *tables], device
        )
        path = self.path

        def sees(_: Any, __: Any, node: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
            within = (key - path <= node) & (node < until[key])
            return within & (depth[key] >= first[node])

        return BlockMask.from_kv_blocks(
            *(table.to(torch.int32)[None, None] for table in tables),
            BLOCK_SIZE=TILE,
            mask_mod=sees,
            seq_lengths=(len(first), len(until)),
            compute_q_blocks=False,
        )


class FlexPass:
    """One pack on its way through the layers of a model, in depth-first order; as a `PackPass`.

    Caps and sinks are refused: they would have to go into the kernel.
    """

    attention: Attention = staticmethod(flex_attention)

    def __init__(
        self, pack: Pack, before: "FlexPass | None", *, device: torch.device, dtype: torch.dtype
    ) -> None:
        """`before` is the finished pass of the pack before, whose path this one goes on from."""
        del dtype  # the mask has none
        self.rows: Rows = np.arange(len(pack.tokens))
        self._pack, self._device = pack, device
        self._path, self._nodes = filled_up(len(pack.carry)), filled_up(len(pack.tokens))
        carried = before.places(pack.carry) if before else pack.carry
        self._carry = to_device(carried, device)
        self._before = before.keys_values if before else {}
        self._masks: dict[Reach | None, BlockMask] = {}
        self.keys_values: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def places(self, nodes: Rows) -> Rows:
        """Where in `keys_values` stand the keys that the pack counts over its path and nodes."""
        past = len(self._pack.carry)
        return np.where(nodes < past, nodes, nodes + (self._path - past))

    def row_of(self, nodes: Rows) -> Rows:
        """In which rows these nodes of the pack stand."""
        return nodes

    def close(self) -> None:
        """Lets go of the pack before."""
        self._before = {}

    def attend(
        self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, rule: Rule
    ) -> torch.Tensor:
        """The layer's attention output, nodes × heads × size; inputs are heads × nodes × size."""
        if rule.cap is not None or rule.sinks is not None:
            raise ValueError("caps and sinks are not compared")
        if rule.reach not in self._masks:
            self._masks[rule.reach] = Seen.of(self._pack, rule.reach).mask(self._device)
        size = query.shape[1]
        past = self._before.get(layer)
        keys, values = (
            self._filled(tensor, None if past is None else past[at])
            for at, tensor in enumerate((key, value))
        )
        self.keys_values[layer] = keys, values
        out = self.attention(
            F.pad(query, (0, 0, 0, self._nodes - size))[None],
            keys.transpose(0, 1)[None],
            values.transpose(0, 1)[None],
            block_mask=self._masks[rule.reach],
            scale=rule.scale,
            enable_gqa=len(query) != len(key),
        )
        result: torch.Tensor = out[0, :, :size].transpose(0, 1)
        return result

    def _filled(self, new: torch.Tensor, past: torch.Tensor | None) -> torch.Tensor:
        """The path's and the nodes' keys or values, places × heads × size, zeros in between."""
        heads, size, width = new.shape
        held = new.new_zeros(self._path + self._nodes, heads, width)
        if past is not None:
            held[: len(self._carry)] = past.index_select(0, self._carry)
        held[self._path : self._path + size] = new.transpose(0, 1)
        return held


class CompiledPass(FlexPass):
    """The same by the compiled kernel."""

    @staticmethod
    def attention(*tensors: torch.Tensor, **settings: Any) -> torch.Tensor:
        """torch's flex attention, compiled when it is first called."""
        result: torch.Tensor = compiled()(*tensors, **settings)
        return result


def _listed(which: npt.NDArray[np.bool_]) -> tuple[Rows, Rows]:
    """How many columns are true in each row, and the columns, those first."""
    return which.sum(axis=1), (~which).argsort(axis=1, kind="stable")
