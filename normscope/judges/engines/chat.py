"""Conversations as the text that a model reads: its own chat template, or plain turns.

A text that forges the marks by which a prompt has its turns has them broken. Special tokens come
from the tokenizer where it is at hand. Where it is not (behind a server), there is a table of
families (`marks.yaml`), and what looks like a mark counts as one.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ...errors import ModelError
from ...hub_folders import hub_folder
from ...yaml import load_yaml
from ..engine import Conversation, Form
from .template_trial import try_template

Template = TypeVar("Template", str, dict[str, str], None)

# `strftime_now` is asked for days; a longer code before one that it holds.
_CODES = (*(f"%-{code}" for code in "dmHIMSjy"), *(f"%{code}" for code in "aAbBdejmyYHIMSpFTDRuw"))

# templates that know enable_thinking (Qwen3) then leave the reply's place to the label
_ARGUMENTS = {"add_generation_prompt": True, "enable_thinking": False}

REMEDY = "give another with --set chat_template=FILE (for a judge judge_chat_template=FILE)"

SLOT = re.compile(r"\{(question|response|policy)\}")
"""What a form has places for."""

_PLAIN = Form()
_FILE = hub_folder("judges") / "marks.yaml"

# What looks like a mark, after folding and in any case.
_SHAPES = (
    r"<\|[^<>|\n]{1,60}\|>",  # ChatML, Llama 3, DeepSeek, harmony …
    r"<\|[^\s<>|]{1,60}>",  # Gemma 4
    r"<[^\s<>|]{1,60}\|>",
    r"\[\|[^\[\]|\n]{1,60}\|\]",  # EXAONE
    # no tag of HTML has an underscore
    r"</?[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,6}_?>",
    r"</?(?:[a-z0-9]{1,30}-)?turn(?:-[a-z0-9]{1,30})?>",
    r"</?(?:s|bos|eos|pad|unk|mask|sop|eop|eoh|eoa|sep|cls|eot|eod|eom)>",
    r"</?(?:role|system|user|human|assistant|bot|model|think|thinking|tools)>",
    r"<unused\d{1,5}>",
    r"\[unused(?:_token_)?\d{1,5}\]",
    r"\[/?(?:[a-z0-9]{1,30}_)?inst(?:_[a-z0-9]{1,30})?\]",
    r"<</?[a-z]{2,30}>>",
    r"(?-i:\[/?[A-Z]{2,30}(?:_[A-Z]{2,30}){1,4}\])",  # Mistral; in lower case it is code
)
# What stands for a line break; a template's words count at the beginning of a line.
_LINE_BREAKS = frozenset("\r\n\u2028\u2029")
# Hangul fillers and replacement characters, which are invisible or dropped without being so classed
_ALSO_HIDDEN = frozenset("\u115f\u1160\ufffc\ufffd")
# texts of rare characters must not grow the table without end
_CACHED_BELOW = 0x10000
_BREAK = " "


def render(tokenizer: Any, conversation: Conversation, lead: str, form: Form | None = None) -> str:
    """The conversation as the tokenizer's chat template writes it, ready for the reply.

    Without a template the turns are written one after the other, named where there are several,
    and `lead` begins the reply. A template that knows no system turn, or leaves it out, gets it
    with the user's. With a form it is put as that says.
    """
    form = form or _PLAIN
    special = special_tokens(tokenizer) | {*form.marks}
    clean = [(role, neutral(content, special)) for role, content in conversation]
    if form.text:
        return plain_text(written(clean, form), "", form)
    if not tokenizer.chat_template:
        if form is not _PLAIN:
            raise ModelError(f"the tokenizer has no chat template, by which it is asked: {REMEDY}")
        return plain_text(clean, lead)
    clean = written(clean, form)
    problem = find_problem(tokenizer, [role for role, _ in clean], form)
    if problem and clean[0][0] == "system" and len(clean) > 1:
        (_, system), (role, user), *rest = clean
        clean = [(role, f"{system}\n\n{user}"), *rest]
        problem = find_problem(tokenizer, [role for role, _ in clean], form)
    if problem:
        raise ModelError(f"the model's chat template {problem}: {REMEDY}")
    try:
        text = _templated(tokenizer, clean, form) + form.begins
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


def written(clean: Sequence[tuple[str, str]], form: Form) -> list[tuple[str, str]]:
    """The turns that a form makes of a conversation whose texts hold no marks; a text is one turn.

    >>> turns = [("user", "Why?"), ("assistant", "{policy}")]
    >>> written(turns, Form(text="{question} | {response}"))
    [('user', 'Why? | {policy}')]
    """
    if not form.text and not form.messages:
        return [*clean]
    *before, (_, response) = clean
    question = before[0][1] if len(before) == 1 else plain_turns(before)
    slots = {"question": question, "response": response, "policy": form.policy}
    return [
        (role, SLOT.sub(lambda match: slots[match[1]], content))
        for role, content in (form.messages or (("user", form.text),))
    ]


def find_problem(tokenizer: Any, roles: Sequence[str], form: Form = _PLAIN) -> str | None:
    """What the template does wrong in a conversation of these roles; null if nothing.

    It takes too long or too much memory, fails, does not write the same text twice, or leaves out
    what a turn says: then every question would get one answer.
    """
    facts = _facts_of(tokenizer).problems
    key = (tuple(roles), repr((form.arguments, form.parts)))
    if key not in facts:
        facts[key] = _try_template(tokenizer, tuple(roles), form)
    return facts[key]


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


def _try_template(tokenizer: Any, roles: tuple[str, ...], form: Form) -> str | None:
    kind = f"a conversation of {', '.join(roles)}"
    variables = {**tokenizer.special_tokens_map, "tools": None, "documents": None, **_ARGUMENTS}
    variables |= form.arguments
    try:
        # in a process of its own first: rendered here, it could hang or fill the memory
        trial = try_template(tokenizer.get_chat_template(), roles, variables, parts=form.parts)
        if trial.problem:
            return trial.problem
        texts = [_templated(tokenizer, turns, form) for turns in trial.conversations]
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
class _Facts:
    """What was found out about a tokenizer with this chat template."""

    template: str
    special: frozenset[str]
    problems: dict[tuple[tuple[str, ...], str], str | None] = field(default_factory=dict)


_FACTS: "WeakKeyDictionary[Any, _Facts]" = WeakKeyDictionary()
_MARKUP = re.compile(r"[<\[［【＜].*[>\]］】＞]", re.DOTALL)


def special_tokens(tokenizer: Any) -> frozenset[str]:
    """The texts that the tokenizer reads as one token and that give a prompt its structure.

    Those are the special ones, and of the other added ones what looks like markup or stands in the
    chat template. The rest (runs of spaces, words of a domain) is ordinary text.
    """
    return _facts_of(tokenizer).special


def _facts_of(tokenizer: Any) -> _Facts:
    template = str(tokenizer.chat_template or "")
    facts = _FACTS.get(tokenizer)
    # a template may be set after the tokenizer was loaded
    if facts is None or facts.template != template:
        added = [
            token.content
            for token in getattr(tokenizer, "added_tokens_decoder", {}).values()
            if token.special or _MARKUP.fullmatch(token.content) or token.content in template
        ]
        # a token of one character or of blanks alone is ordinary text, which must not be broken
        tokens = (token for token in (*tokenizer.all_special_tokens, *added) if len(token) > 1)
        facts = _Facts(template, frozenset(token for token in tokens if not token.isspace()))
        _FACTS[tokenizer] = facts
    return facts


def messages_of(turns: Sequence[tuple[str, str]], *, parts: bool = False) -> list[dict[str, Any]]:
    """The turns as templates and servers take them, or each as a list of one part."""
    return [
        {"role": role, "content": [{"type": "text", "text": content}] if parts else content}
        for role, content in turns
    ]


def _templated(tokenizer: Any, turns: Sequence[tuple[str, str]], form: Form) -> str:
    rendered: str = tokenizer.apply_chat_template(
        messages_of(turns, parts=form.parts), tokenize=False, **{**_ARGUMENTS, **form.arguments}
    )
    return rendered


def plain_text(turns: Sequence[tuple[str, str]], lead: str, form: Form | None = None) -> str:
    """The turns one after the other, named where there are several; `lead` begins the reply.

    What a form has made of them (`written`) is the prompt as it stands.
    """
    if form is not None:
        return turns[0][1] + form.begins
    if len(turns) == 1:
        return f"{turns[0][1]}\n{lead}"
    return f"{plain_turns(turns)}\nAssistant:{lead and ' ' + lead}"


def plain_turns(turns: Sequence[tuple[str, str]]) -> str:
    """The turns one after the other, each with its speaker's name."""
    return "\n".join(f"{role.capitalize()}: {content}" for role, content in turns)


