"""Conversations as the text that a model reads: its own chat template, or plain turns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ...errors import ModelError
from ..engine import Conversation
from ..marks import neutral
from .template_trial import messages_of, try_template

Template = TypeVar("Template", str, dict[str, str], None)

# `strftime_now` is asked for days; a longer code before one that it holds.
_CODES = (*(f"%-{code}" for code in "dmHIMSjy"), *(f"%{code}" for code in "aAbBdejmyYHIMSpFTDRuw"))

# templates that know enable_thinking (Qwen3) then leave the reply's place to the label
_ARGUMENTS = {"add_generation_prompt": True, "enable_thinking": False}

REMEDY = "give another with --chat-template FILE (for a judge --judge-chat-template FILE)"


def render(tokenizer: Any, conversation: Conversation, lead: str) -> str:
    """The conversation as the tokenizer's chat template writes it, ready for the reply.

    Without a template the turns are written one after the other, named where there are several,
    and `lead` begins the reply. A template that knows no system turn, or leaves it out, gets it
    with the user's.
    """
    special = special_tokens(tokenizer)
    clean = [(role, neutral(content, special)) for role, content in conversation]
    if not tokenizer.chat_template:
        return plain_text(clean, lead)
    problem = find_problem(tokenizer, [role for role, _ in clean])
    if problem and clean[0][0] == "system" and len(clean) > 1:
        (_, system), (role, user), *rest = clean
        clean = [(role, f"{system}\n\n{user}"), *rest]
        problem = find_problem(tokenizer, [role for role, _ in clean])
    if problem:
        raise ModelError(f"the model's chat template {problem}: {REMEDY}")
    try:
        text = _templated(tokenizer, clean)
    except Exception as error:  # a template is somebody's program: it may raise anything
        raise ModelError(
            f"the model's chat template failed on this conversation: {_shown(error)}"
        ) from error
    # it may know other words, or another length, from those of the trial
    if lost := _lost(clean, text):
        raise ModelError(
            f"the model's chat template leaves out what the {lost} says in this conversation: "
            f"{REMEDY}"
        )
    return text


def find_problem(tokenizer: Any, roles: Sequence[str]) -> str | None:
    """What the template does wrong in a conversation of these roles; null if nothing.

    It takes too long or too much memory, fails, does not write the same text twice, or leaves out
    what a turn says: then every question would get one answer.
    """
    known = _known(tokenizer).problems
    key = tuple(roles)
    if key not in known:
        known[key] = _try_template(tokenizer, key)
    return known[key]


def at_date(template: Template, date: str) -> Template:
    """The template, or each of several with names, with the clock standing at that day.

    A macro takes the clock's place: transformers (5.23) takes no function from its caller, and its
    own `strftime_now` asks the clock. A template that does not ask (Llama 3.2 and Granite do) is
    returned as it is.
    """
    if isinstance(template, dict):
        return {name: at_date(text, date) for name, text in template.items()}
    if template is None or "strftime_now" not in template:
        return template
    day = datetime.fromisoformat(date)
    spelt = "".join(f"|replace('{code}', '{day.strftime(code)}')" for code in _CODES)
    body = "{{ format" + spelt + " }}"
    # the empty expression keeps a line break with which the template may begin
    end = "{%- endmacro %}{{ '' }}"
    return "{%- macro strftime_now(format) -%}" + body + end + template


def _try_template(tokenizer: Any, roles: tuple[str, ...]) -> str | None:
    kind = f"a conversation of {', '.join(roles)}"
    variables = {**tokenizer.special_tokens_map, "tools": None, "documents": None, **_ARGUMENTS}
    try:
        # in a process of its own first: rendered here, it could hang or fill the memory
        trial = try_template(tokenizer.get_chat_template(), roles, variables)
        if trial.problem:
            return trial.problem
        texts = [_templated(tokenizer, turns) for turns in trial.conversations]
    except Exception as error:  # noqa: BLE001 - as in `render`
        return f"fails on {kind} ({_shown(error)})"
    if trial.digests != tuple(sha256(text.encode()).hexdigest() for text in texts):
        return "does not write the same text twice"
    for turns, text in zip(trial.conversations, texts, strict=True):
        if role := _lost(turns, text):
            return f"leaves out what the {role} says in {kind}"
    return None


def _lost(turns: Sequence[tuple[str, str]], text: str) -> str | None:
    """Who said what is not in the text; white space may have been trimmed."""
    solid = "".join(text.split())
    return next((role for role, said in turns if "".join(said.split()) not in solid), None)


def _shown(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


@dataclass(frozen=True, slots=True)
class _Known:
    """What was found out about a tokenizer with this chat template."""

    template: str
    special: frozenset[str]
    problems: dict[tuple[str, ...], str | None] = field(default_factory=dict)


_KNOWN: "WeakKeyDictionary[Any, _Known]" = WeakKeyDictionary()
_MARKUP = re.compile(r"[<\[［【＜].*[>\]］】＞]", re.DOTALL)


def special_tokens(tokenizer: Any) -> frozenset[str]:
    """The texts that the tokenizer reads as one token and that give a prompt its structure.

    Those are the special ones, and of the other added ones what looks like markup or stands in the
    chat template. The rest (runs of spaces, words of a domain) is ordinary text.
    """
    return _known(tokenizer).special


def _known(tokenizer: Any) -> _Known:
    template = str(tokenizer.chat_template or "")
    known = _KNOWN.get(tokenizer)
    # a template may be set after the tokenizer was loaded
    if known is None or known.template != template:
        added = [
            token.content
            for token in getattr(tokenizer, "added_tokens_decoder", {}).values()
            if token.special or _MARKUP.fullmatch(token.content) or token.content in template
        ]
        # a token of one character or of blanks alone is ordinary text, which must not be broken
        tokens = (token for token in (*tokenizer.all_special_tokens, *added) if len(token) > 1)
        known = _Known(template, frozenset(token for token in tokens if not token.isspace()))
        _KNOWN[tokenizer] = known
    return known


def _templated(tokenizer: Any, turns: Sequence[tuple[str, str]]) -> str:
    rendered: str = tokenizer.apply_chat_template(messages_of(turns), tokenize=False, **_ARGUMENTS)
    return rendered


def plain_text(turns: Sequence[tuple[str, str]], lead: str) -> str:
    """The turns one after the other, named where there are several; `lead` begins the reply."""
    if len(turns) == 1:
        return f"{turns[0][1]}\n{lead}"
    lines = "\n".join(f"{role.capitalize()}: {content}" for role, content in turns)
    return f"{lines}\nAssistant:{lead and ' ' + lead}"
