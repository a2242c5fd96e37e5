"""Any causal model that transformers can load, read at the labels of a scale.

Requests that share a beginning share its computation: the prompts and label branches of a unit are
laid out as a prefix tree (`prefix_tree`), and one forward pass reads a whole piece of it. A model
that cannot read one carries its states, or takes plain rows; which way it is, is tried on
a small tree when the model is loaded, never assumed, and stands in `identity`.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers

from ....format import number
from ....messages import joined, known, marked, message
from ....progress import is_hidden, to_stderr
from ....records.model_spec import ModelSpec
from ...engine import LabelRequest, LabelResult, TextRequest, TextResult
from . import replies
from .carried import carried_pieces
from .devices import are_close, is_out_of_memory, out_of_memory_explained, use_onednn
from .loading import Described, load_model
from .passes import (
    Piece,
    max_stable_length,
    max_untuned_length,
    reset_rope,
    row_pieces,
    split_by_length,
    tree_pieces,
)
from .prefix_tree import Ids
from .reads import Prompt, Reader, take_logprobs

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


class TokenCounter:
    """Counts the tokens that pass through a model, padding with them."""

    def __init__(self, model: Any) -> None:
        """The model holds the counter, not the counter the model."""
        self.tokens = 0
        model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, _: Any, inputs: tuple[Any, ...], settings: dict[str, Any]) -> None:
        self.tokens += (inputs[0] if inputs else settings["input_ids"]).numel()


class TransformersEngine:
    """The local engine. `way` is how it computes, and `why` says why not as a prefix tree."""

    def __init__(self, spec: ModelSpec, described: Described) -> None:
        """Loads the model and tokenizer, and probes how the model can be batched."""
        self._spec = spec
        self._model, self._tokenizer, self._identity = load_model(spec, described)
        self._reader = Reader(self._tokenizer, self._identity["context"])
        # a model's attention is set for a pass, and a tokenizer is not made for several threads
        self._lock = Lock()
        self._counter = TokenCounter(self._model)
        # a reply ends where the checkpoint says, or else the tokenizer
        ends = self._model.generation_config.eos_token_id
        ends = self._tokenizer.eos_token_id if ends is None else ends
        self._ends = frozenset(ends if isinstance(ends, list) else {ends} - {None})
        # else what the checkpoint prefers (a repetition penalty, say) would mix with what is asked
        self._model.generation_config = transformers.GenerationConfig()
        with out_of_memory_explained(spec.pack_tokens):
            self._identity["linear"] = use_onednn(self._model)
            self.way, self.why = choose(self._model, pack_tokens=spec.pack_tokens)
        self._identity["batching"] = str(self.way)
        self._identity["pack_tokens"] = spec.pack_tokens
        self._announced = False

    @property
    def name(self) -> str:
        """The model's path or Hub id as the user gave it."""
        return self._spec.model

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that changes the engine's answers."""
        return dict(self._identity)

    @property
    def how(self) -> str:
        """Which way prompts go through the model, and why, in one line."""
        return way_and_cost(self.name, Choice(self.way, self.why))

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """Log-probabilities of every label after every prompt, each shared token computed once."""
        with self._lock, out_of_memory_explained(self._spec.pack_tokens):
            plan = self._reader.plan(requests)
            self._counter.tokens = 0
            read = pieces(self.way, self._model, plan.sequences, pack_tokens=self._spec.pack_tokens)
            take_logprobs(plan, read, self._reader.spell)
            self._announce(sum(map(len, plan.sequences)), self._counter.tokens)
        return plan.results()

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """The replies. What a request draws follows from its prompt and its seed alone."""
        with self._lock, out_of_memory_explained(self._spec.pack_tokens):
            # how long they get is not known
            self._announce()
            prompts = self._reader.prompts(requests)
            written = zip(prompts, self._write([*prompts.values()]), strict=True)
            return self._reader.replies(len(requests), dict(written))

    def _announce(self, total: int = 0, computed: int = 0) -> None:
        """Says how prompts go through the model, and after a unit of labels at what cost."""
        if not self._announced and not is_hidden() and (computed or not total):
            self._announced = True
            to_stderr(way_and_cost(self.name, Choice(self.way, self.why), total, computed))

    def _write(self, prompts: list[Prompt]) -> list[Ids]:
        """The tokens of each reply."""
        plan: dict[str, Any] = {"ends": self._ends, "pack_tokens": self._spec.pack_tokens}
        longest = max_stable_length(self._model)
        short, long = split_by_length([prompt.width for prompt in prompts], longest)
        write = replies.write if self.way is Way.TREE else replies.generate
        results = write(self._model, [prompts[i] for i in short], **plan)
        alone = [prompts[i] for i in long]
        results += replies.generate(self._model, alone, **plan, batch_size=1)
        return [tokens for _, tokens in sorted(zip((*short, *long), results, strict=True))]