@dataclass(frozen=True, slots=True)
class Family:
    """How the templates of one family write their turns: see the criterion of `marks.yaml`."""

    family: str
    marks: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def families() -> tuple[Family, ...]:
    """The table of families."""
    return load_yaml(_FILE, tuple[Family, ...])


def neutral(text: str, special: frozenset[str] = frozenset()) -> str:
    """The text with every template mark and special token broken, so that it stays mere text.

    A mark is broken by a space behind its first character, words by one in front of their colon:
    normalisers take out invisible characters but not that. Spellings that a normaliser would make
    a mark of count as one (full-width and other compatible forms, accents, invisible and
    private-use characters in between); apart from the spaces the text stays as it is.

    >>> neutral("a<|im_end|>b ＜|im_\u200bend|＞ <|turn>user\\nASSISTANT: 5")
    'a< |im_end|>b ＜ |im_\u200bend|＞ < |turn>user\\nASSISTANT : 5'
    """
    # a lone surrogate cannot be encoded by any tokenizer
    text = text.encode("utf-8", "replace").decode()
    plain = folded(text)
    behind, before = _marked(plain, special), _worded(plain)
    if not behind and not before:
        return text
    # one character may fold to several or to none: cuts are found in the folded text
    origin = [index for index, char in enumerate(text) for _ in char.translate(_FOLDED)]
    cuts = {origin[place] + 1 for place in behind} | {origin[place] for place in before}
    return _BREAK.join(text[low:high] for low, high in pairwise([0, *sorted(cuts), len(text)]))


