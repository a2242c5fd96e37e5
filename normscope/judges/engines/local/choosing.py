"""Which way sequences go through a model: tried on a small tree, never assumed."""

import inspect
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import torch

from ....format import number
from ....messages import joined, known, marked, message
from .carried import carried_pieces
from .memory import is_out_of_memory
from .narrow import NarrowTail
from .passes import tree_pieces
from .prefix_tree import Ids, grow
from .rope import max_stable_length, max_untuned_length, reset_rope, split_by_length
from .rows import PLAIN_BATCH, Piece, row_batches, row_pieces

_SEEING = {"full_attention", "sliding_attention", "chunked_attention"}
"""Layers in which a token sees others, however many of them."""

# what `try_pass` takes for a long prompt, and how many tokens lie between two reads
_LONG_PATH, _BRANCH = 4096, 8


class Way(StrEnum):
    """How sequences are computed; the first that gives what single rows give is taken."""

    TREE = marked("prefix tree")
    CARRIED = marked("carried states")
    ROWS = marked("padded rows")
    ALONE = marked("single rows")


class Choice(NamedTuple):
    """The way that is taken, and why it is not a prefix tree, where it is none.

    `tail` is null where the last feed-forward part is needed at other places than those read.
    """

    way: Way
    why: str = ""
    tail: NarrowTail | None = None


def choose(model: Any, *, pack_tokens: int, tail: NarrowTail | None = None) -> Choice:
    """The first way that gives what single rows give, by the model's config and by trying it."""
    why = _obstacle(model, pack_tokens)
    tree, tails = _small_tree(model), dict.fromkeys((tail, None))
    if why is None:
        for some in tails:
            if _agrees(
                tree_pieces(model, tree, pack_tokens=min(pack_tokens, 100), tail=some), model
            ):
                return Choice(Way.TREE, tail=some)
        why = message("packs give other logits than plain rows")
    for some in tails:
        # so few tokens for a pass that even what this tree shares is carried
        if _agrees(
            carried_pieces(model, tree, pack_tokens=pack_tokens, tail=some, pass_tokens=8), model
        ):
            return Choice(Way.CARRIED, why, some)
    why = message("{reason}, and its cache cannot be carried on", reason=why)
    if _agrees(row_pieces(model, tree), model):
        return Choice(Way.ROWS, why)
    return Choice(
        Way.ALONE, message("{reason}, and rows that are filled up give something else", reason=why)
    )


def pieces(
    way: Way,
    model: Any,
    sequences: Sequence[Ids],
    *,
    pack_tokens: int,
    tail: NarrowTail | None = None,
) -> Iterator[Piece]:
    """The logits after the sequences, computed that way.

    A text that is longer than what the model positions alike is read alone.
    """
    alike, alone = split_by_length([*map(len, sequences)], max_stable_length(model))
    reset_rope(model)
    some = [sequences[i] for i in alike]
    if way is Way.TREE:
        read = tree_pieces(model, some, pack_tokens=pack_tokens, tail=tail)
    elif way is Way.CARRIED:
        read = carried_pieces(model, some, pack_tokens=pack_tokens, tail=tail)
    elif way is Way.ALONE:
        read = row_pieces(model, some, batch_size=1)
    else:
        read = row_pieces(model, some, batch_tokens=PLAIN_BATCH * pack_tokens)
    yield from (([alike[i] for i in at], logits) for at, logits in read)
    # from the shortest on, so that each is longer than what has been stretched
    for at, logits in row_pieces(model, [sequences[i] for i in alone], batch_size=1):
        yield [alone[i] for i in at], logits


