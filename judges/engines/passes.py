"""The two ways through a model: packs of a prefix tree, or plain rows padded to one length."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import torch

from ..prefix_tree import Ids, Pack, plan
from ..tree_attention import NAME, PackPass
from .memory import is_out_of_memory
from .narrow import NarrowTail
from .placing import main_device, rows_to_read

PLAIN_BATCH = 8

# what `try_pass` takes for a long prompt, and how many tokens lie between two reads
_LONG_PATH, _BRANCH = 4096, 8

Piece = tuple[list[int], torch.Tensor]
"""Which sequences have been read, and the logits after each of them."""


def tree_pieces(
    model: Any, sequences: Sequence[Ids], *, pack_tokens: int, tail: NarrowTail | None = None
) -> Iterator[Piece]:
    """The logits after the sequences, each shared prefix computed once."""
    for pack, _, logits in tree_passes(model, sequences, pack_tokens=pack_tokens, tail=tail):
        if len(pack.order):
            yield pack.order.tolist(), logits


@torch.inference_mode()
def tree_passes(
    model: Any, sequences: Sequence[Ids], *, pack_tokens: int, tail: NarrowTail | None = None
) -> Iterator[tuple[Pack, PackPass, torch.Tensor]]:
    """Each pack of the sequences' tree, its finished pass, and the logits after `pack.order`.

    A pass is begun when the one before has been taken, and goes on from its keys and values.
    """
    device, before = main_device(model), None
    for pack in plan(sequences, pack_tokens=pack_tokens):
        ends, where = np.unique(pack.ends, return_inverse=True)
        read = torch.from_numpy(ends).to(device)
        step = PackPass(pack, before, device=device, dtype=model.dtype)
        with attending(model), tail.reading(read) if tail else nullcontext():
            output = model(
                input_ids=torch.from_numpy(pack.tokens)[None].to(device),
                position_ids=torch.from_numpy(pack.depth)[None].to(device),
                logits_to_keep=rows_to_read(model, ends),
                use_cache=False,
                tree=step,
            )
        step.close()
        before = step
        logits = output.logits[0]
        # sequences that end at one node share its row
        if len(ends) < len(where):
            logits = logits[torch.from_numpy(where).to(device)]
        yield pack, step, logits


@torch.inference_mode()
def row_pieces(
    model: Any,
    sequences: Sequence[Ids],
    *,
    batch_size: int = PLAIN_BATCH,
    batch_tokens: int | None = None,
) -> Iterator[Piece]:
    """The plain forward pass: right-padded rows of like length, read at their last tokens."""
    # equal lengths by their ids, so that batches do not hang on the order of requests
    by_length = sorted(range(len(sequences)), key=lambda i: (len(sequences[i]), sequences[i]))
    device = main_device(model)
    lengths = [len(sequences[i]) for i in by_length]
    for start, end in row_batches(lengths, batch_size=batch_size, batch_tokens=batch_tokens):
        batch = by_length[start:end]
        width = len(sequences[batch[-1]])
        ids = torch.zeros((len(batch), width), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, index in enumerate(batch):
            ids[row, : len(sequences[index])] = torch.tensor(sequences[index])
            mask[row, : len(sequences[index])] = 1
        last = [len(sequences[index]) - 1 for index in batch]
        places = sorted(set(last))
        logits = model(
            input_ids=ids.to(device),
            attention_mask=mask.to(device),
            logits_to_keep=rows_to_read(model, np.array(places)),
            use_cache=False,
        ).logits
        at = [places.index(position) for position in last]
        yield batch, logits[range(len(batch)), at]


def try_pass(
    model: Any, *, packed: bool, pack_tokens: int, context: int | None, tail: NarrowTail | None
) -> None:
    """Passes that take as much memory as those of a run will, to see whether it is there.

    Packed: branches read at their ends, after a path as long as a long prompt. Else: a whole batch
    of padded rows.
    """
    size = model.get_input_embeddings().num_embeddings
    room = context or _LONG_PATH
    if packed:
        path = tuple(i % size for i in range(min(room - _BRANCH, max(pack_tokens, _LONG_PATH))))
        branches = [
            (*path, i % size, i // size % size, *(0,) * (_BRANCH - 2))
            for i in range(max(1, pack_tokens // _BRANCH))
        ]
        pieces = tree_pieces(model, branches, pack_tokens=pack_tokens, tail=tail)
    else:
        rows = [(i % size, *(0,) * (min(room, pack_tokens) - 1)) for i in range(PLAIN_BATCH)]
        pieces = row_pieces(model, rows, batch_tokens=PLAIN_BATCH * pack_tokens)
    for _, logits in pieces:
        logits.float().logsumexp(-1)


def can_pack(model: Any, *, pack_tokens: int, tail: NarrowTail | None = None) -> bool:
    """Whether the tree gives what plain rows give, by the model's config and by trying it."""
    return _is_plain(model) and _agrees(model, pack_tokens, tail)