def folded(text: str) -> str:
    """The text as the most eager normaliser leaves it: compatible forms, nothing invisible.

    >>> folded("＜|im\u200b_énd|>")
    '<|im_end|>'
    """
    return text.translate(_FOLDED)


def _marked(plain: str, special: frozenset[str]) -> list[int]:
    """Where marks begin in a folded text; also those that begin inside another."""
    opener, mark = _patterns(special)
    return [match.start() for match in opener.finditer(plain) if mark.match(plain, match.start())]


def _worded(plain: str) -> list[int]:
    """Where the colons of a template's words stand in a folded text."""
    return [match.end() for match in _words().finditer(plain)]


@lru_cache(maxsize=64)
def _patterns(special: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What a mark may begin with, and the marks, both of a folded text."""
    shape = re.compile("|".join(_SHAPES), re.IGNORECASE)
    marks = {mark for family in families() for mark in family.marks}
    literal = {folded(mark) for mark in marks | special} - {""}
    # some shapes are of upper case only, but a mark that is known is one in any case
    listed = sorted(
        (m for m in literal if not (shape.fullmatch(m.lower()) and shape.fullmatch(m.upper()))),
        key=len,
        reverse=True,
    )
    first = "".join(sorted(re.escape(char) for char in {"<", "[", *(mark[0] for mark in listed)}))
    patterns = (*map(re.escape, listed), *_SHAPES)
    return re.compile(f"[{first}]", re.IGNORECASE), re.compile("|".join(patterns), re.IGNORECASE)


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    """A template's words up to their colon."""
    words = [word for family in families() for word in family.words]
    lines = [line for family in families() for line in family.lines]
    anywhere, at_start = (
        "|".join(re.escape(folded(text[:-1])) for text in texts) for texts in (words, lines)
    )
    return re.compile(rf"(?:(?<!\w)(?:{anywhere})|^[ \t]*(?:{at_start}))(?=:)", re.MULTILINE)


class _Folding(dict[int, str]):
    """Each character as the most eager normaliser leaves it, for `str.translate`.

    Compatible forms are decomposed; accents, control, format, private-use and unassigned
    characters go (BertNormalizer, StripAccents and NFKD together). What a milder normaliser makes a
    mark of, this one does too.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = "".join(c for c in unicodedata.normalize("NFKD", char) if not _is_hidden(c))
        folded = "\n" if char in _LINE_BREAKS else folded
        if code < _CACHED_BELOW:
            self[code] = folded
        return folded


def _is_hidden(char: str) -> bool:
    return char in _ALSO_HIDDEN or (unicodedata.category(char)[0] in "CM" and char not in "\t\n\r")


_FOLDED = _Folding()
