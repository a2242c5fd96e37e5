"""Token sequences as a prefix tree, cut into packs that one forward pass can take.

Sorted token sequences are the depth-first order of their prefix tree. A pack is a run of them laid
out as one row of tokens in which each shared prefix stands once: a token's position is its depth,
and it attends to its ancestors only. So one forward pass over the row gives, at each node, what a
plain pass over the node's own path would give.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """A piece of the tree as one row: `tokens`, their `depth`, and each one's `parent` (-1: none).

    `ends[i]` is where the last token of the i-th of the pack's sequences stands, and `order[i]`
    which of the planned sequences that is.
    """

    tokens: npt.NDArray[np.int64]
    depth: npt.NDArray[np.int64]
    parent: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]

    def ancestors(self) -> npt.NDArray[np.bool_]:
        """Which token (row) may see which (column): itself and its ancestors."""
        size = len(self.tokens)
        seen = np.zeros((size, size), dtype=np.bool_)
        for node, parent in enumerate(self.parent):
            if parent >= 0:
                seen[node, : parent + 1] = seen[parent, : parent + 1]
            seen[node, node] = True
        return seen


def plan(sequences: Sequence[Ids], *, pack_tokens: int) -> Iterator[Pack]:
    """The sequences in packs of at most `pack_tokens` tokens (more for a longer sequence alone).

    A path that runs over the edge of a pack is laid out again in the next one, so packs do not
    depend on one another.

    >>> [pack.tokens.tolist() for pack in plan([(7, 8), (7, 9), (7,)], pack_tokens=8)]
    [[7, 8, 9]]
    """
    order = sorted(range(len(sequences)), key=sequences.__getitem__)
    start = size = 0
    for at, index in enumerate(order):
        shared = shared_prefix(sequences[order[at - 1]], sequences[index]) if at > start else 0
        grown = size + len(sequences[index]) - shared
        if at > start and grown > pack_tokens:
            yield _lay_out(sequences, order[start:at])
            start, grown = at, len(sequences[index])
        size = grown
    if order:
        yield _lay_out(sequences, order[start:])


def shared_prefix(one: Ids, other: Ids) -> int:
    """How many tokens the two begin with in common.

    >>> shared_prefix((1, 2, 3), (1, 2, 4))
    2
    """
    # halving on slices compares in C; long prompts share hundreds of tokens
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _lay_out(sequences: Sequence[Ids], order: list[int]) -> Pack:
    tokens: list[int] = []
    depth: list[int] = []
    parent: list[int] = []
    ends: list[int] = []
    path: list[int] = []  # where the tokens of the sequence before stand
    before: Ids = ()
    for index in order:
        sequence = sequences[index]
        shared = shared_prefix(before, sequence)
        del path[shared:]
        for position in range(shared, len(sequence)):
            parent.append(path[-1] if path else -1)
            path.append(len(tokens))
            tokens.append(sequence[position])
            depth.append(position)
        ends.append(path[-1])
        before = sequence
    columns = (tokens, depth, parent, ends, order)
    return Pack(*(np.asarray(column, dtype=np.int64) for column in columns))
