"""Conversations as the text that a model reads: its own chat template, or plain turns."""

import re
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import ModelError
from .engine import Turns
from .marks import neutral


def render(tokenizer: Any, turns: Turns, lead: str) -> str:
    """The conversation as the tokenizer's chat template writes it, ready for the reply.

    Without a template the turns are written one after the other, named where there are several,
    and `lead` begins the reply. A template that knows no system turn gets it with the user's.
    """
    special = special_tokens(tokenizer)
    clean = [(role, neutral(content, special)) for role, content in turns]
    if not tokenizer.chat_template:
        return _plain(clean, lead)
    try:
        return _templated(tokenizer, clean)
    except Exception as error:  # a template is somebody's program: it may raise anything
        if clean[0][0] == "system" and len(clean) > 1:
            (_, system), (role, user), *rest = clean
            return _templated(tokenizer, [(role, f"{system}\n\n{user}"), *rest])
        told = " ".join(str(error).split())[:200]
        raise ModelError(
            f"the model's chat template failed on this conversation: {told}"
        ) from error


_KNOWN: "WeakKeyDictionary[Any, tuple[str, frozenset[str]]]" = WeakKeyDictionary()
_MARKUP = re.compile(r"[<\[［【＜].*[>\]］】＞]", re.DOTALL)


def special_tokens(tokenizer: Any) -> frozenset[str]:
    """The texts that the tokenizer reads as one token and that give a prompt its structure.

    Those are the special ones, and of the other added ones what looks like markup or stands in the
    chat template. The rest (runs of spaces, words of a domain) is ordinary text.
    """
    template = str(tokenizer.chat_template or "")
    known = _KNOWN.get(tokenizer)
    if known is None or known[0] != template:
        added = [
            token.content
            for token in getattr(tokenizer, "added_tokens_decoder", {}).values()
            if token.special or _MARKUP.fullmatch(token.content) or token.content in template
        ]
        found = (token for token in (*tokenizer.all_special_tokens, *added) if len(token) > 1)
        known = (template, frozenset(token for token in found if not token.isspace()))
        _KNOWN[tokenizer] = known
    return known[1]


def _templated(tokenizer: Any, turns: list[tuple[str, str]]) -> str:
    messages = [{"role": role, "content": content} for role, content in turns]
    # enable_thinking: templates that know it (Qwen3) then leave the reply's place to the label
    rendered: str = tokenizer.apply_chat_template(
        messages, tokenize=False, add_generation_prompt=True, enable_thinking=False
    )
    return rendered


def _plain(turns: list[tuple[str, str]], lead: str) -> str:
    if len(turns) == 1:
        return f"{turns[0][1]}\n{lead}"
    told = "\n".join(f"{role.capitalize()}: {content}" for role, content in turns)
    return f"{told}\nAssistant:{lead and ' ' + lead}"
