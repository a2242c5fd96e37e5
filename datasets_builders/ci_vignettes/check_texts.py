"""What can be wrong with the texts of a context, each for itself: its levels and its templates."""

import re
from collections.abc import Iterator

from ...messages import message
from ...problems import Problem, problem
from ...yaml import Location
from .context_file import Factor
from .template import has_stray_brace

_SEPARATORS = ("，", "、", "；", ";", "|", ",")
_STOPS = (".", "。", "．", "!", "！", "?", "？")
_STOP_BEFORE = re.compile(r"[.。．!！?？][\"'”’]?\s*\{transmission_principle\}")


def level_problems(levels: tuple[str, ...], factor: Factor, where: Location) -> Iterator[Problem]:
    """Levels that are empty, stand twice, are alone, or may be several in one."""
    if not levels:
        yield problem(where, "there are no levels")
    if len(levels) == 1 and factor.tied_to is None:
        clause = message(
            "{level} is the only level, so that nothing varies; add another, or write it into the "
            "template and put it under constants",
            level=repr(levels[0]),
        )
        if any(sign in levels[0] for sign in _SEPARATORS):
            clause = message(
                "{level} is the only level; if several are meant, type a comma and a space between "
                "them, or give each its own line",
                level=repr(levels[0]),
            )
        yield Problem(where, clause, warning=True)
    seen: set[str] = set()
    for index, level in enumerate(levels):
        spot = (*where, index)
        # twice the level is twice the vignette, with one id
        if level in seen:
            yield problem(spot, "level {level} stands twice", level=repr(level))
        seen.add(level)
        if "\n" in level.strip():
            yield problem(
                spot,
                "level {level} has a line break; write it in one line, or with >- instead of |",
                level=repr(level),
            )
        elif level != level.strip():
            yield problem(
                spot, "level {level} begins or ends with a space or line break", level=repr(level)
            )
        elif not level and not factor.optional:
            yield problem(
                spot, "a level is empty; say `optional: true` if the slot may be left empty"
            )
        if " - " in level:
            yield problem(
                spot,
                "level {level} has ' - ' in it; if these are two levels, give each its own line",
                warning=True,
                level=repr(level),
            )


def template_problems(template: str, where: Location) -> Iterator[Problem]:
    """Braces and spaces that stand alone, and full stops that end the sentence too early."""
    if has_stray_brace(template):
        yield problem(where, "a brace without its partner in {template}", template=repr(template))
    if template != template.strip():
        yield problem(where, "it begins or ends with a space: {template}", template=repr(template))
    if template.endswith(_STOPS):
        yield problem(
            where,
            "it ends with {sign}, and the prompt goes on after it; leave the sign out",
            warning=True,
            sign=repr(template[-1]),
        )
    if stop := _STOP_BEFORE.search(template):
        yield problem(
            where,
            "there is a full stop before the condition, in {text}; write one sentence",
            warning=True,
            text=repr(stop[0]),
        )
