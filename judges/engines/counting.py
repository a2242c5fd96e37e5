"""How many tokens requests are, without a model's weights: all, and each shared one once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...extras import require
from ...records.model_spec import ADDRESSES, VLLM, ModelSpec
from ..chat import render
from ..engine import Conversation, LabelRequest, TextRequest
from ..prefix_tree import Ids, grow
from .reads import Reader

_BYTES = 4
"""Bytes of UTF-8 that are taken for a token where the tokenizer is not known: English has about
four letters to a token of the usual tokenizers, Chinese three bytes to a letter."""


class Tokens(NamedTuple):
    """`total`: every prompt by itself; `unique`: what prompts begin with alike counts once."""

    total: int
    unique: int

    def plus(self, other: "Tokens") -> "Tokens":
        """Both added up.

        >>> Tokens(3, 2).plus(Tokens(1, 1))
        Tokens(total=4, unique=3)
        """
        return Tokens(self.total + other.total, self.unique + other.unique)


NO_TOKENS = Tokens(0, 0)


class Counter(Protocol):
    """Counts the tokens of requests that are asked together."""

    @property
    def exact(self) -> bool:
        """Whether it counts with the model's own tokenizer."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """What is known of the engine without the model's weights (`judges.engine.Engine`)."""

    def labels(self, requests: Sequence[LabelRequest]) -> Tokens:
        """Of the prompts with the beginnings of labels that are read behind them."""

    def texts(self, requests: Sequence[TextRequest]) -> Tokens:
        """Of the prompts."""

    def replies(self, texts: Iterable[str]) -> int:
        """Of these replies together."""


@dataclass(frozen=True, slots=True)
class TokenizerCounter:
    """Counts as the local engines read: with the model's tokenizer and chat template."""

    reader: Reader
    tokenizer: Any
    identity: Mapping[str, Any]
    exact: bool = True

    @classmethod
    def of(cls, spec: ModelSpec) -> "TokenizerCounter":
        """That of a local model, of which the tokenizer alone is loaded."""
        require("torch", extra="judge")
        require("transformers", extra="judge")
        from .loading import describe

        known = describe(replace(spec, model=spec.model.removeprefix(VLLM)))
        reader = Reader(known.tokenizer, known.identity["context"])
        return cls(reader, known.tokenizer, known.identity)

    def labels(self, requests: Sequence[LabelRequest]) -> Tokens:
        """What a plain forward pass would read, and what the prefix tree does."""
        return _counted(self.reader.plan(requests).sequences)

    def texts(self, requests: Sequence[TextRequest]) -> Tokens:
        """Of the prompts, as the chat template writes them."""
        rendered = [render(self.tokenizer, request.conversation, "") for request in requests]
        return _counted(self.reader.encode(rendered))

    def replies(self, texts: Iterable[str]) -> int:
        """Of these replies together."""
        written = [text for text in texts if text]
        return sum(map(len, self.reader.encode(written))) if written else 0


@dataclass(frozen=True, slots=True)
class ByteCounter:
    """Counts four bytes as a token, where the tokenizer is a server's."""

    identity: Mapping[str, Any] = field(default_factory=dict)
    exact: bool = False

    def labels(self, requests: Sequence[LabelRequest]) -> Tokens:
        """Of the prompts: a server reads each once."""
        return _counted([_words(request.conversation, request.lead) for request in requests])

    def texts(self, requests: Sequence[TextRequest]) -> Tokens:
        """Of the prompts."""
        return _counted([_words(request.conversation) for request in requests])

    def replies(self, texts: Iterable[str]) -> int:
        """Of these replies together.

        >>> ByteCounter().replies(["four", "letters"])
        3
        """
        return sum(-(-len(text.encode()) // _BYTES) for text in texts)


def counter(spec: ModelSpec) -> Counter:
    """The counter for the model: exact, but for servers."""
    return ByteCounter() if spec.model.startswith(ADDRESSES) else TokenizerCounter.of(spec)


def _counted(sequences: Sequence[Ids]) -> Tokens:
    if not sequences:
        return NO_TOKENS
    return Tokens(sum(map(len, sequences)), len(grow(sequences).tokens))


def _words(conversation: Conversation, lead: str = "") -> Ids:
    text = "\n".join((*(content for _, content in conversation), lead))
    data = text.encode()
    padded = data + b" " * (-len(data) % _BYTES or _BYTES * (not data))
    return tuple(np.frombuffer(padded, np.uint32).tolist())
