"""What can be wrong with a context beyond the form of its file, short of its wording."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...errors import nearest
from ...problems import Problem
from ...yaml import Location
from .template import has_stray_brace, list_slots

if TYPE_CHECKING:
    from .context import ContextFile, Factor, Practice, Rating

PARAMETERS = ("sender", "recipient", "subject", "attribute", "transmission_principle")
"""The parameters of an information flow (contextual integrity)."""

SUFFIXES = ("null", "corrected", "ratings", "orders", "ours", "prompts")
"""What follows a context's name in the names of its configs."""

_TAKEN_NAMES = ("anchors", "confaide")
_TAKEN_COLUMNS = (
    *("item_id", "original_id", "practice", "vignette", "variant_id", "scale_order", "prompt"),
    "prompt_language",
    *("mean", "sd", "n", "low", "high", "question", "source", "vignettes"),
)
NAME = re.compile(r"[a-z][a-z0-9_]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*")
_NAME_RULE = "must be lower-case letters, digits and underscores, as in 'smart_home'"

_MAX_ENTRIES = {"factors": 100, "practices": 100, "exclusions": 100, "anchors": 100}
_MAX_LEVELS = 1_000
_MAX_LENGTH = 4_000

Found = Iterator[Problem]


def find_problems(context: "ContextFile") -> Found:
    """Everything about the context that keeps it from being generated as it is meant.

    A context beyond reason is only told so: the rest of the checks would take long.
    """
    if too_large := list(_size_problems(context)):
        yield from too_large
        return
    yield from _criterion_problems(context)
    yield from _parameter_problems(context)
    used = {slot for practice in context.practices.values() for slot in practice.slots}
    earlier: list[str] = []
    for name in context.factors:
        yield from _factor_problems(context, name, earlier)
        if name not in used:
            told = f"no template has the slot {{{name}}}; use it or take it out"
            yield Problem(("factors", name), told)
        earlier.append(name)
    if not context.practices:
        yield Problem(("practices",), "there is none; a context needs at least one template")
    for name, practice in context.practices.items():
        yield from _practice_problems(context, practice, ("practices", name))
    for index, exclusion in enumerate(context.exclusions):
        if not exclusion:
            yield Problem(("exclusions", index), "it is empty and would leave out everything")
        yield from _levels_problems(context, exclusion, ("exclusions", index))
    yield from _correction_problems(context.corrections)
    yield from _anchor_problems(context)
    yield from _rating_problems(context)


def _size_problems(context: "ContextFile") -> Found:
    for kind, most in _MAX_ENTRIES.items():
        if (number := len(getattr(context, kind))) > most:
            yield Problem((kind,), f"{number:,} are too many; at most {most}")
    for name, factor in context.factors.items():
        if (number := len(factor.all_levels)) > _MAX_LEVELS:
            told = f"{number:,} levels are too many; at most {_MAX_LEVELS:,}"
            yield Problem(("factors", name), told)
    longest = {
        name: max((len(level) for level in factor.all_levels), default=0)
        for name, factor in context.factors.items()
    }
    for name, practice in context.practices.items():
        for template in (practice.template, practice.null_control or ""):
            length = len(template) + sum(longest.get(slot, 0) for slot in list_slots(template))
            if length > _MAX_LENGTH:
                told = f"a vignette would have up to {length:,} characters; at most {_MAX_LENGTH:,}"
                yield Problem(("practices", name), told)


