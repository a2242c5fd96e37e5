"""Token sequences as stretches of a prefix tree, for models that go on from a kept state.

A state stands at one depth, in as many rows as there are paths to it. What continues it is a row
for each stretch that several sequences share, and one for each sequence that goes on alone. Rows
stand together in a pass where they are of near length: shared stretches are computed up to the end
of the shortest of them, and what is left of the others goes on from there; the rows of single
sequences are filled up behind their ends.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
class Step:
    """A pass over `width` tokens of each stretch, after these rows of the state at `depth`.

    The state is the one that was kept last, and goes when this is its `last` step; what the pass
    leaves is kept after it, if `kept`.
    """

    stretches: tuple[Stretch, ...]
    parents: tuple[int, ...]
    depth: int
    width: int
    kept: bool
    last: bool = False

    @property
    def tokens(self) -> int:
        """All that pass through the model, those that fill up rows with them."""
        return len(self.stretches) * self.width


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds the passes.

    A stretch is kept where that spares more than `pass_tokens`, which is what a pass costs; one is
    cut where its rows' different lengths would cost as much. No pass has more than `width` tokens,
    but for a single path, which can go alone, however long. A row of a state takes `fixed` bytes
    and `each` for a token; what is kept takes at most `room` together, and so does a pass.
    """

    pass_tokens: int
    width: int
    room: int
    fixed: int
    each: int

    def size(self, depth: int) -> int:
        """The bytes of a row at this depth."""
        return self.fixed + depth * self.each


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


def schedule(paths: Paths, limits: Limits) -> Iterator[Step]:
    """The passes that read all paths, depth first: what is kept is soon done with.

    >>> limits = Limits(pass_tokens=1, width=8, room=100, fixed=0, each=1)
    >>> paths = Paths([(5, 6, 7), (5, 6, 8), (5, 6, 9)])
    >>> [(step.depth, len(step.stretches), step.width) for step in schedule(paths, limits)]
    [(0, 1, 2), (2, 3, 1)]
    """
    sizes = [0]
    states = [_steps(paths, [(0, len(paths.tokens))], 0, limits, limits.room)]
    while states:
        step = states[-1].pop()
        last = not states[-1]
        if last:
            states.pop()
            sizes.pop()
        yield replace(step, last=last)
        if step.kept:
            depth = step.depth + step.width
            sizes.append(len(step.stretches) * limits.size(depth))
            groups = [(stretch.start, stretch.stop) for stretch in step.stretches]
            states.append(_steps(paths, groups, depth, limits, limits.room - sum(sizes)))


def _steps(
    paths: Paths, groups: Sequence[tuple[int, int]], depth: int, limits: Limits, room: int
) -> list[Step]:
    """The passes that go on from a state whose rows have these paths, the first of them last."""
    pending = [
        (stretch, row)
        for row, (start, stop) in enumerate(groups)
        for stretch in paths.stretches(start, stop, depth)
    ]
    while True:
        shared = sorted((p for p in pending if p[0].below), key=lambda p: (p[0].end, p[0].start))
        kept, folded = [], []
        for batch in _batches(shared, depth, limits, room):
            reach = min(batch[0][0].end - depth, limits.width)
            spared = reach * sum(stretch.saved for stretch, _ in batch)
            if spared > limits.pass_tokens and limits.size(depth + reach) <= room:
                kept.append((batch, reach))
            else:
                folded += batch
        pending = [p for p in pending if not p[0].below]
        if not folded:
            break
        # nothing of these is kept: what is below begins here
        pending += [(below, row) for stretch, row in folded for below in stretch.below]
        pending += [p for batch, _ in kept for p in batch]
    single = sorted(pending, key=lambda p: (-p[0].end, p[0].start))
    read = [
        (batch, batch[0][0].end - depth) for batch in _batches(single, depth, limits, limits.room)
    ]
    return [
        Step(tuple(s for s, _ in batch), tuple(r for _, r in batch), depth, width, batches is kept)
        for batches in (kept, read)
        for batch, width in batches
    ]


def _batches(
    pending: list[tuple[Stretch, int]], depth: int, limits: Limits, room: int
) -> Iterator[list[tuple[Stretch, int]]]:
    """Neighbours whose ends differ from the first one's by less than what a pass costs."""
    batch: list[tuple[Stretch, int]] = []
    lost = 0
    for stretch, row in pending:
        if batch:
            first = batch[0][0].end
            lost += abs(stretch.end - first) * max(1, stretch.saved)
            rows = min(room // limits.size(first), limits.width // (first - depth))
            if lost > limits.pass_tokens or len(batch) >= rows:
                yield batch
                batch, lost = [], 0
        batch.append((stretch, row))
    if batch:
        yield batch
