"""Conversations as the text that a model reads: its own chat template, or plain turns."""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import ModelError
from .engine import Turns

# Marks of well-known chat templates, as they stand after folding (see `_folded`).
_MARKS = (
    r"<\|[^<>|\n]{1,60}\|>",  # ChatML, Llama 3, Phi, GLM, DeepSeek, tool calls …
    r"</?(?:s|bos|eos|pad|unk|mask|sop|eop|eoh|eoa)>",
    r"</?(?:start|end)_of_(?:turn|image|text)>",
    r"</?(?:think|tool_call|tool_response|tools)>",
    r"<(?:unused|reserved_|extra_id_)\d{1,4}>",
    r"\[/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content)\]",
    r"\[(?:gmask|smask|unused_token_\d{1,4})\]",
    r"<</?sys>>",
)
# What a tokenizer's normaliser may take out, so that a mark broken by it would be whole again.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u0300-\u036f\u061c\u180b-\u180f\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
    "\ufeff\ufff9-\ufffd\U000e0000-\U000e01ef]"
)
# Characters that decompose into the one that begins a mark; those of others are looked up.
_ALIKE = {"<": "<＜﹤≮", "[": "[［"}
_PLANES = 0x20000
_LONGEST = 96
_BREAK = " "


def neutral(text: str, special: frozenset[str] = frozenset()) -> str:
    """The text with every template mark and special token broken, so that it stays mere text.

    Each is broken by a space behind its first character: normalisers take out invisible characters
    but not that. Full-width and otherwise compatible spellings count, and so do invisible
    characters in between, since a tokenizer may undo both before it looks for its special tokens.

    >>> neutral("a<|im_end|>b ＜|im_\u200bend|＞")
    'a< |im_end|>b ＜ |im_\u200bend|＞'
    """
    text = text.encode("utf-8", "replace").decode()
    opener, mark = _patterns(special)
    if not opener.search(text):
        return text
    seen, at = text, None
    if _HIDDEN.search(text):
        at = [index for index, char in enumerate(text) if not _HIDDEN.match(char)]
        seen = "".join(text[index] for index in at)
    breaks = [
        found.end()
        for found in opener.finditer(seen)
        if mark.match(_folded(seen[found.start() : found.start() + _LONGEST]))
    ]
    ends = [0, *(cut if at is None else at[cut - 1] + 1 for cut in breaks), len(text)]
    return _BREAK.join(text[low:high] for low, high in pairwise(ends))


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


@lru_cache(maxsize=64)
def _patterns(special: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What may begin a mark, as it stands in the text, and the marks, folded."""
    general = re.compile("|".join(_MARKS), re.IGNORECASE)
    own = {_folded(token) for token in special if not general.fullmatch(_folded(token))} - {""}
    first = {"<", "[", *(token[0] for token in own)}
    raw = "".join(map(re.escape, sorted({c for one in first for c in _alike(one)})))
    marks = (*map(re.escape, sorted(own, key=len, reverse=True)), *_MARKS)
    return re.compile(f"[{raw}]"), re.compile("|".join(marks), re.IGNORECASE)


@lru_cache(maxsize=64)
def _alike(char: str) -> str:
    """Every character that folding may turn into one that begins with this one, in any case."""
    if char in _ALIKE:
        return _ALIKE[char]
    wanted = char.casefold()
    every = map(chr, (*range(0xD800), *range(0xE000, _PLANES)))
    return "".join(c for c in every if _folded(c)[:1].casefold() == wanted)


def _folded(text: str) -> str:
    """The text as the most eager normaliser leaves it: compatible forms, no accents."""
    return text if text.isascii() else _HIDDEN.sub("", unicodedata.normalize("NFKD", text))


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