def _criterion_problems(context: "ContextFile") -> Found:
    for kind in ("practices", "factors"):
        for name in getattr(context, kind):
            if not NAME.fullmatch(name):
                yield Problem((kind, name), f"{name!r} {_NAME_RULE}")
    if not NAME.fullmatch(context.name):
        yield Problem(("name",), f"{context.name!r} {_NAME_RULE}")
    if context.name.endswith(tuple(f"_{suffix}" for suffix in SUFFIXES)):
        told = f"{context.name!r} ends like one of the configs that are made of it; choose another"
        yield Problem(("name",), told)
    if context.name in _TAKEN_NAMES:
        yield Problem(("name",), f"{context.name!r} is a config of its own; choose another")
    if not _LANGUAGE.fullmatch(context.language):
        told = f"{context.language!r} is not a language tag such as 'en' or 'zh'"
        yield Problem(("language",), told)
    for key in ("title", "population", "instrument", "source"):
        if not getattr(context, key).strip():
            yield Problem((key,), "it is empty")
    if not context.license.strip():
        told = "there is none, so that nobody may use the wording; name one, as in 'CC-BY-4.0'"
        yield Problem(("license",), told, warning=True)
    if not context.contributors:
        yield Problem(("contributors",), "it is empty; name at least one person or group")


def _parameter_problems(context: "ContextFile") -> Found:
    for kind, say in (("constants", "it"), ("absent", "why")):
        for name, text in getattr(context, kind).items():
            if name not in PARAMETERS:
                told = f"{name!r} is not a parameter; {nearest(name, PARAMETERS)}"
                yield Problem((kind, name), told)
            if not text.strip():
                yield Problem((kind, name), f"it is empty; say {say}")
    for name in PARAMETERS:
        places = [k for k in ("factors", "constants", "absent") if name in getattr(context, k)]
        if len(places) != 1:
            said = f"{name} stands in several places" if places else f"{name} is missing"
            told = f"{said}: give it once, under factors, constants or absent (with a reason)"
            yield Problem((places[-1], name) if places else (), told)


def _factor_problems(context: "ContextFile", name: str, earlier: list[str]) -> Found:
    factor, where = context.factors[name], ("factors", name)
    if name in _TAKEN_COLUMNS:
        yield Problem(where, "the tables have a column of that name; choose another")
    if factor.tied_to is None:
        if factor.levels_for:
            told = "levels_for needs tied_to: which factor are the levels tied to?"
            yield Problem((*where, "levels_for"), told)
        yield from _level_problems(factor.levels, factor, (*where, "levels"))
        return
    if factor.levels:
        yield Problem((*where, "levels"), "a tied factor has levels_for, not levels")
    if factor.tied_to not in earlier:
        told = f"{factor.tied_to!r} is no factor that stands before it in the file"
        yield Problem((*where, "tied_to"), told)
        return
    parent = context.factors[factor.tied_to].all_levels
    for level in parent:
        if level not in factor.levels_for:
            told = f"it says nothing for {factor.tied_to} {level!r}"
            yield Problem((*where, "levels_for"), told)
    for level, own in factor.levels_for.items():
        spot = (*where, "levels_for", level)
        if level not in parent:
            yield Problem(spot, f"this is no level of {factor.tied_to}; {nearest(level, parent)}")
        yield from _level_problems(own, factor, spot)


def _level_problems(levels: tuple[str, ...], factor: "Factor", where: Location) -> Found:
    if not levels:
        yield Problem(where, "there are no levels")
    seen: set[str] = set()
    for index, level in enumerate(levels):
        spot = (*where, index)
        if level in seen:
            yield Problem(spot, f"level {level!r} stands twice")
        seen.add(level)
        if level != level.strip():
            yield Problem(spot, f"level {level!r} begins or ends with a space")
        elif not level and not factor.optional:
            told = "a level is empty; say `optional: true` if the slot may be left empty"
            yield Problem(spot, told)


def _practice_problems(context: "ContextFile", practice: "Practice", where: Location) -> Found:
    for name, text in practice.constants.items():
        spot = (*where, "constants", name)
        if name not in context.absent:
            yield Problem(spot, "only what the context calls absent can be constant here")
        if not text.strip():
            yield Problem(spot, "it is empty; say it")
    yield from _template_problems(context, practice.template, (*where, "template"))
    control, spot = practice.null_control, (*where, "null_control")
    if control is None:
        if "transmission_principle" in practice.slots:
            told = (
                "there is no null_control, the template without {transmission_principle}: without "
                "it nobody can tell what the condition adds"
            )
            yield Problem(where, told, warning=True)
        return
    yield from _template_problems(context, control, spot)
    want = set(practice.slots) - {"transmission_principle"}
    if set(list_slots(control)) != want or len(want) == len(practice.slots):
        told = "it must be the template without {transmission_principle}, and only that"
        yield Problem(spot, told)


