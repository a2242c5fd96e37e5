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
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal, NamedTuple

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
    """Neighbouring blocks of like width, from `start` to `end`.

    `keys` are the places of their near keys, block after block; `bias` (blocks × 1 × rows × keys,
    the rows once for each query head of a key head) is 0 where a row sees one of them, else minus
    infinity.
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


class Layout(NamedTuple):
    """What the layers of one reach see: the places `far` by all rows, the rest by groups."""

    far: slice
    groups: list[Group]


@dataclass(frozen=True, slots=True)
class Pack:
    """Consecutive nodes of a tree as the rows of a pass, and what each of them sees.

    The rows go in blocks of `BLOCK`, by the length of the path to a block's first node, so that
    blocks of like width are neighbours and no row is moved when a layer attends; a block that is
    not full comes last. Within a block they are in depth-first order. `nodes` has the number of
    each row's node in the depth-first order of the pack.

    Places are counted over the path to the first node and then the rows. `carry` has for each node
    of that path its place in the pack before. All rows see the first `shared` places. For the rows
    of block b `keys[b]` has the places of the further path to the first of them, of which each sees
    what lies less deep than all from there to it, and then their own; which of these each sees is
    in `within[b]`.

    The sequences `order` end at the rows `ends`, in the depth-first order of their nodes.
    """

    tokens: Rows
    depth: Rows
    nodes: Rows
    carry: Rows
    shared: int
    keys: Rows
    within: npt.NDArray[np.bool_]
    order: Rows
    ends: Rows

    def paths(self) -> Iterator[Rows]:
        """For each sequence of `order`, the places of its tokens, from the first to the last.

        >>> (pack,) = plan_packs([(7, 8), (7, 9)], pack_tokens=9)
        >>> [path.tolist() for path in pack.paths()]
        [[0, 1], [0, 2]]
        """
        rows, start = self.nodes.argsort(), 0
        depth, past = self.depth[rows], len(self.carry)
        path = np.arange(past + int(depth.max(initial=0)) + 1)
        for end in self.nodes[self.ends]:
            # of several nodes at one depth the last one stays, which is on the path to what follows
            path[depth[start : end + 1]] = past + rows[start : end + 1]
            start = end + 1
            yield path[: depth[end] + 1].copy()

    def sees_all(self, reach: Reach | None) -> bool:
        """Whether every row sees all of its path."""
        return reach is None or not reach.first(self.depth).any()

    def layout(
        self,
        reach: Reach | None,
        *,
        split: bool,
        groups: int,
        shared_by: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> Layout:
        """What layers of this reach see, in so many groups at most; `split`: a far part may be.

        `shared_by` is how many query heads share a key head.
        """
        count = len(self.keys)
        # what fills the last block up is as deep as its last row: it is seen by none, and cut off
        filled = np.minimum(np.arange(count * BLOCK), len(self.depth) - 1)
        depth = self.depth[filled].reshape(count, BLOCK)
        first = np.zeros_like(depth) if reach is None else reach.first(depth)
        far = slice(min(int(first.max()), self.shared), self.shared)
        if not split or far.stop - far.start < WORTH_SPLITTING:
            far = slice(self.shared, self.shared)
        made = []
        for blocks in np.array_split(np.arange(count), min(groups, count)):
            span = slice(int(blocks[0]), int(blocks[-1]) + 1)
            keys, visible = self._near(span, depth[span], first[span], far)
            bias = torch.zeros(visible.shape, dtype=dtype)
            bias.masked_fill_(torch.from_numpy(~visible), -torch.inf)
            bias = to_device(bias[:, None], device).repeat(1, 1, shared_by, 1)
            made.append(Group(span.start, span.stop, to_device(keys.reshape(-1), device), bias))
        return Layout(far, made)

    def _near(
        self, span: slice, row_depth: Rows, first: Rows, far: slice
    ) -> tuple[Rows, npt.NDArray[np.bool_]]:
        """The places of these blocks' near keys, and which of them each row sees.

        `first` is the first depth that each row sees.
        """
        keys, within = self.keys[span], self.within[span]
        needed, above = first.min(axis=1), row_depth[:, 0]
        # two stretches of the path: before what is far, and after it
        before = np.maximum(far.start - needed, 0)
        after = above - np.maximum(needed, far.stop)
        width = int((before + after).max())
        column = np.arange(width)
        skipped = np.where(column < before[:, None], 0, far.stop - far.start)
        depth = needed[:, None] + column + skipped
        on_path = depth < above[:, None]
        depth = np.minimum(depth, np.maximum(above - 1, 0)[:, None])
        deeper = np.take_along_axis(keys, (depth - self.shared).clip(0), axis=1)
        on_way = np.where(depth < self.shared, depth, deeper)
        lowest = np.minimum.accumulate(row_depth, axis=1)
        visible = np.empty((len(keys), BLOCK, width + BLOCK), np.bool_)
        visible[:, :, :width] = (
            on_path[:, None]
            & (depth[:, None] < lowest[:, :, None])
            & (depth[:, None] >= first[:, :, None])
        )
        visible[:, :, width:] = within & (row_depth[:, None] >= first[:, :, None])
        return np.concatenate((on_way, keys[:, -BLOCK:]), axis=1), visible


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
    # the path to the next node, by numbers of nodes, and in which rows these stand
    places = np.zeros(int(tree.depth.max(initial=0)) + 1, np.int64)
    place_of = places[:0]
    for start, end in pairwise(cuts):
        depth = tree.depth[start:end]
        carry = place_of[places[: depth[0]]]
        shared = int(depth.min())
        keys, within = _blocks(depth, shared, places)
        blocks, nodes = _by_path(depth)
        past = len(carry)
        place_of = np.arange(past + len(depth))
        place_of[past + nodes] = past + np.arange(len(depth))
        ending = by_end[slice(*np.searchsorted(tree.ends[by_end], (start, end)))]
        yield Pack(
            tokens=tree.tokens[start:end][nodes],
            depth=depth[nodes],
            nodes=nodes,
            carry=carry,
            shared=shared,
            keys=place_of[keys[blocks]],
            within=within[blocks],
            order=ending,
            ends=place_of[past + tree.ends[ending] - start] - past,
        )


def _by_path(depth: Rows) -> tuple[Rows, Rows]:
    """The blocks by the length of the path to their first nodes, and their nodes in this order.

    A block that is not full comes last.
    """
    size, full = len(depth), len(depth) // BLOCK
    blocks = np.r_[depth[: full * BLOCK : BLOCK].argsort(kind="stable"), full]
    blocks = blocks[: -(-size // BLOCK)]
    nodes = (blocks[:, None] * BLOCK + np.arange(BLOCK)).reshape(-1)
    return blocks, nodes[nodes < size]


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
