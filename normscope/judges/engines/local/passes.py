"""Packs of a prefix tree on their way through a model, one after the other."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from .devices import main_device, rows_to_read, to_device, to_device_together
from .prefix_tree import Ids, Pack, plan_packs
from .rows import Piece
from .tree_attention import NAME, PackPass


def tree_pieces(model: Any, sequences: Sequence[Ids], *, pack_tokens: int) -> Iterator[Piece]:
    """The logits after the sequences, each shared prefix computed once."""
    for pack, _, logits in tree_passes(model, sequences, pack_tokens=pack_tokens):
        if len(pack.order):
            yield pack.order.tolist(), logits


@torch.inference_mode()
def tree_passes(
    model: Any, sequences: Sequence[Ids], *, pack_tokens: int
) -> Iterator[tuple[Pack, PackPass, torch.Tensor]]:
    """Each pack of the sequences' tree, its finished pass, and the logits after `pack.order`.

    A pass is begun when the one before has been taken, and goes on from its keys and values.
    """
    device, before = main_device(model), None
    for pack in plan_packs(sequences, pack_tokens=pack_tokens):
        step = PackPass(pack, before, device=device, dtype=model.dtype)
        ends, where = np.unique(pack.ends, return_inverse=True)
        ends = step.row_of(ends)
        tokens, depth = to_device_together([pack.tokens[step.rows], pack.depth[step.rows]], device)
        with attending(model):
            output = model(
                input_ids=tokens[None],
                position_ids=depth[None],
                # without one, positions that begin anew would be taken for several texts in a row
                attention_mask=torch.ones_like(tokens)[None],
                logits_to_keep=rows_to_read(model, ends),
                use_cache=False,
                tree=step,
            )
        step.close()
        before = step
        logits = output.logits[0]
        # sequences that end at one node share its row
        if len(ends) < len(where):
            logits = logits[to_device(where, device)]
        yield pack, step, logits


@contextmanager
def attending(model: Any) -> Iterator[None]:
    """Attention over trees inside; the model's own again outside."""
    before = model.config._attn_implementation
    model.set_attn_implementation(NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)
