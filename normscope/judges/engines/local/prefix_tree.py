"""Token sequences as a prefix tree, in packs of rows in which every shared token stands once.

Sorted token sequences are the depth-first order of their prefix tree, so a run of that order is a
piece of the tree. A piece needs of all that came before it only the path to its first token: the
packs are read in order, and each takes over that path from the one before. A token's position is
its depth, and it sees its ancestors and itself.

The nodes of a pack go in blocks. A block's near keys are gathered: the path to its first node, as
far as any of its nodes sees, and the block itself. What all nodes of the pack see of their shared
path is far: it is attended densely, without a gather, where that pays.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from .devices import to_device

Ids = tuple[int, ...]
Rows = npt.NDArray[np.int64]

BLOCK = 32

WORTH_SPLITTING = 64
"""Keys in the far part below which a second product costs more than it saves in gathering."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The nodes in depth-first order: each one's token and depth.

    `ends[i]` is the node at which the i-th sequence ends.
    """

    tokens: Rows
    depth: Rows
    ends: Rows


@dataclass(frozen=True, slots=True)
class Pack:
    """Consecutive nodes of a tree, and what each of them sees.

    Places are counted over the path to the pack's first node and then the nodes themselves.
    `carry` tells for each node of that path its place in the pack before. All nodes see the first
    `shared` places. For the nodes of block b (`BLOCK` in a row, the last one filled up) `keys[b]`
    has the places of the further path to the first of them, of which each sees what lies less deep
    than all from there to it, and then their own; which of these each sees is in `within[b]`.

    The sequences `order` end at the nodes `ends` of this pack.
    """

    tokens: Rows
    depth: Rows
    carry: Rows
    shared: int
    keys: Rows
    within: npt.NDArray[np.bool_]
    order: Rows
    ends: Rows


def build_tree(sequences: Sequence[Ids]) -> Tree:
    """The prefix tree of the sequences, none of which is empty.

    >>> build_tree([(7, 8), (7, 9), (7,)]).tokens.tolist()
    [7, 8, 9]
    """
    lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
    starts = np.concatenate([[0], lengths.cumsum()])
    flat = np.fromiter(chain.from_iterable(sequences), np.uint32, int(starts[-1]))
    # most significant byte first, so that bytes sort as the token ids do, and in C
    memory = memoryview(flat.astype(">u4").tobytes())
    keys = [bytes(memory[4 * a : 4 * b]) for a, b in pairwise(starts)]
    order = sorted(range(len(sequences)), key=keys.__getitem__)
    pieces = [flat[:0]]
    depths = [starts[:0]]
    ends = np.zeros(len(sequences), np.int64)
    path = np.zeros(int(lengths.max(initial=0)), np.int64)
    before, size = flat[:0], 0
    for index in order:
        sequence = flat[starts[index] : starts[index + 1]]
        shared = _shared_prefix(before, sequence)
        new_depths = np.arange(shared, len(sequence))
        path[new_depths] = new_depths + (size - shared)
        ends[index] = path[len(sequence) - 1]
        pieces.append(sequence[shared:])
        depths.append(new_depths)
        before, size = sequence, size + len(new_depths)
    return Tree(np.concatenate(pieces).astype(np.int64), np.concatenate(depths), ends)


def plan_packs(sequences: Sequence[Ids], *, pack_tokens: int) -> Iterator[Pack]:
    """The sequences' prefix tree in packs of like size, of at most `pack_tokens` nodes each."""
    tree = build_tree(sequences)
    size = len(tree.tokens)
    by_end = tree.ends.argsort(kind="stable")
    # as few packs as it takes, of like size rather than full ones and a rest
    count = -(-size // pack_tokens)
    cuts = [number * size // count for number in range(count + 1)] if count else []
    places = np.zeros(int(tree.depth.max(initial=0)) + 1, np.int64)
    for start, end in pairwise(cuts):
        depth = tree.depth[start:end]
        carry = places[: depth[0]].copy()
        shared = int(depth.min())
        keys, within = _blocks(depth, shared, places)
        ending = by_end[slice(*np.searchsorted(tree.ends[by_end], (start, end)))]
        yield Pack(
            tokens=tree.tokens[start:end],
            depth=depth,
            carry=carry,
            shared=shared,
            keys=keys,
            within=within,
            order=ending,
            ends=tree.ends[ending] - start,
        )


def paths(pack: Pack) -> Iterator[Rows]:
    """For each sequence of `pack.order`, the places of its tokens, from the first to the last.

    >>> [path.tolist() for path in paths(next(plan_packs([(7, 8), (7, 9)], pack_tokens=9)))]
    [[0, 1], [0, 2]]
    """
    past, start = len(pack.carry), 0
    places = np.arange(past + int(pack.depth.max(initial=0)) + 1)
    for end in pack.ends:
        # of several nodes at one depth the last one stays, which is on the path to what follows
        places[pack.depth[start : end + 1]] = past + np.arange(start, end + 1)
        start = end + 1
        yield places[: pack.depth[end] + 1].copy()


def _blocks(depth: Rows, shared: int, places: Rows) -> tuple[Rows, npt.NDArray[np.bool_]]:
    """What the blocks see beside the shared places; leaves the last node's path in `places`."""
    past, count = int(depth[0]), -(-len(depth) // BLOCK)
    # what fills the last block up lies deeper than any node and is seen by none
    filled = np.full(count * BLOCK, np.iinfo(np.int64).max)
    filled[: len(depth)] = depth
    deep = filled.reshape(count, BLOCK)
    width = int(deep[:, 0].max()) - shared
    keys = np.zeros((count, width + BLOCK), np.int64)
    keys[:, width:] = past + np.arange(count * BLOCK).reshape(count, BLOCK)
    np.minimum(keys, past + len(depth) - 1, out=keys)
    places[:past] = np.arange(past)
    for block in range(count):
        above = deep[block, 0] - shared
        keys[block, :above] = places[shared : shared + above]
        # of several nodes at one depth the last one stays, which is the ancestor of what follows
        block_depths = depth[block * BLOCK : (block + 1) * BLOCK]
        places[block_depths] = past + block * BLOCK + np.arange(len(block_depths))
    return keys, _within(deep)


def _within(deep: Rows) -> npt.NDArray[np.bool_]:
    """Which node of a block sees which other of it: all between the two must lie deeper.

    >>> _within(np.array([[0, 1, 1]]))[0].astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    """
    step = np.arange(deep.shape[1])
    later = np.where(step[None, :] > step[:, None], deep[:, None, :], np.iinfo(np.int64).max)
    between = np.minimum.accumulate(later, axis=2)
    sees = (between > deep[:, :, None]) & (step[None, :] >= step[:, None])
    sees |= np.eye(len(step), dtype=np.bool_)
    return sees.transpose(0, 2, 1)


def _shared_prefix(first: npt.NDArray[np.uint32], second: npt.NDArray[np.uint32]) -> int:
    length = min(len(first), len(second))
    differs = first[:length] != second[:length]
    return int(differs.argmax()) if differs.any() else length


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