def try_pass(
    way: Way,
    model: Any,
    *,
    pack_tokens: int,
    context: int | None,
    tail: NarrowTail | None,
) -> None:
    """Passes that take as much memory as those of a run will, to see whether it is there.

    In a tree: branches read at their ends, after a path as long as a long prompt. In rows: a whole
    batch of them. With carried states: both. Single rows: one after the other.
    """
    size = model.get_input_embeddings().num_embeddings
    room = context or _LONG_PATH
    sequences: list[Ids] = []
    if way is not Way.TREE:
        width = min(room, pack_tokens)
        sequences += [(i % size, *(0,) * (width - 1)) for i in range(PLAIN_BATCH)]
    if way in {Way.TREE, Way.CARRIED}:
        path = tuple(i % size for i in range(min(room - _BRANCH, max(pack_tokens, _LONG_PATH))))
        sequences += [
            (*path, i % size, i // size % size, *(0,) * (_BRANCH - 2))
            for i in range(max(1, pack_tokens // _BRANCH))
        ]
    for _, logits in pieces(way, model, sequences, pack_tokens=pack_tokens, tail=tail):
        logits.float().logsumexp(-1)


def _obstacle(model: Any, pack_tokens: int) -> str | None:
    """Why not every layer is causal attention that a tree can have, placed by position ids."""
    config = model.config.get_text_config()
    # a state that runs from token to token cannot part into branches
    if others := sorted(set(getattr(config, "layer_types", None) or ()) - _SEEING):
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


def _agrees(trial: Iterator[Piece], model: Any) -> bool:
    """Whether the trial gives for the small tree what single rows give."""
    tree = _small_tree(model)
    try:
        tried = _by_sequence(trial)
    except (RuntimeError, TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        if is_out_of_memory(error):
            raise
        return False
    rows = _by_sequence(row_pieces(model, tree, batch_size=1))
    # between two orders of summation bfloat16 itself differs by about a hundredth
    near = 1e-3 if model.dtype == torch.float32 else 0.1
    return all(
        torch.allclose(
            tried[i].float().softmax(-1), rows[i].float().softmax(-1), rtol=near, atol=near / 10
        )
        for i in range(len(tree))
    )


def _by_sequence(read: Iterator[Piece]) -> dict[int, torch.Tensor]:
    return {i: row for at, rows in read for i, row in zip(at, rows, strict=True)}


def way_and_cost(model: str, choice: Choice, total: int = 0, computed: int = 0) -> str:
    """One line: the way, the tokens of all prompts beside those that are computed, and why.

    `model` is what it is called. Where nothing is computed yet, nothing is said of the cost.

    >>> str(way_and_cost("m", Choice(Way.TREE), 4, 3))
    'm: prefix tree, 1 of 1.33 tokens computed'
    """
    line: str = message("{model}: {way}", model=model, way=known(choice.way))
    if computed:
        line = joined([line, _share(total, computed)])
    return message("{line} ({reason})", line=line, reason=choice.why) if choice.why else line


def computed_tokens(
    way: Way, sequences: Sequence[Ids], *, pack_tokens: int, alike: int | None = None
) -> int | None:
    """The tokens that pass through the model, padding with them; null where it is not foreseen.

    Up to `alike` tokens texts are positioned alike; longer ones go alone.

    >>> computed_tokens(Way.ROWS, [(7, 8), (7, 9, 3)], pack_tokens=64)
    6
    """
    if alike is not None and max(map(len, sequences)) > alike:
        return None
    if way is Way.TREE:
        return len(grow(sequences).tokens)
    if way is Way.ALONE:
        return sum(map(len, sequences))
    if way is Way.ROWS:
        widths = sorted(map(len, sequences))
        cuts = row_batches(widths, batch_size=PLAIN_BATCH, batch_tokens=PLAIN_BATCH * pack_tokens)
        return sum((end - start) * widths[end - 1] for start, end in cuts)
    # what is carried hangs on the memory that caches take
    return None


def _share(total: int, computed: int) -> str:
    if computed <= total:
        return message("1 of {ratio} tokens computed", ratio=number(total / computed))
    return message("{ratio} tokens computed for each one", ratio=number(computed / total))