@contextmanager
def attending(model: Any) -> Iterator[None]:
    """Attention over trees inside; the model's own again outside."""
    before = model.config._attn_implementation
    model.set_attn_implementation(NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)


def _is_plain(model: Any) -> bool:
    """Whether every layer is plain causal attention over all tokens, placed by position ids."""
    config = model.config.get_text_config()
    layers = getattr(config, "layer_types", None)
    # sliding or linear layers do not see every ancestor
    if layers is not None and set(layers) != {"full_attention"}:
        return False
    windowed = getattr(config, "sliding_window", None) is not None and layers is None
    if windowed or getattr(config, "attention_chunk_size", None):
        return False
    accepted = inspect.signature(model.forward).parameters
    return {"position_ids", "logits_to_keep"} <= set(accepted)


def _agrees(model: Any, pack_tokens: int, tail: NarrowTail | None) -> bool:
    """Whether packs over a small tree give what plain rows give, over more than one pack."""
    size = model.get_input_embeddings().num_embeddings
    stem = tuple(int(i) for i in np.arange(7, 97) * 7919 % size)
    tails = ((1,), (2, 3), (2, 5), (2, 5), (4,) * 40, (4,) * 40 + (6,))
    tree = [(*stem, *(token % size for token in tail)) for tail in tails]
    try:
        packed = _by_sequence(
            tree_pieces(model, tree, pack_tokens=min(pack_tokens, 100), tail=tail)
        )
    except (RuntimeError, TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        if is_out_of_memory(error):
            raise
        return False
    rows = _by_sequence(row_pieces(model, tree, batch_size=1))
    # between two orders of summation bfloat16 itself differs by about a hundredth
    near = 1e-3 if model.dtype == torch.float32 else 0.1
    return all(
        torch.allclose(
            packed[i].float().softmax(-1), rows[i].float().softmax(-1), rtol=near, atol=near / 10
        )
        for i in range(len(tree))
    )


def _by_sequence(pieces: Iterator[Piece]) -> dict[int, torch.Tensor]:
    return {i: row for at, rows in pieces for i, row in zip(at, rows, strict=True)}


def row_batches(
    widths: Sequence[int], *, batch_size: int | None = None, batch_tokens: int | None = None
) -> Iterator[tuple[int, int]]:
    """Where to cut rows, whose widths grow, so that no batch is too large when padded.

    A row that is too wide for `batch_tokens` goes alone.

    >>> list(row_batches([2, 2, 4, 9], batch_size=8, batch_tokens=8))
    [(0, 2), (2, 3), (3, 4)]
    """
    start = 0
    for end, width in enumerate(widths):
        rows = end - start
        wide = batch_tokens is not None and (rows + 1) * width > batch_tokens
        if rows and (rows == batch_size or wide):
            yield start, end
            start = end
    if widths:
        yield start, len(widths)
