"""Token sequences as a prefix tree, in packs of rows in which every shared token stands once.

Sorted token sequences are the depth-first order of their prefix tree, so a run of that order is a
piece of the tree. A piece needs of all that came before it only the path to its first token: the
packs are read in order, and each takes over that path from the one before. A token's position is
its depth, and it sees its ancestors and itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt

Ids = tuple[int, ...]
Rows = npt.NDArray[np.int64]

BLOCK = 32


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
