"""Sentences that a run, a card, a check or an error brings along in English, in Chinese.

What a run keeps (how an interval was made, a note on a judge) and what an error says is English
text. The format string that it was made by is known here, with its Chinese: a text is recognised by
what stands between the slots of its format string, and its slots go into the Chinese one.

A slot `told…` holds a sentence that must be known itself, `note` one that may be, `each` several
between commas or semicolons; `place` and `n` hold no blank, `run` and `held` no end of a clause.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from string import Formatter

from .contexts_zh import CONTEXTS
from .sentences_zh import PARTS, SENTENCES

_LISTS = ((", ", "，"), ("; ", "；"))
_DEEPEST, _LONGEST = 4, 8_000
_CLAUSE = (", ", ": ", "; ")
_NEVER = {"place": (" ",), "n": (" ",), "run": _CLAUSE, "held": _CLAUSE}
"""What does not stand in a slot of the name."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A format string taken apart: what stands before each slot, the slots, and what ends it.

    A `part` is said within a sentence only.
    """

    before: tuple[str, ...]
    slots: tuple[str, ...]
    end: str
    chinese: str
    part: bool

    @property
    def own(self) -> str:
        """All of it that is its own."""
        return "".join(self.before) + self.end


def sentence(text: str, language: str) -> str:
    """The text in the language, line by line; a line that is not known here stays in English.

    >>> sentence("cfsafety: a balanced slice of 20 of 25,000 items.", "zh")
    'cfsafety：仅取 25,000 题中均衡的 20 题。'
    >>> sentence("t over 100 clusters, over the scored", "zh")
    't 区间（100 个聚类），仅限已评分者'
    """
    if language != "zh":
        return text
    return "\n".join(_line(line) or line for line in text.split("\n"))


@lru_cache(maxsize=4096)
def _line(line: str, depth: int = 0) -> str | None:
    """The line in Chinese with its blanks around it; null where it is not known.

    `depth` is within how many sentences it stands.
    """
    text = line.strip()
    if depth > _DEEPEST or len(text) > _LONGEST:
        return None
    for phrase in _phrases():
        if depth or not phrase.part:
            slots = _slots(phrase, text, depth)
            if slots is not None:
                return line.replace(text, phrase.chinese.format_map(slots))
    return None


def _slots(phrase: Phrase, text: str, depth: int) -> dict[str, str] | None:
    """What goes into each slot, in Chinese as far as it is known; null if it is another text."""
    held = _held(phrase, text)
    if held is None:
        return None
    if any(sign in held[name] for name in held for sign in _NEVER.get(name, ())):
        return None
    found = {name: _slot(name, one, depth + 1) for name, one in held.items()}
    if any(one is None for name, one in found.items() if name.startswith("told")):
        return None
    return {name: held[name] if one is None else one for name, one in found.items()}


def _held(phrase: Phrase, text: str) -> dict[str, str] | None:
    """What stands in each slot, up to the next text of the phrase's own."""
    # no regular expression: many slots and a visitor's long text would take it forever
    if not phrase.slots:
        return {} if text == phrase.end else None
    if not text.startswith(phrase.before[0]) or not text.endswith(phrase.end):
        return None
    found, at, last = {}, len(phrase.before[0]), len(text) - len(phrase.end)
    for name, own in zip(phrase.slots, phrase.before[1:], strict=False):
        until = text.find(own, at + 1, last)
        if until < 0:
            return None
        found[name], at = text[at:until], until + len(own)
    if at >= last:
        return None
    return found | {phrase.slots[-1]: text[at:last]}


def _slot(name: str, text: str, depth: int) -> str | None:
    """What the slot holds, in Chinese; null where it is not known, or is no sentence."""
    if name.startswith("told") or name == "note":
        return _line(text, depth)
    if name == "each":
        for sign, chinese in _LISTS:
            parts = [_line(one, depth) for one in text.split(sign)]
            if all(parts):
                return chinese.join(filter(None, parts))
    return None


@cache
def _phrases() -> tuple[Phrase, ...]:
    """All that is known: a place before what stands there, then what says most itself."""
    every = (*((*pair, True) for pair in PARTS.items()),)
    every += tuple((*pair, False) for pair in (SENTENCES | CONTEXTS).items())
    return tuple(sorted((_phrase(*one) for one in every), key=_rank))


def _rank(phrase: Phrase) -> tuple[bool, int]:
    return "place" not in phrase.slots, -len(phrase.own)


def _phrase(english: str, chinese: str, part: bool) -> Phrase:
    before, slots, end = [], [], ""
    for literal, name, _, _ in Formatter().parse(english):
        if name is None:
            end = literal
        else:
            before.append(literal)
            slots.append(name)
    return Phrase(tuple(before), tuple(slots), end, chinese, part)
