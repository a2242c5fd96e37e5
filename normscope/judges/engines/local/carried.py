"""Shared beginnings computed once by models that cannot read a tree: their cache is kept.

A linear layer has one state for each row, which every token changes, so that branches cannot stand
in one row. But the cache after a shared beginning (keys, values and states) can be expanded over
what continues it. Any model whose cache the library can reorder will do.
"""

import copy
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch

from .carried_schedule import Limits, Paths, Step, schedule
from .devices import main_device, sent, sent_together
from .narrow import NarrowTail
from .prefix_tree import Ids, Rows
from .rows import PLAIN_BATCH, Piece

# what a pass costs beside its tokens, counted in tokens
_PASS, _PASS_CPU = 1024, 32

# the chunked rules of linear layers fill a row up to so many tokens, or to what they are told
_CHUNK, _SHORT_CHUNK = 64, 16


@dataclass(frozen=True, slots=True)
class _Cached:
    """What a model's cache is called, and the bytes of a row: fixed ones, and each token's.

    `placed` is whether positions are given, `chunked` whether chunks can be made short.
    """

    name: str
    placed: bool
    chunked: bool
    fixed: int = 0
    each: int = 0


@torch.inference_mode()
def carried_pieces(
    model: Any,
    sequences: Sequence[Ids],
    *,
    pack_tokens: int,
    tail: NarrowTail | None = None,
    pass_tokens: int | None = None,
) -> Iterator[Piece]:
    """The logits after the sequences, each shared stretch computed once where that is worth it.

    A pass takes at most `PLAIN_BATCH` × `pack_tokens` tokens, on a CPU `pack_tokens`, or one
    sequence. All caches that are alive, kept or in a pass, take at most as much memory as keys and
    values of `PLAIN_BATCH` × `pack_tokens` tokens would with the model's full width in every layer,
    or four times as much as the longest sequence's own if that is more. `pass_tokens` is what a
    pass counts as, in tokens.
    """
    if not sequences:
        return
    device, paths, cached = main_device(model), Paths(sequences), _cached(model)
    caches: list[Any] = [None]
    for step in schedule(paths, _limits(model, paths, pack_tokens, pass_tokens)):
        cache = _expanded(caches[-1], step.parents, device)
        # what nothing else goes on from is free before the pass
        if step.last:
            caches.pop()
        reads = _reads(paths, step)
        logits, cache = _forward(
            model, cached, _tokens(paths, step), cache, depth=step.depth, reads=reads, tail=tail
        )
        if step.kept:
            caches.append(cache)
        del cache
        if reads:
            rows = np.array([row for row, (_, _, at) in enumerate(reads) for _ in at])
            at = [index for _, _, several in reads for index in several]
            yield at, logits if len(rows) == len(reads) else logits[sent(rows, device)]


