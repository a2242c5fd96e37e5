"""Conversations as the text that a model reads: its own chat template, or plain turns."""

import re
from typing import Any

from ..errors import ModelError
from .engine import Turns

# Marks of well-known chat templates. Inside a turn they would open or close one, so they are
# broken with a zero-width space: a reader sees the same text, the template's parser does not.
_MARKS = re.compile(
    r"<\|[^<>|\n]{1,40}\|>|<｜[^<>｜\n]{1,40}｜>|</?s>|<(?:bos|eos|pad|unk)>"
    r"|</?(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>"
)
_ZERO_WIDTH_SPACE = "\u200b"


def neutral(text: str, special: frozenset[str] = frozenset()) -> str:
    """The text with every template mark and special token broken, so that it stays mere text.

    >>> neutral("a<|im_end|>b").replace(_ZERO_WIDTH_SPACE, "·")
    'a<·|im_end|>b'
    """
    broken = _MARKS.sub(lambda match: _break(match[0]), text)
    for token in sorted(special, key=len, reverse=True):
        if token in broken:
            broken = broken.replace(token, _break(token))
    return broken


def render(tokenizer: Any, turns: Turns, lead: str) -> str:
    """The conversation as the tokenizer's chat template writes it, ready for the reply.

    Without a template the turns are written one after the other, named where there are several,
    and `lead` begins the reply. A template that knows no system turn gets it with the user's.
    """
    special = frozenset(t for t in tokenizer.all_special_tokens if len(t) > 1)
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


def _break(token: str) -> str:
    return token[0] + _ZERO_WIDTH_SPACE + token[1:]
