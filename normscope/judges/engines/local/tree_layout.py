"""Where a pack's rows and keys stand when its layers attend, planned in numpy.

The nodes of a pack go in blocks. A block's near keys are gathered: the path to its first node, as
far as any of its nodes sees, and the block itself. What all nodes of the pack see of their shared
path is far: it is attended densely, without a gather, where that pays.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch

from .attention import Reach
from .devices import to_device
from .prefix_tree import BLOCK, Pack, Rows

WORTH_SPLITTING = 64
"""Keys in the far part below which a second product costs more than it saves in gathering."""


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks of like width, from `start` to `end` in the order of the rows.

    `keys` are the places of their near keys, block after block; `bias` (blocks × 1 × nodes × keys)
    is 0 where a node of a block sees one of them, else minus infinity.
    """

    start: int
    end: int
    keys: torch.Tensor
    bias: torch.Tensor

    def near(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What the blocks see near by, of a layer's: blocks × key heads × places × size."""
        count = self.end - self.start
        near_keys, near_values = (
            each.index_select(0, self.keys).view(count, -1, *each.shape[1:]).transpose(1, 2)
            for each in (keys, values)
        )
        return near_keys, near_values

    def on(self, device: torch.device) -> "Group":
        """The same on the device."""
        return replace(self, keys=to_device(self.keys, device), bias=to_device(self.bias, device))


@dataclass(frozen=True, slots=True)
class Layout:
    """What the layers of one reach see: the places `far` by all rows, the rest by groups."""

    far: slice
    groups: tuple[Group, ...]

    def on(self, device: torch.device) -> "Layout":
        """The same on the device."""
        return replace(self, groups=tuple(group.on(device) for group in self.groups))


class OrderedPack:
    """A pack whose blocks stand in the order of their paths' lengths, shortest first.

    Blocks of like width are then neighbours, and no row has to be moved when a layer attends.
    `rows` are the pack's nodes in that order; a block that is not full comes last.
    """

    def __init__(self, pack: Pack) -> None:
        """Nothing is laid out yet: that hangs on the layers' reach."""
        size = len(pack.depth)
        full = size // BLOCK
        self._order = np.r_[pack.depth[: full * BLOCK : BLOCK].argsort(kind="stable"), full]
        self._order = self._order[: -(-size // BLOCK)]
        nodes = self._order[:, None] * BLOCK + np.arange(BLOCK)
        self.rows: Rows = nodes[nodes < size]
        past = len(pack.carry)
        self._places = np.arange(past + size)
        self._places[past + self.rows] = past + np.arange(size)
        self._pack = pack
        # what fills the last block up is as deep as its last node: it is seen by none, and cut off
        deep = pack.depth[np.minimum(np.arange(len(self._order) * BLOCK), size - 1)]
        self._deep = deep.reshape(-1, BLOCK)

    def places(self, nodes: Rows) -> Rows:
        """Where keys stand that the pack counts over its path and then its nodes."""
        return self._places[nodes]

    def row_of(self, nodes: Rows) -> Rows:
        """In which rows these nodes of the pack stand."""
        past = len(self._pack.carry)
        return self._places[past + nodes] - past

    def sees_all(self, reach: Reach | None) -> bool:
        """Whether every node sees all of its path."""
        return reach is None or not reach.first(self._pack.depth).any()

    def layout(
        self, reach: Reach | None, *, split: bool, groups: int, dtype: torch.dtype
    ) -> Layout:
        """What layers of this reach see, in so many groups at most; `split`: a far part may be."""
        shared = self._pack.shared
        first = np.zeros_like(self._deep) if reach is None else reach.first(self._deep)
        far = slice(min(int(first.max()), shared), shared)
        if not split or far.stop - far.start < WORTH_SPLITTING:
            far = slice(shared, shared)
        made, start = [], 0
        for blocks in np.array_split(self._order, min(groups, len(self._order))):
            keys, visible = self._near(blocks, first[blocks], far)
            bias = torch.zeros(visible.shape, dtype=dtype)
            bias.masked_fill_(torch.from_numpy(~visible), -torch.inf)
            end = start + len(blocks)
            made.append(Group(start, end, torch.from_numpy(keys.reshape(-1)), bias[:, None]))
            start = end
        return Layout(far, tuple(made))

    def _near(self, blocks: Rows, first: Rows, far: slice) -> tuple[Rows, npt.NDArray[np.bool_]]:
        """The places of these blocks' near keys, and which of them each node sees.

        `first` is the first depth that each node sees.
        """
        pack = self._pack
        needed = first.min(axis=1)
        above = self._deep[blocks, 0]
        # two stretches of the path: before what is far, and after it
        before = np.maximum(far.start - needed, 0)
        after = above - np.maximum(needed, far.stop)
        width = int((before + after).max())
        column = np.arange(width)
        skipped = np.where(column < before[:, None], 0, far.stop - far.start)
        depth = needed[:, None] + column + skipped
        on_path = depth < above[:, None]
        depth = np.minimum(depth, np.maximum(above - 1, 0)[:, None])
        own = pack.keys.shape[1] - BLOCK
        deeper = np.take_along_axis(pack.keys[blocks], (depth - pack.shared).clip(0), axis=1)
        keys = np.where(depth < pack.shared, depth, deeper)
        keys = self._places[np.concatenate((keys, pack.keys[blocks][:, own:]), axis=1)]
        lowest = np.minimum.accumulate(self._deep[blocks], axis=1)
        visible = np.empty((len(blocks), BLOCK, width + BLOCK), np.bool_)
        visible[:, :, :width] = (
            on_path[:, None]
            & (depth[:, None] < lowest[:, :, None])
            & (depth[:, None] >= first[:, :, None])
        )
        visible[:, :, width:] = pack.within[blocks]
        visible[:, :, width:] &= self._deep[blocks][:, None] >= first[:, :, None]
        return keys, visible
