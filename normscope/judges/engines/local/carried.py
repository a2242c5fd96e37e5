"""Shared beginnings computed once by models that cannot read a tree: their cache is carried on.

A linear layer has one state for each row, which every token changes, so that branches cannot stand
in one row. But the cache after a shared beginning (keys, values and states) can be expanded over
its siblings. Siblings of near length go together: those that branch again up to the end of the
shortest, from where the rest of the others goes on; single sequences are padded behind their ends.
"""

import copy
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch

from .devices import main_device, to_device, to_device_together
from .passes import PLAIN_BATCH, Piece
from .prefix_tree import Ids, Rows, build_tree

# what a pass costs beside its tokens, counted in tokens
_PASS, _PASS_CPU = 1024, 32

# the chunked rules of linear layers fill a row up to so many tokens, or to what they are told
_CHUNK, _SHORT_CHUNK = 64, 16


class Stretch(NamedTuple):
    """What the paths `start` to `stop` - 1 share down to `end`, where `branches` go on, if any."""

    start: int
    stop: int
    end: int
    branches: int


class Paths:
    """The sequences, none of which is empty, but those that begin others; sorted.

    `tokens[i]` is a path, and `reads[i]` has the lengths at which sequences end that are first met
    on it, with these sequences.

    >>> paths = Paths([(7, 8, 9), (7,), (7, 8, 5), (7,)])
    >>> paths.tokens, paths.reads
    ([(7, 8, 5), (7, 8, 9)], [[(1, [1, 3]), (3, [2])], [(3, [0])]])
    """

    def __init__(self, sequences: Sequence[Ids]) -> None:
        tree = build_tree(sequences)
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
        """The stretches that go on from `depth` on the way to these paths, which share as much.

        >>> Paths([(7, 8, 9), (7, 8, 5), (6,)]).stretches(0, 3, 0)[1]
        Stretch(start=1, stop=3, end=2, branches=2)
        """
        cuts = [start, *(i for i in range(start + 1, stop) if self._common[i] == depth), stop]
        stretches = []
        for first, after in pairwise(cuts):
            common = self._common[first + 1 : after]
            end = min(common, default=len(self.tokens[first]))
            branches = common.count(end) + 1 if common else 0
            stretches.append(Stretch(first, after, end, branches))
        return stretches


@dataclass(frozen=True, slots=True)
class CacheKind:
    """What a model's cache is called, what goes with it, and the bytes of a row."""

    name: str
    takes_positions: bool
    takes_chunks: bool
    fixed: int = 0
    per_token: int = 0

    def size(self, depth: int) -> int:
        """The bytes of a row at this depth."""
        return self.fixed + depth * self.per_token


Batch = list[tuple[Stretch, int]]
"""Stretches, each with the row of the cache that it continues."""


class _Step(NamedTuple):
    """A pass over `width` tokens of each stretch; `carried`: whether its cache is."""

    batch: Batch
    width: int
    carried: bool


@torch.inference_mode()
def carried_pieces(
    model: Any, sequences: Sequence[Ids], *, pack_tokens: int, pass_tokens: int | None = None
) -> Iterator[Piece]:
    """The logits after the sequences, each shared stretch computed once where that is worth it.

    A pass takes at most `PLAIN_BATCH` × `pack_tokens` tokens, on a CPU `pack_tokens`, or one
    sequence. All caches together take at most what keys and values of `PLAIN_BATCH` × `pack_tokens`
    tokens would at the model's full width, or four times the longest sequence's own if that is
    more. `pass_tokens` is what a pass counts as, in tokens.
    """
    if sequences:
        walk = _Walk(model, Paths(sequences), pack_tokens, pass_tokens)
        yield from walk.pieces([(0, len(walk.paths.tokens))], 0, None, walk.room)


