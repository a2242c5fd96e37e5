"""Which way sequences go through a model: tried on a small tree, never assumed."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch

from ....format import number
from ....messages import joined, known, marked, message
from .carried import carried_pieces
from .memory import is_out_of_memory
from .passes import tree_pieces
from .prefix_tree import Ids
from .rope import max_stable_length, max_untuned_length, reset_rope, split_by_length
from .rows import Piece, are_close, row_pieces

_CAUSAL_LAYERS = {"full_attention", "sliding_attention", "chunked_attention"}
"""Layers in which a token sees others, however many of them."""


class Way(StrEnum):
    """How sequences are computed; the first that gives what plain rows give is taken."""

    TREE = marked("prefix tree")
    CARRIED = marked("carried states")
    ROWS = marked("plain rows")


class Choice(NamedTuple):
    """The way that is taken, and why it is not a prefix tree, where it is none."""

    way: Way
    why: str = ""


READERS: dict[Way, Callable[..., Iterator[Piece]]] = {
    Way.TREE: tree_pieces,
    Way.CARRIED: carried_pieces,
    Way.ROWS: row_pieces,
}
"""What computes in each way: the logits after sequences, in passes of `pack_tokens`."""


def choose(model: Any, *, pack_tokens: int) -> Choice:
    """The first way that gives what plain rows give, by the model's config and by trying it."""
    why = _obstacle(model, pack_tokens)
    if why is None:
        if _agrees(READERS[Way.TREE], model, min(pack_tokens, 100)):
            return Choice(Way.TREE)
        why = message("packs give other logits than plain rows")
    # so few tokens for a pass that even what this tree shares is carried
    if _agrees(partial(READERS[Way.CARRIED], pass_tokens=8), model, pack_tokens):
        return Choice(Way.CARRIED, why)
    return Choice(Way.ROWS, message("{reason}, and its cache cannot be carried on", reason=why))


def pieces(way: Way, model: Any, sequences: Sequence[Ids], *, pack_tokens: int) -> Iterator[Piece]:
    """The logits after the sequences, computed that way.

    A text that is longer than what the model positions alike is read alone.
    """
    short, long = split_by_length([*map(len, sequences)], max_stable_length(model))
    reset_rope(model)
    read = READERS[way](model, [sequences[i] for i in short], pack_tokens=pack_tokens)
    yield from (([short[i] for i in at], logits) for at, logits in read)
    # from the shortest on, so that each is longer than what has been stretched
    alone = [sequences[i] for i in long]
    for at, logits in row_pieces(model, alone, pack_tokens=pack_tokens, batch_size=1):
        yield [long[i] for i in at], logits


def _obstacle(model: Any, pack_tokens: int) -> str | None:
    """Why not every layer is causal attention that a tree can have, placed by position ids."""
    config = model.config.get_text_config()
    # a state that runs from token to token cannot part into branches
    if others := sorted(set(getattr(config, "layer_types", None) or ()) - _CAUSAL_LAYERS):
        return message("it has layers of {kinds}", kinds=", ".join(others))
    # its scores are scaled by places in the row, if there are so many
    if (tuned := max_untuned_length(config)) is not None and pack_tokens > tuned:
        return message("its attention is tuned by the places of a row")
    accepted = set(inspect.signature(model.forward).parameters)
    if lacking := sorted({"position_ids", "logits_to_keep"} - accepted):
        return message("its forward pass does not take {names}", names=", ".join(lacking))
    return None


def _small_tree(model: Any) -> list[Ids]:
    """Branches of one, of equal and of other lengths, some shared once more, and a duplicate."""
    size = model.get_input_embeddings().num_embeddings
    stem = tuple(int(i) for i in np.arange(7, 97) * 7919 % size)
    tails: list[Ids] = [(1,), (2, 3), (2, 5), (2, 5), (4,) * 40, (4,) * 40 + (6,)]
    tails += [(*(shared,) * 6, last) for shared in (7, 8) for last in (1, 2)]
    return [(*stem, *(token % size for token in tail)) for tail in tails]


def _agrees(read: Callable[..., Iterator[Piece]], model: Any, pack_tokens: int) -> bool:
    """Whether this gives for the small tree what single rows give."""
    tree = _small_tree(model)
    try:
        tried = _by_sequence(read(model, tree, pack_tokens=pack_tokens))
    except (RuntimeError, TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        if is_out_of_memory(error):
            raise
        return False
    rows = _by_sequence(row_pieces(model, tree, pack_tokens=pack_tokens, batch_size=1))
    return all(are_close(tried[i], rows[i], model.dtype) for i in range(len(tree)))


def _by_sequence(read: Iterator[Piece]) -> dict[int, torch.Tensor]:
    return {i: row for at, rows in read for i, row in zip(at, rows, strict=True)}


def way_and_cost(model: str, choice: Choice, total: int = 0, computed: int = 0) -> str:
    """One line: the way, the tokens of all prompts beside those that were computed, and why.

    `model` is what it is called. Where nothing is computed yet, nothing is said of the cost.

    >>> str(way_and_cost("m", Choice(Way.TREE), 4, 3))
    'm: prefix tree, 1 of 1.33 tokens computed'
    """
    line: str = message("{model}: {way}", model=model, way=known(choice.way))
    if computed:
        ratio = number(total / computed)
        line = joined([line, message("1 of {ratio} tokens computed", ratio=ratio)])
    return message("{line} ({reason})", line=line, reason=choice.why) if choice.why else line
