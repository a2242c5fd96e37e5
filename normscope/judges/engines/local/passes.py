"""Sequences on their way through a model: the packs of their prefix tree, or plain rows.

Any model can go the plain way: rows of one length, with nothing shared. Some texts must be alone:
with longrope and dynamic rotary positions, what a token becomes hangs on how long the text is that
it begins. With attention that is tuned to long texts (Llama 4), it hangs on the place in the row.
Texts up to the length at which that sets in are alike; a longer one shares nothing with them.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import numpy as np
import torch

from .devices import main_device, rows_to_read, to_device, to_device_together
from .prefix_tree import Ids, plan_packs
from .tree_attention import NAME, PackPass

PLAIN_BATCH = 8

Piece = tuple[list[int], torch.Tensor]
"""Which sequences have been read, and the logits after each of them."""


@torch.inference_mode()
def row_pieces(
    model: Any, sequences: Sequence[Ids], *, pack_tokens: int, batch_size: int | None = None
) -> Iterator[Piece]:
    """The plain forward pass over whole sequences, read at their last tokens.

    A batch takes at most `PLAIN_BATCH` × `pack_tokens` tokens, or one row. All of its rows have the
    same length: some models give something else where a row is filled up.
    """
    keeps = "logits_to_keep" in inspect.signature(model.forward).parameters
    # equal lengths by their ids, so that batches do not hang on the order of requests
    order = sorted(range(len(sequences)), key=lambda i: (len(sequences[i]), sequences[i]))
    for width, group in groupby(order, key=lambda i: len(sequences[i])):
        alike = list(group)
        step = batch_size or max(1, PLAIN_BATCH * pack_tokens // width)
        for batch in (alike[start : start + step] for start in range(0, len(alike), step)):
            ids = np.array([sequences[i] for i in batch])
            (tokens,) = to_device_together([ids], main_device(model))
            # a model that gives the logits of all places would take it for anything else
            kept = {"logits_to_keep": rows_to_read(model, np.array([width - 1]))} if keeps else {}
            logits = model(
                input_ids=tokens,
                attention_mask=torch.ones_like(tokens),
                use_cache=False,
                **kept,
            ).logits
            yield batch, logits[:, -1]


def tree_pieces(model: Any, sequences: Sequence[Ids], *, pack_tokens: int) -> Iterator[Piece]:
    """The logits after the sequences, each shared prefix computed once."""
    for step, logits in tree_passes(model, sequences, pack_tokens=pack_tokens):
        if len(step.pack.order):
            yield step.pack.order.tolist(), logits


@torch.inference_mode()
def tree_passes(
    model: Any, sequences: Sequence[Ids], *, pack_tokens: int
) -> Iterator[tuple[PackPass, torch.Tensor]]:
    """The finished pass of each pack of the sequences' tree, and the logits after `pack.order`.

    A pass is begun when the one before has been taken, and goes on from its keys and values.
    """
    device, before = main_device(model), None
    for pack in plan_packs(sequences, pack_tokens=pack_tokens):
        step = PackPass(pack, before, device=device, dtype=model.dtype)
        # sequences that end at one node follow one another, and share its row
        is_new = np.diff(pack.ends, prepend=-1) != 0
        tokens, depth = to_device_together([pack.tokens, pack.depth], device)
        with attending(model):
            output = model(
                input_ids=tokens[None],
                position_ids=depth[None],
                # without one, positions that begin anew would be taken for several texts in a row
                attention_mask=torch.ones_like(tokens)[None],
                logits_to_keep=rows_to_read(model, pack.ends[is_new]),
                use_cache=False,
                tree=step,
            )
        step.close()
        before = step
        logits = output.logits[0]
        if not is_new.all():
            logits = logits[to_device(is_new.cumsum() - 1, device)]
        yield step, logits


@contextmanager
def attending(model: Any) -> Iterator[None]:
    """Attention over trees inside; the model's own again outside."""
    before = model.config._attn_implementation
    model.set_attn_implementation(NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)


_STRETCHING = ("longrope", "dynamic")


def max_stable_length(model: Any) -> int | None:
    """The most tokens of which positions do not hang on the text's length; null if they never do.

    >>> from transformers import LlamaConfig
    >>> from types import SimpleNamespace
    >>> rope = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}
    >>> config = LlamaConfig(rope_parameters=rope, max_position_embeddings=64)
    >>> max_stable_length(SimpleNamespace(config=config))
    64
    """
    config = model.config.get_text_config()
    lengths = [
        each.get("original_max_position_embeddings") or config.max_position_embeddings
        for each in _rotary(getattr(config, "rope_parameters", None) or {})
        if each.get("rope_type") in _STRETCHING
    ]
    if (tuned := max_untuned_length(config)) is not None:
        lengths.append(tuned)
    return min(lengths, default=None)


@torch.inference_mode()
def reset_rope(model: Any) -> None:
    """Undoes what a long text has stretched, so that the next one is read as if it were the first.

    Dynamic positions stay as far stretched as they were until a short text is read.
    """
    config = model.config.get_text_config()
    parameters = _rotary(getattr(config, "rope_parameters", None) or {})
    if any(each.get("rope_type") == "dynamic" for each in parameters):
        model(input_ids=torch.zeros((1, 1), dtype=torch.long, device=main_device(model)))


def max_untuned_length(config: Any) -> int | None:
    """The most tokens that are attended without being scaled by their places; null if all are."""
    if not getattr(config, "attn_temperature_tuning", None):
        return None
    # the scale is 1 + c × log(1 + ⌊(place + 1) / floor_scale⌋)
    return int(config.floor_scale) - 1


def split_by_length(lengths: Sequence[int], longest: int | None) -> tuple[list[int], list[int]]:
    """The numbers of what is at most so long, and of what is longer.

    >>> split_by_length([1, 3, 2], 2)
    ([0, 2], [1])
    """
    parts: tuple[list[int], list[int]] = ([], [])
    for number, length in enumerate(lengths):
        parts[longest is not None and length > longest].append(number)
    return parts


def _rotary(parameters: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The rotary parameters, which some models have for each kind of layer."""
    if "rope_type" in parameters:
        yield parameters
    else:
        yield from (each for each in parameters.values() if isinstance(each, Mapping))
