"""The plain way through a model, which any can go: rows padded on the right to one length."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from .devices import main_device, rows_to_read, sent_together
from .prefix_tree import Ids

PLAIN_BATCH = 8

Piece = tuple[list[int], torch.Tensor]
"""Which sequences have been read, and the logits after each of them."""


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
    keeps = "logits_to_keep" in inspect.signature(model.forward).parameters
    lengths = [len(sequences[i]) for i in by_length]
    for start, end in row_batches(lengths, batch_size=batch_size, batch_tokens=batch_tokens):
        batch = by_length[start:end]
        width = len(sequences[batch[-1]])
        ids = np.zeros((len(batch), width), np.int64)
        for row, index in enumerate(batch):
            ids[row, : len(sequences[index])] = sequences[index]
        last = np.array([len(sequences[index]) - 1 for index in batch])
        places, at = np.unique(last, return_inverse=True)
        seen = (np.arange(width) <= last[:, None]).astype(np.int64)
        # a model that gives the logits of all places would take it for anything else
        kept, at = ({"logits_to_keep": rows_to_read(model, places)}, at) if keeps else ({}, last)
        tokens, mask, rows, columns = sent_together([ids, seen, np.arange(len(batch)), at], device)
        logits = model(input_ids=tokens, attention_mask=mask, use_cache=False, **kept).logits
        yield batch, logits[rows, columns]


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
