"""How the parts of a context join: every neighbourhood of two levels, and what is odd in it."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...problems import Problem, problem
from ...yaml import Location
from .context_file import ContextFile, Factor, factors_of
from .template import list_slots, split
from .vignettes import combine
from .wording import Oddity, find_oddities


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled template: the text, and for each filled slot where it stands and with what."""

    text: str
    where: Location
    slots: tuple[tuple[int, int, str, str], ...]


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
    untied = [(("factors", name, "levels"), factor.levels)] if factor.levels else []
    tied = [(("factors", name, "levels_for", key), ls) for key, ls in factor.levels_for.items()]
    return [*untied, *tied]
