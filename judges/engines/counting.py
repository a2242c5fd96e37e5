"""How many tokens a prompt is, without a model's weights."""

from collections.abc import Callable
from dataclasses import replace

from ...extras import require
from ...records.model_spec import ADDRESSES, VLLM, ModelSpec
from ..chat import render
from ..engine import Conversation

_BYTES = 4
"""Bytes of UTF-8 that are taken for a token where the tokenizer is a server's: English has about
four letters to a token of the usual tokenizers, Chinese three bytes to a letter."""


def counter(spec: ModelSpec) -> Callable[[Conversation, str], int]:
    """What counts the tokens of a conversation and of the beginning of its reply.

    It does so with the model's own tokenizer and chat template, but for a server's.
    """
    if spec.model.startswith(ADDRESSES):
        return _by_bytes
    require("torch", extra="judge")
    require("transformers", extra="judge")
    from .loading import describe

    tokenizer = describe(replace(spec, model=spec.model.removeprefix(VLLM))).tokenizer

    def count(conversation: Conversation, lead: str) -> int:
        return len(tokenizer(render(tokenizer, conversation, lead)).input_ids)

    return count


def _by_bytes(conversation: Conversation, lead: str) -> int:
    """A token for every four bytes.

    >>> _by_bytes((("user", "four letters"),), "")
    3
    """
    text = "".join((*(content for _, content in conversation), lead))
    return -(-len(text.encode()) // _BYTES)
