"""Token sequences as stretches of a prefix tree, for models that go on from a kept state.

A state stands at one depth, in as many rows as there are paths to it. What continues it is a row
for each stretch that several sequences share, and one for each sequence that goes on alone. Rows
stand together in a pass where they are of near length: shared stretches are computed up to the end
of the shortest of them, and what is left of the others goes on from there; the rows of single
sequences are filled up behind their ends.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .prefix_tree import Ids, grow


@dataclass(frozen=True, slots=True)
class Stretch:
    """What the paths `start` to `stop` - 1 share, down to the depth `end`.

    `below` are the stretches that go on from its end; a single path has none.
    """

    start: int
    stop: int
    end: int
    below: tuple["Stretch", ...] = ()

    @property
    def saved(self) -> int:
        """How often a token of it is spared when it is computed once."""
        return len(self.below) - 1


@dataclass(frozen=True, slots=True)
class Continuation:
    """Rows of one pass: `width` tokens of each stretch, after these rows of the state."""

    stretches: tuple[Stretch, ...]
    parents: tuple[int, ...]
    width: int


@dataclass(frozen=True, slots=True)
class Group:
    """The paths `start` to `stop` - 1, which go through a row of a state."""

    row: int
    start: int
    stop: int


class Paths:
    """The sequences, none of which is empty, but those that begin others; sorted.

    `tokens[i]` is a path, and `reads[i]` has the lengths at which sequences end that are first met
    on it, with these sequences.

    >>> paths = Paths([(7, 8, 9), (7,), (7, 8, 5), (7,)])
    >>> paths.tokens, paths.reads
    ([(7, 8, 5), (7, 8, 9)], [[(1, [1, 3]), (3, [2])], [(3, [0])]])
    """

    def __init__(self, sequences: Sequence[Ids]) -> None:
        tree = grow(sequences)
        ends, where = np.unique(tree.ends, return_inverse=True)
        lengths = tree.depth[ends] + 1
        # the first node of a sequence that is not on the path before tells what the two share
        common = np.concatenate([[0], tree.depth[ends[:-1] + 1]])
        alone = np.flatnonzero(np.append(common[1:] < lengths[:-1], True))
        at: list[list[int]] = [[] for _ in ends]
        for index, end in enumerate(where):
            at[end].append(index)
        self.tokens = [sequences[at[end][0]] for end in alone]
        self.reads: list[list[tuple[int, list[int]]]] = [[] for _ in alone]
        for end, path in enumerate(np.searchsorted(alone, np.arange(len(ends)))):
            self.reads[path].append((int(lengths[end]), at[end]))
        self._common = [0, *common[alone[:-1] + 1].tolist()]

    def stretches(self, start: int, stop: int, depth: int) -> list[Stretch]:
        """What goes on from `depth` on the way to these paths, which share as much.

        >>> Paths([(7, 8, 9), (7, 8, 5), (6,)]).stretches(0, 3, 0)[1].end
        2
        """
        nodes: list[tuple[int, list[Stretch]]] = [(depth, [])]
        for path in range(start, stop):
            after = self._common[path + 1] if path + 1 < stop else depth
            if after > nodes[-1][0]:
                nodes.append((after, []))
            nodes[-1][1].append(Stretch(path, path + 1, len(self.tokens[path])))
            while nodes[-1][0] > after:
                end, below = nodes.pop()
                if after > nodes[-1][0]:
                    nodes.append((after, []))
                shared = Stretch(below[0].start, path + 1, end, tuple(below))
                nodes[-1][1].append(shared)
        return nodes[0][1]


def continuations(
    paths: Paths,
    groups: Sequence[Group],
    depth: int,
    *,
    pass_tokens: int,
    most_kept: Callable[[int], int],
    most_read: Callable[[int], int],
    width: int,
) -> tuple[list[Continuation], list[Continuation]]:
    """The passes that go on from a state at this depth: those kept, and those of single paths.

    A stretch is kept where that spares more tokens than a pass costs, which is `pass_tokens` of
    them; a pass is cut where its rows' different lengths would cost as much. No pass has more than
    `width` tokens, or more rows that end at some depth than `most_kept` and `most_read` allow; a
    single path can go alone, however long.
    """
    pending = [
        (stretch, group.row)
        for group in groups
        for stretch in paths.stretches(group.start, group.stop, depth)
    ]
    while True:
        shared = sorted((p for p in pending if p[0].below), key=lambda p: (p[0].end, p[0].start))
        kept, folded = [], []
        for batch in _batches(shared, depth, pass_tokens, most_kept, width):
            reach = min(batch[0][0].end - depth, width)
            spared = reach * sum(stretch.saved for stretch, _ in batch)
            if spared > pass_tokens and most_kept(depth + reach):
                kept.append(_together(batch, reach))
            else:
                folded += batch
        pending = [p for p in pending if not p[0].below]
        if not folded:
            break
        # nothing of these is kept: what is below begins here
        pending += [(below, row) for stretch, row in folded for below in stretch.below]
        pending += [
            (stretch, row)
            for batch in kept
            for stretch, row in zip(batch.stretches, batch.parents, strict=True)
        ]
    single = sorted(pending, key=lambda p: (-p[0].end, p[0].start))
    read = [
        _together(batch, batch[0][0].end - depth)
        for batch in _batches(single, depth, pass_tokens, most_read, width)
    ]
    return kept, read


def _batches(
    pending: list[tuple[Stretch, int]],
    depth: int,
    pass_tokens: int,
    most: Callable[[int], int],
    width: int,
) -> Iterator[list[tuple[Stretch, int]]]:
    """Neighbours whose ends differ from the first one's by less than what a pass costs."""
    batch: list[tuple[Stretch, int]] = []
    lost = 0
    for stretch, row in pending:
        if batch:
            first = batch[0][0].end
            lost += abs(stretch.end - first) * max(1, stretch.saved)
            rows = min(most(first), width // (first - depth))
            if lost > pass_tokens or len(batch) >= rows:
                yield batch
                batch, lost = [], 0
        batch.append((stretch, row))
    if batch:
        yield batch


def _together(batch: list[tuple[Stretch, int]], width: int) -> Continuation:
    return Continuation(tuple(s for s, _ in batch), tuple(row for _, row in batch), width)
