"""Shared beginnings computed once by models that cannot read a tree: their cache is kept.

A linear layer has one state for each row, which every token changes, so that branches cannot stand
in one row. But the cache after a shared beginning (keys, values and states) can be expanded over
what continues it. Any model whose cache the library can reorder will do.
"""

import copy
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch

from ..prefix_tree import Ids
from ..stretches import Continuation, Group, Paths, continuations
from .placing import main_device
from .rows import PLAIN_BATCH, Piece

# what a pass costs beside its tokens, counted in tokens
_PASS, _PASS_CPU = 1024, 16


@dataclass(slots=True)
class _State:
    """A kept cache at one depth, and the passes that go on from it, the last one first."""

    cache: Any
    depth: int
    size: int
    passes: list[tuple[Continuation, bool]] = field(default_factory=list)


@torch.inference_mode()
def carried_pieces(
    model: Any, sequences: Sequence[Ids], *, pack_tokens: int, pass_tokens: int | None = None
) -> Iterator[Piece]:
    """The logits after the sequences, each shared stretch computed once where that is worth it.

    A pass takes at most `PLAIN_BATCH` × `pack_tokens` tokens, or one sequence. All caches that are
    alive, kept or in a pass, take at most as much memory as keys and values of so many tokens would
    with the model's full width in every layer, or four times as much as the longest sequence's own
    if that is more. `pass_tokens` is what a pass counts as, in tokens.
    """
    if not sequences:
        return
    device = main_device(model)
    if pass_tokens is None:
        pass_tokens = _PASS_CPU if device.type == "cpu" else _PASS
    paths, width = Paths(sequences), PLAIN_BATCH * pack_tokens
    fixed, each = _footprint(model)
    config = model.config.get_text_config()
    full = 2 * config.num_hidden_layers * config.hidden_size * model.dtype.itemsize
    longest = max(map(len, paths.tokens))
    half = max(width * full // 2, 2 * (fixed + longest * each))

    def begun(cache: Any, depth: int, groups: list[Group], kept: int) -> _State:
        """What goes on from the cache; `kept` is the size of all that are kept, this one too."""
        carried, read = continuations(
            paths,
            groups,
            depth,
            pass_tokens=pass_tokens,
            most_kept=lambda end: (half - kept) // (fixed + end * each),
            most_read=lambda end: half // (fixed + end * each),
            width=width,
        )
        passes = [(step, True) for step in carried] + [(step, False) for step in read]
        return _State(cache, depth, size_of(cache), passes)

    states = [begun(None, 0, [Group(0, 0, len(paths.tokens))], 0)]
    while states:
        state = states[-1]
        step, carry = state.passes.pop()
        # what nothing else goes on from is free before the pass
        if not state.passes:
            states.pop()
        depth = state.depth
        cache = _expanded(state.cache, step.parents, device)
        del state
        reads = _reads(paths, step, depth)
        ids = _tokens(paths, step, depth).to(device)
        logits, cache = _forward(model, ids, depth, cache, reads, carry=carry)
        if reads:
            rows = [row for row, (_, _, several) in enumerate(reads) for _ in several]
            at = [index for _, _, several in reads for index in several]
            yield at, logits if len(rows) == len(reads) else logits[rows]
        if carry:
            groups = [Group(row, s.start, s.stop) for row, s in enumerate(step.stretches)]
            kept = size_of(cache) + sum(other.size for other in states)
            states.append(begun(cache, depth + step.width, groups, kept))


def size_of(cache: Any) -> int:
    """The bytes of a cache's tensors."""
    return sum(
        tensor.nbytes
        for layer in (cache.layers if cache is not None else ())
        for value in vars(layer).values()
        for tensor in (value.values() if isinstance(value, dict) else (value,))
        if isinstance(tensor, torch.Tensor)
    )


_footprints: WeakKeyDictionary[Any, tuple[int, int]] = WeakKeyDictionary()


def _footprint(model: Any) -> tuple[int, int]:
    """The bytes of a row of the model's cache, and those that each token adds."""
    if model not in _footprints:
        token = torch.zeros((1, 1), dtype=torch.long, device=main_device(model))
        _, cache = _forward(model, token, 0, None, [], carry=True)
        first = size_of(cache)
        _, cache = _forward(model, token, 1, cache, [], carry=True)
        each = size_of(cache) - first
        _footprints[model] = first - each, each
    return _footprints[model]


def _reads(paths: Paths, step: Continuation, depth: int) -> list[tuple[int, int, list[int]]]:
    """Which rows are read at which places, and the sequences that end there."""
    return [
        (row, length - depth - 1, several)
        for row, stretch in enumerate(step.stretches)
        for length, several in paths.reads[stretch.start]
        if depth < length <= depth + step.width
    ]


def _tokens(paths: Paths, step: Continuation, depth: int) -> torch.Tensor:
    """The tokens of the rows, filled up behind the end of a sequence, where nothing is read."""
    ids = np.zeros((len(step.stretches), step.width), np.int64)
    for row, stretch in enumerate(step.stretches):
        tokens = paths.tokens[stretch.start][depth : depth + step.width]
        ids[row, : len(tokens)] = tokens
    return torch.from_numpy(ids)


def _forward(
    model: Any,
    ids: torch.Tensor,
    depth: int,
    cache: Any,
    reads: Sequence[tuple[int, int, list[int]]],
    *,
    carry: bool,
) -> tuple[torch.Tensor, Any]:
    """The logits at the reads, and the cache after the pass where it is carried on."""
    accepted = inspect.signature(model.forward).parameters
    name = "past_key_values" if "past_key_values" in accepted else "cache_params"
    more = {} if cache is None else {name: cache}
    # not every model counts on from its cache by itself
    if "position_ids" in accepted:
        places = torch.arange(depth, depth + ids.shape[1], device=ids.device)
        more["position_ids"] = places.expand(ids.shape)
    with _reading(model, reads or [(0, 0, [])]):
        output = model(input_ids=ids, use_cache=carry or cache is not None, **more)
    return output.logits[0], output[name] if carry else None


@contextmanager
def _reading(model: Any, reads: Sequence[tuple[int, int, list[int]]]) -> Iterator[None]:
    """Inside, the output head gets the places that are read, as one row, and nothing else."""
    rows, places = (torch.tensor([read[i] for read in reads]) for i in (0, 1))

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
    expanded.reorder_cache(torch.tensor(parents, device=device))
    return expanded


def _apart(layer: Any) -> Any:
    apart = copy.copy(layer)
    # linear layers have their states in dicts
    for name, value in vars(apart).items():
        if isinstance(value, dict):
            setattr(apart, name, dict(value))
    return apart