class _Walk:
    """The passes that read all paths, depth first: what is kept is soon done with."""

    def __init__(self, model: Any, paths: Paths, pack_tokens: int, pass_tokens: int | None) -> None:
        self.paths, self._model, self._kind = paths, model, cache_kind(model)
        self._device = main_device(model)
        on_cpu, most = self._device.type == "cpu", PLAIN_BATCH * pack_tokens
        self._pass_tokens = (_PASS_CPU if on_cpu else _PASS) if pass_tokens is None else pass_tokens
        # what is wider leaves a processor's cache, and fills a GPU
        self._width = pack_tokens if on_cpu else most
        config = model.config.get_text_config()
        full = 2 * config.num_hidden_layers * config.hidden_size * model.dtype.itemsize
        # of what is kept, and again of a pass
        self.room = max(most * full // 2, 2 * self._kind.size(max(map(len, paths.tokens))))

    def pieces(
        self, groups: Sequence[tuple[int, int]], depth: int, cache: Any, room: int
    ) -> Iterator[Piece]:
        """The logits on the paths beyond `depth`, where row i of the cache begins `groups[i]`."""
        size = len(groups) * self._kind.size(depth) if depth else 0
        steps = self._steps(groups, depth, room - size)
        for number, step in enumerate(steps, 1):
            after = _expanded(cache, [row for _, row in step.batch], self._device)
            if number == len(steps):
                # what nothing else goes on from is free before the pass
                cache, size = None, 0
            at, logits, after = self._read(step, depth, after)
            some = [(stretch.start, stretch.stop) for stretch, _ in step.batch]
            more = self.pieces(some, depth + step.width, after, room - size) if step.carried else ()
            del after
            if at:
                yield at, logits
            yield from more

    def _steps(self, groups: Sequence[tuple[int, int]], depth: int, room: int) -> list[_Step]:
        """The passes that continue a cache whose rows begin these groups of paths."""
        pending = [
            (stretch, row)
            for row, (start, stop) in enumerate(groups)
            for stretch in self.paths.stretches(start, stop, depth)
        ]
        while True:
            shared = sorted((p for p in pending if p[0].branches), key=lambda p: (p[0].end, p))
            single = sorted((p for p in pending if not p[0].branches), key=lambda p: (-p[0].end, p))
            carried: list[_Step] = []
            folded: Batch = []
            for batch in self._batches(shared, depth, room):
                width = min(batch[0][0].end - depth, self._width)
                spared = width * sum(stretch.branches - 1 for stretch, _ in batch)
                if spared > self._pass_tokens and self._kind.size(depth + width) <= room:
                    carried.append(_Step(batch, width, carried=True))
                else:
                    folded += batch
            if not folded:
                break
            # not worth a pass: their branches begin here, beside those of the others
            pending = single + [p for step in carried for p in step.batch]
            for (start, stop, end, _), row in folded:
                pending += [(below, row) for below in self.paths.stretches(start, stop, end)]
        read = self._batches(single, depth, self.room)
        return [_Step(b, b[0][0].end - depth, carried=False) for b in read] + carried

    def _batches(self, pending: Batch, depth: int, room: int) -> Iterator[Batch]:
        """Neighbours whose ends differ from the first one's by less than what a pass costs."""
        batch: Batch = []
        lost = 0
        for stretch, row in pending:
            if batch:
                first = batch[0][0].end
                lost += abs(stretch.end - first) * max(1, stretch.branches - 1)
                rows = min(room // self._kind.size(first), self._width // (first - depth))
                if lost > self._pass_tokens or len(batch) >= rows:
                    yield batch
                    batch, lost = [], 0
            batch.append((stretch, row))
        if batch:
            yield batch

    def _read(self, step: _Step, depth: int, cache: Any) -> tuple[list[int], torch.Tensor, Any]:
        """The sequences that end in the pass, the logits after each, and the cache after it."""
        # behind the end of a sequence nothing is read
        ids = np.zeros((len(step.batch), step.width), np.int64)
        places, at = [], []
        for row, (stretch, _) in enumerate(step.batch):
            tokens = self.paths.tokens[stretch.start][depth : depth + step.width]
            ids[row, : len(tokens)] = tokens
            for length, several in self.paths.reads[stretch.start]:
                if depth < length <= depth + step.width:
                    places += [(row, length - depth - 1)] * len(several)
                    at += several
        return at, *_forward(self._model, self._kind, ids, cache, depth, places=places)


_KINDS: WeakKeyDictionary[Any, CacheKind] = WeakKeyDictionary()


def cache_kind(model: Any) -> CacheKind:
    """What the model's cache is like, found out by passes over one and two tokens."""
    if model not in _KINDS:
        accepted = inspect.signature(model.forward).parameters
        name = "past_key_values" if "past_key_values" in accepted else "cache_params"
        kind = CacheKind(name, "position_ids" in accepted, main_device(model).type == "cpu")
        token = np.zeros((1, 1), np.int64)
        try:
            _, cache = _forward(model, kind, token, None)
        except TypeError:
            kind = replace(kind, takes_chunks=False)
            _, cache = _forward(model, kind, token, None)
        first = cache_bytes(cache)
        _, cache = _forward(model, kind, token, cache, depth=1)
        per_token = cache_bytes(cache) - first
        _KINDS[model] = replace(kind, fixed=first - per_token, per_token=per_token)
    return _KINDS[model]


def cache_bytes(cache: Any) -> int:
    """The bytes of a cache's tensors."""
    return sum(
        tensor.nbytes
        for layer in cache.layers
        for value in vars(layer).values()
        for tensor in (value.values() if isinstance(value, dict) else (value,))
        if isinstance(tensor, torch.Tensor)
    )


def _forward(
    model: Any,
    kind: CacheKind,
    ids: Rows,
    cache: Any,
    depth: int = 0,
    *,
    places: Sequence[tuple[int, int]] = (),
) -> tuple[torch.Tensor, Any]:
    """The logits at these rows and columns of the pass, and the cache after it."""
    depths = np.broadcast_to(np.arange(depth, depth + ids.shape[1]), ids.shape)
    # a pass without reads has one, too, since not every layer takes no rows at all
    at = np.array(places or [(0, 0)])
    tokens, positions, read = to_device_together([ids, depths, at], main_device(model))
    more: dict[str, Any] = {} if cache is None else {kind.name: cache}
    # not every model counts on from its cache by itself
    if kind.takes_positions:
        more["position_ids"] = positions
    if kind.takes_chunks and ids.shape[1] < _CHUNK:
        more["chunk_size"] = -(-ids.shape[1] // _SHORT_CHUNK) * _SHORT_CHUNK

    def take(_: Any, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        hidden, *others = inputs
        rows, columns = read.to(hidden.device).unbind(1)
        return (hidden[rows, columns][None], *others)

    # the output head gets the places that are read, as one row, and nothing else
    hook = model.get_output_embeddings().register_forward_pre_hook(take)
    try:
        output = model(input_ids=tokens, use_cache=True, **more)
    finally:
        hook.remove()
    return output.logits[0], output[kind.name]


def _expanded(cache: Any, rows: Sequence[int], device: torch.device) -> Any:
    """A cache of these rows; what it is made of stays as it is."""
    if cache is None:
        return None
    expanded = copy.copy(cache)
    expanded.layers = [copy.copy(layer) for layer in cache.layers]
    for layer in expanded.layers:
        # linear layers have their states in dicts
        vars(layer).update({k: dict(v) for k, v in vars(layer).items() if isinstance(v, dict)})
    expanded.reorder_cache(to_device(np.array(rows), device))
    return expanded