def _template_problems(context: "ContextFile", template: str, where: Location) -> Found:
    slots = dict.fromkeys(list_slots(template))
    if has_stray_brace(template):
        yield Problem(where, f"a brace without its partner in {template!r}")
    if template != template.strip():
        yield Problem(where, f"it begins or ends with a space: {template!r}")
    if not slots:
        yield Problem(where, "there is no slot in it")
    for slot in slots:
        if slot not in context.factors:
            told = f"slot {{{slot}}} is no factor; {nearest(slot, list(context.factors))}"
            yield Problem(where, told)
        elif (parent := context.factors[slot].tied_to) is not None and parent not in slots:
            yield Problem(where, f"{{{slot}}} is tied to {{{parent}}}, which is not in it")


def _levels_problems(context: "ContextFile", levels: Mapping[str, str], where: Location) -> Found:
    """A choice of levels of which a factor or a level does not exist."""
    for name, level in levels.items():
        if name not in context.factors:
            told = f"{name!r} is no factor; {nearest(name, list(context.factors))}"
            yield Problem((*where, name), told)
        elif level not in (known := context.factors[name].all_levels):
            told = f"{level!r} is no level of {name}; {nearest(level, known)}"
            yield Problem((*where, name), told)


def _correction_problems(corrections: Mapping[str, str]) -> Found:
    for wrong, right in corrections.items():
        if not wrong.strip() or wrong == right:
            yield Problem(("corrections", wrong), "it corrects nothing; take it out")


def _anchor_problems(context: "ContextFile") -> Found:
    for index, anchor in enumerate(context.anchors):
        where = ("anchors", index)
        for key in ("text", "reason"):
            if not getattr(anchor, key).strip():
                yield Problem((*where, key), "it is empty")
        if len(anchor.text) > _MAX_LENGTH:
            yield Problem((*where, "text"), f"it is longer than {_MAX_LENGTH:,} characters")
    for text, times in Counter(anchor.text for anchor in context.anchors).items():
        if times > 1:
            yield Problem(("anchors",), f"{text!r} stands {times} times")
    if {anchor.expected for anchor in context.anchors} != {"acceptable", "unacceptable"}:
        told = "give at least one that is plainly acceptable and one that is plainly unacceptable"
        yield Problem(("anchors",), told, warning=True)


def _rating_problems(context: "ContextFile") -> Found:
    ratings = context.ratings
    if ratings is None:
        return
    if ratings.low >= ratings.high:
        told = f"the scale goes from {ratings.low} to {ratings.high}; low must be the lower end"
        yield Problem(("ratings", "low"), told)
    seen: set[tuple[object, ...]] = set()
    for index, rating in enumerate(ratings.values):
        where = ("ratings", "values", index)
        if not ratings.low <= rating.mean <= ratings.high:
            told = f"{rating.mean} is not on the scale of {ratings.low} to {ratings.high}"
            yield Problem((*where, "mean"), told)
        yield from _number_problems(rating, where)
        if rating.practice is not None and rating.practice not in context.practices:
            told = f"no practice {rating.practice!r}; "
            known = nearest(rating.practice, list(context.practices))
            yield Problem((*where, "practice"), told + known)
        yield from _levels_problems(context, rating.levels, (*where, "levels"))
        key = (rating.practice, *sorted(rating.levels.items()))
        if key in seen:
            yield Problem(where, "these levels were rated before; one rating each")
        seen.add(key)


def _number_problems(rating: "Rating", where: Location) -> Found:
    if rating.sd is not None and not rating.sd >= 0:
        yield Problem((*where, "sd"), f"a standard deviation is not below 0, as {rating.sd} is")
    if rating.n is not None and rating.n < 1:
        yield Problem((*where, "n"), f"{rating.n} people rated nothing; leave n out if unknown")
