"""The plain way through a model, which any can go: rows of one length, with nothing shared."""

import inspect
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import torch

from .devices import main_device, rows_to_read, to_device_together
from .prefix_tree import Ids

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


def are_close(tried: torch.Tensor, plain: torch.Tensor, dtype: torch.dtype) -> bool:
    """Whether these logits of a model of this dtype give the probabilities of the plain ones."""
    # between two orders of summation bfloat16 itself differs by about a hundredth
    near = 1e-3 if dtype == torch.float32 else 0.1
    ours, theirs = (logits.float().softmax(-1) for logits in (tried, plain))
    return torch.allclose(ours, theirs, rtol=near, atol=near / 10)
