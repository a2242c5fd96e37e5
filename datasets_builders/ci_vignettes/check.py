"""What can be wrong with a context beyond the form of its file."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...errors import nearest
from .template import has_stray_brace, list_slots

if TYPE_CHECKING:
    from .context import Context, Factor, Practice

PARAMETERS = ("sender", "recipient", "subject", "attribute", "transmission_principle")
"""The parameters of an information flow (contextual integrity)."""

COLUMNS = ("item_id", "practice", "vignette", "variant_id", "scale_order", "prompt")
"""What no factor may be called, since the tables have columns of these names."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*")

_MAX_ENTRIES = 100
_MAX_LEVELS = 1_000
_MAX_LENGTH = 4_000


def find_problems(context: "Context") -> Iterator[str]:
    """Everything about the context that keeps it from being generated as it is meant.

    A context beyond reason is only told so: the rest of the checks would take long.
    """
    if too_large := list(_size_problems(context)):
        yield from too_large
        return
    yield from _head_problems(context)
    yield from _parameter_problems(context)
    used = {slot for practice in context.practices.values() for slot in practice.slots}
    earlier: list[str] = []
    for name in context.factors:
        problems = _factor_problems(context, name, earlier)
        yield from (f"factors.{name}: {told}" for told in problems)
        if name not in used:
            yield f"factors.{name}: no template has the slot {{{name}}}; use it or take it out"
        earlier.append(name)
    if not context.practices:
        yield "practices: there is none; a context needs at least one template"
    for name, practice in context.practices.items():
        yield from (f"practices.{name}: {told}" for told in _practice_problems(context, practice))
    for index, exclusion in enumerate(context.exclusions):
        problems = _exclusion_problems(context, exclusion)
        yield from (f"exclusions.{index}: {told}" for told in problems)


def _size_problems(context: "Context") -> Iterator[str]:
    for kind in ("factors", "practices", "exclusions"):
        if (number := len(getattr(context, kind))) > _MAX_ENTRIES:
            yield f"{kind}: {number:,} are too many; at most {_MAX_ENTRIES}"
    for name, factor in context.factors.items():
        if (number := len(factor.all_levels)) > _MAX_LEVELS:
            yield f"factors.{name}: {number:,} levels are too many; at most {_MAX_LEVELS:,}"
    longest = {
        name: max((len(level) for level in factor.all_levels), default=0)
        for name, factor in context.factors.items()
    }
    for name, practice in context.practices.items():
        for template in (practice.template, practice.null_control or ""):
            length = len(template) + sum(longest.get(slot, 0) for slot in list_slots(template))
            if length > _MAX_LENGTH:
                yield (
                    f"practices.{name}: a vignette would have up to {length:,} characters; "
                    f"at most {_MAX_LENGTH:,} are allowed"
                )


def _head_problems(context: "Context") -> Iterator[str]:
    for kind, names in (("practices", context.practices), ("factors", context.factors)):
        for name in names:
            if not _NAME.fullmatch(name):
                yield f"{kind}: {name!r} must be lower-case letters, digits and underscores"
    if not _NAME.fullmatch(context.name):
        yield "name must be lower-case letters, digits and underscores, as in 'smart_home'"
    if context.name.endswith(("_null", "_prompts")):
        yield "name ends like one of the configs that are made of it; choose another"
    if not _LANGUAGE.fullmatch(context.language):
        yield f"language {context.language!r} is not a language tag such as 'en' or 'zh'"
    for key in ("title", "population", "instrument", "license", "source"):
        if not str(getattr(context, key)).strip():
            yield f"{key} is empty"
    if not context.contributors:
        yield "contributors is empty; name at least one person or group"


def _parameter_problems(context: "Context") -> Iterator[str]:
    for kind, places in (("constants", context.constants), ("absent", context.absent)):
        for name, text in places.items():
            if name not in PARAMETERS:
                yield f"{kind}: {name!r} is not a parameter; {nearest(name, PARAMETERS)}"
            if not text.strip():
                yield f"{kind}.{name} is empty; say {'it' if kind == 'constants' else 'why'}"
    for name in PARAMETERS:
        places_of = (context.factors, context.constants, context.absent)
        found = sum(name in place for place in places_of)
        if found != 1:
            said = "is missing" if found == 0 else "stands in several places"
            yield f"{name} {said}: give it once, under factors, constants or absent (with a reason)"


def _factor_problems(context: "Context", name: str, earlier: list[str]) -> Iterator[str]:
    factor = context.factors[name]
    if name in COLUMNS:
        yield "the tables have a column of that name; choose another"
    if factor.tied_to is None:
        if factor.levels_for:
            yield "levels_for needs tied_to: which factor are the levels tied to?"
        yield from _level_problems(factor.levels, factor)
        return
    if factor.levels:
        yield "a tied factor has levels_for, not levels"
    if factor.tied_to not in earlier:
        yield f"tied_to {factor.tied_to!r} is no factor that stands before it in the file"
        return
    parent = context.factors[factor.tied_to].all_levels
    for level in parent:
        if level not in factor.levels_for:
            yield f"levels_for says nothing for {factor.tied_to} {level!r}"
    for level, own in factor.levels_for.items():
        if level not in parent:
            known = nearest(level, parent)
            yield f"levels_for has {level!r}, which is no level of {factor.tied_to}; {known}"
        yield from _level_problems(own, factor)


def _level_problems(levels: tuple[str, ...], factor: "Factor") -> Iterator[str]:
    if not levels:
        yield "there are no levels"
    for level in dict.fromkeys(levels):
        if levels.count(level) > 1:
            yield f"level {level!r} stands twice"
        if level != level.strip():
            yield f"level {level!r} begins or ends with a space"
        elif not level and not factor.optional:
            yield "a level is empty; say `optional: true` if the slot may be left empty"


def _practice_problems(context: "Context", practice: "Practice") -> Iterator[str]:
    for name, text in practice.constants.items():
        if name not in context.absent:
            yield f"constants.{name}: only what the context calls absent can be constant here"
        if not text.strip():
            yield f"constants.{name} is empty; say it"
    yield from (f"template: {told}" for told in _template_problems(context, practice.template))
    control = practice.null_control
    if control is None:
        return
    yield from (f"null_control: {told}" for told in _template_problems(context, control))
    want = set(practice.slots) - {"transmission_principle"}
    if set(list_slots(control)) != want or len(want) == len(practice.slots):
        yield "null_control must be the template without {transmission_principle}, and only that"


def _template_problems(context: "Context", template: str) -> Iterator[str]:
    slots = dict.fromkeys(list_slots(template))
    if has_stray_brace(template):
        yield f"a brace without its partner in {template!r}"
    if template != template.strip():
        yield f"it begins or ends with a space: {template!r}"
    if not slots:
        yield "there is no slot in it"
    for slot in slots:
        if slot not in context.factors:
            yield f"slot {{{slot}}} is no factor; {nearest(slot, list(context.factors))}"
        elif (parent := context.factors[slot].tied_to) is not None and parent not in slots:
            yield f"{{{slot}}} is tied to {{{parent}}}, which is not in the template"


def _exclusion_problems(context: "Context", exclusion: Mapping[str, str]) -> Iterator[str]:
    if not exclusion:
        yield "it is empty and would leave out everything"
    for name, level in exclusion.items():
        if name not in context.factors:
            yield f"{name!r} is no factor; {nearest(name, list(context.factors))}"
            continue
        if level not in context.factors[name].all_levels:
            known = nearest(level, context.factors[name].all_levels)
            yield f"{level!r} is no level of {name}; {known}"
