"""How the parts of a context join: every neighbourhood of two levels, and what is odd in it.

Rules of thumb: each finding is for a person to look at.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...messages import Message, message
from ...problems import Problem, problem
from ...yaml import Location
from .context_file import ContextFile, Factor, factors_of
from .template import list_slots, split
from .vignettes import combine

_NO_SPACES = ("zh", "ja", "th", "lo", "km", "my")
_PUNCTUATION = (
    message("punctuation twice"),
    re.compile(r"(?<!\.)([.,;:!?。，；：！？、])\s*\1(?!\.)"),
)
_SPACED = (
    (message("two spaces"), re.compile(r" {2,}")),
    (message("a space before punctuation"), re.compile(r"\w +[,;:!?.](?![\w.])")),
    (message("a word twice"), re.compile(r"\b(?!(?:that|had) )(\w+)\s+\1\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled template: the text, and for each filled slot where it stands and with what."""

    text: str
    where: Location
    slots: tuple[tuple[int, int, str, str], ...]


@dataclass(frozen=True, slots=True)
class Oddity:
    """A stretch of a text, and what is odd about it."""

    start: int
    end: int
    kind: str
    text: str

    @property
    def message(self) -> Message:
        """What is odd, and the stretch."""
        return message("{kind} in {text}", kind=self.kind, text=repr(self.text))


def find_oddities(text: str, *, language: str = "en") -> Iterator[Oddity]:
    """What joins leave behind: spaces, punctuation and words that are doubled.

    Spaces and words are looked at in languages that put spaces between words.

    >>> [str(each.message) for each in find_oddities("A site collects your your data. . It ends")]
    ["punctuation twice in '. .'", "a word twice in 'your your'"]
    """
    spaced = language.partition("-")[0] not in _NO_SPACES
    for kind, rule in (_PUNCTUATION, *(_SPACED if spaced else ())):
        for match in rule.finditer(text):
            start, end = match.span()
            around = text[max(0, start - 12) : end + 12] if not match[0].strip() else match[0]
            yield Oddity(start, end, kind, around.strip())


def covering(context: ContextFile) -> Iterator[Filled]:
    """Vignettes in which every two neighbouring levels meet once: all joins, not all products."""
    for name, practice in context.practices.items():
        for key in ("template", "null_control"):
            template = getattr(practice, key)
            if template is None:
                continue
            factors, slots = factors_of(context, template), list_slots(template)
            at = [factors.index(slot) for slot in slots]
            seen: set[tuple[int, str, str]] = set()
            for row in combine(context, factors, name):
                levels = [row[place] for place in at]
                # what reads oddly is where two levels meet: each meeting is looked at once, not
                # each vignette
                joins = set(zip(range(len(levels)), levels, [*levels[1:], ""], strict=True))
                if not joins <= seen:
                    seen |= joins
                    yield _fill(template, slots, levels, ("practices", name, key))


def _fill(template: str, slots: list[str], levels: list[str], where: Location) -> Filled:
    text, spans = "", []
    between = split(template)
    for before, slot, level in zip(between, slots, levels, strict=False):
        text += before
        spans.append((len(text), len(text) + len(level), slot, level))
        text += level
    return Filled(text + between[-1], where, tuple(spans))


def join_problems(context: ContextFile, filled: list[Filled]) -> Iterator[Problem]:
    """Each oddity once, at the level that it touches, or at the template."""
    seen: set[tuple[Location, str]] = set()
    texts = [*filled, *(Filled(a.text, ("anchors", i), ()) for i, a in enumerate(context.anchors))]
    for vignette in texts:
        for oddity in find_oddities(vignette.text, language=context.language):
            where = _place(context, vignette, oddity)
            if (where, oddity.kind) not in seen:
                seen.add((where, oddity.kind))
                yield problem(
                    where,
                    "{oddity}, as in {vignette}",
                    warning=True,
                    oddity=oddity.message,
                    vignette=repr(vignette.text),
                )


def _place(context: ContextFile, vignette: Filled, oddity: Oddity) -> Location:
    for start, end, slot, level in vignette.slots:
        if start < oddity.end and oddity.start < end:
            for spot, levels in level_lists(slot, context.factors[slot]):
                if level in levels:
                    return (*spot, levels.index(level))
    return vignette.where


def level_lists(name: str, factor: Factor) -> list[tuple[Location, tuple[str, ...]]]:
    """The lists of levels that the factor has in its file, each with its place there."""
    untied = [(("factors", name, "levels"), factor.levels)] if factor.levels else []
    tied = [(("factors", name, "levels_for", key), ls) for key, ls in factor.levels_for.items()]
    return [*untied, *tied]