def _limits(model: Any, paths: Paths, pack_tokens: int, pass_tokens: int | None) -> Limits:
    on_cpu, cached = main_device(model).type == "cpu", _cached(model)
    config, most = model.config.get_text_config(), PLAIN_BATCH * pack_tokens
    full = 2 * config.num_hidden_layers * config.hidden_size * model.dtype.itemsize
    longest = cached.fixed + max(map(len, paths.tokens)) * cached.each
    return Limits(
        pass_tokens=pass_tokens if pass_tokens is not None else _PASS_CPU if on_cpu else _PASS,
        # what is wider leaves a processor's cache, and fills a GPU
        width=pack_tokens if on_cpu else most,
        room=max(most * full // 2, 2 * longest),
        fixed=cached.fixed,
        each=cached.each,
    )


_known: WeakKeyDictionary[Any, _Cached] = WeakKeyDictionary()


def _cached(model: Any) -> _Cached:
    if model not in _known:
        accepted = inspect.signature(model.forward).parameters
        name = "past_key_values" if "past_key_values" in accepted else "cache_params"
        cached = _Cached(name, "position_ids" in accepted, chunked=main_device(model).type == "cpu")
        token = np.zeros((1, 1), np.int64)
        try:
            _forward(model, cached, token, None)
        except TypeError:
            cached = replace(cached, chunked=False)
        _, cache = _forward(model, cached, token, None)
        first = size_of(cache)
        _, cache = _forward(model, cached, token, cache, depth=1)
        each = size_of(cache) - first
        _known[model] = replace(cached, fixed=first - each, each=each)
    return _known[model]


def size_of(cache: Any) -> int:
    """The bytes of a cache's tensors."""
    return sum(
        tensor.nbytes
        for layer in cache.layers
        for value in vars(layer).values()
        for tensor in (value.values() if isinstance(value, dict) else (value,))
        if isinstance(tensor, torch.Tensor)
    )


def _reads(paths: Paths, step: Step) -> list[tuple[int, int, list[int]]]:
    """Which rows are read at which places, and the sequences that end there."""
    return [
        (row, length - step.depth - 1, several)
        for row, stretch in enumerate(step.stretches)
        for length, several in paths.reads[stretch.start]
        if step.depth < length <= step.depth + step.width
    ]


def _tokens(paths: Paths, step: Step) -> Rows:
    """The tokens of the rows, filled up behind the end of a sequence, where nothing is read."""
    ids = np.zeros((len(step.stretches), step.width), np.int64)
    for row, stretch in enumerate(step.stretches):
        tokens = paths.tokens[stretch.start][step.depth : step.depth + step.width]
        ids[row, : len(tokens)] = tokens
    return ids


def _forward(
    model: Any,
    cached: _Cached,
    ids: Rows,
    cache: Any,
    *,
    depth: int = 0,
    reads: Sequence[tuple[int, int, list[int]]] = (),
    tail: NarrowTail | None = None,
) -> tuple[torch.Tensor, Any]:
    """The logits at the reads, and the cache after the pass."""
    # a pass without reads has one, too, since not every layer takes no rows at all
    rows, places = (np.array([read[i] for read in reads] or [0]) for i in (0, 1))
    at = np.broadcast_to(np.arange(depth, depth + ids.shape[1]), ids.shape)
    tokens, positions, row, place, narrow = sent_together(
        [ids, at, rows, places, np.unique(places)], main_device(model)
    )
    more: dict[str, Any] = {} if cache is None else {cached.name: cache}
    # not every model counts on from its cache by itself
    if cached.placed:
        more["position_ids"] = positions
    if cached.chunked and ids.shape[1] < _CHUNK:
        more["chunk_size"] = -(-ids.shape[1] // _SHORT_CHUNK) * _SHORT_CHUNK
    with _reading(model, row, place), tail.reading(narrow) if tail else nullcontext():
        output = model(input_ids=tokens, use_cache=True, **more)
    return output.logits[0], output[cached.name]


@contextmanager
def _reading(model: Any, rows: torch.Tensor, places: torch.Tensor) -> Iterator[None]:
    """Inside, the output head gets the places that are read, as one row, and nothing else."""

    def take(_: Any, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        hidden, *others = inputs
        return (hidden[rows.to(hidden.device), places.to(hidden.device)][None], *others)

    hook = model.get_output_embeddings().register_forward_pre_hook(take)
    try:
        yield
    finally:
        hook.remove()


def _expanded(cache: Any, parents: Sequence[int], device: torch.device) -> Any:
    """A cache of its own for each of the rows; what it is made of stays as it is."""
    if cache is None:
        return None
    expanded = copy.copy(cache)
    expanded.layers = [_apart(layer) for layer in cache.layers]
    expanded.reorder_cache(sent(np.array(parents), device))
    return expanded


def _apart(layer: Any) -> Any:
    apart = copy.copy(layer)
    # linear layers have their states in dicts
    for name, value in vars(apart).items():
        if isinstance(value, dict):
            setattr(apart, name, dict(value))
    return apart
