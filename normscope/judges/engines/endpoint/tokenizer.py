"""The server's own tokenizer, where it has an endpoint for it: no text may make a special token.

vLLM tells the tokens of a text, llama.cpp also those that it has as mere text (`parse_special`).
Both have the endpoint beside `/v1`. It costs no token and is not counted in the budget.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

from ....errors import ModelError
from ..chat import folded, neutral
from .client import Caller, Refused
from .replies import Tokens
from .server import all_answers

Tokenizer = Literal["vLLM", "llama.cpp"]

_PROBE = "Is water wet?"
_ROUNDS = 3
# A token that is punctuation at both ends with letters between is a special one: what cuts texts
# into words parts letters from punctuation. After folding.
_SPECIAL = re.compile(r"[<\[\]{|~](?=.*[^\W\d_]).{2,}[>\]\[}|~]", re.DOTALL)


async def find_tokenizer(caller: Caller, model: str) -> Tokenizer | None:
    """Which tokenizer endpoint the server has; null if none, or one that does not spell tokens."""
    try:
        reply = await _tokens(caller, model, _PROBE)
    except ModelError:  # a gateway may want another key at a path that it does not know
        return None
    if isinstance(reply, Refused) or not reply.tokens:
        return None
    if reply.token_strs:
        return "vLLM"
    return None if reply.pieces is None else "llama.cpp"


async def clean_texts(
    caller: Caller,
    tokenizer: Tokenizer | None,
    model: str,
    texts: Iterable[str],
    marks: frozenset[str],
) -> dict[str, str | Refused]:
    """Each text without marks, and without what is a special token of the server's tokenizer."""
    distinct = sorted(set(texts))

    async def clean(text: str) -> str | Refused:
        mild = neutral(text, marks)
        return await _without_special(caller, tokenizer, model, mild) if tokenizer else mild

    return dict(zip(distinct, await all_answers(distinct, clean), strict=True))


async def _without_special(
    caller: Caller, tokenizer: Tokenizer, model: str, text: str
) -> str | Refused:
    # what is broken is found from the text alone, so that a unit is the same when it is done again
    for _ in range(_ROUNDS):
        special = await _special(caller, tokenizer, model, text)
        if isinstance(special, Refused):
            return special
        if not special:
            return text
        text = neutral(text, special)
    return Refused(None, "a text makes special tokens of the server's tokenizer")


async def _special(
    caller: Caller, tokenizer: Tokenizer, model: str, text: str
) -> frozenset[str] | Refused:
    """The special tokens that the text makes."""
    reply = await _tokens(caller, model, text)
    if isinstance(reply, Refused):
        return reply
    if tokenizer == "vLLM":
        tokens = reply.token_strs or []
        return frozenset(token for token in tokens if _SPECIAL.fullmatch(folded(token)))
    mere = await _tokens(caller, model, text, parse_special=False)
    if isinstance(mere, Refused):
        return mere
    differs = Counter(reply.pieces or []) - Counter(mere.pieces or [])
    # beside a special token the words of the text may be cut otherwise, too
    return frozenset(t for t in differs if _SPECIAL.fullmatch(folded(t))) or frozenset(differs)


async def _tokens(
    caller: Caller, model: str, text: str, *, parse_special: bool = True
) -> Tokens | Refused:
    # each server takes its own fields and leaves the other's
    body: dict[str, Any] = {
        "model": model,
        "prompt": text,
        "add_special_tokens": False,
        "return_token_strs": True,
        "content": text,
        "add_special": False,
        "parse_special": parse_special,
        "with_pieces": True,
    }
    path = f"{caller.where.removesuffix('/v1')}/tokenize"
    return await caller.ask(path, body, Tokens, counted=False)
