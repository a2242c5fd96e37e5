"""What can be wrong with a context beyond the form of its file, short of its wording."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from ...errors import nearest
from ...messages import marked, message
from ...problems import Problem
from ...yaml import Location
from .context_file import PARAMETERS, ContextFile, Factor, Practice, Rating
from .template import has_stray_brace, list_slots

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
_NAME_RULE = marked("{name} must be lower-case letters, digits and underscores, as in 'smart_home'")

_MAX_ENTRIES = {"factors": 100, "practices": 100, "exclusions": 100, "anchors": 100}
_MAX_LEVELS = 1_000
_MAX_LENGTH = 4_000

Found = Iterator[Problem]


def find_problems(context: ContextFile) -> Found:
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
        yield from _factor_problems(context, name, earlier)
        if name not in used:
            told = message(
                "no template has the slot {slot}; use it or take it out", slot=f"{{{name}}}"
            )
            yield Problem(("factors", name), told)
        earlier.append(name)
    if not context.practices:
        yield Problem(
            ("practices",), message("there is none; a context needs at least one template")
        )
    for name, practice in context.practices.items():
        yield from _practice_problems(context, practice, ("practices", name))
    for index, exclusion in enumerate(context.exclusions):
        if not exclusion:
            yield Problem(
                ("exclusions", index),
                message("it is empty and would leave out everything"),
            )
        yield from _levels_problems(context, exclusion, ("exclusions", index))
    yield from _correction_problems(context.corrections)
    yield from _anchor_problems(context)
    yield from _rating_problems(context)


def _size_problems(context: ContextFile) -> Found:
    for kind, most in _MAX_ENTRIES.items():
        if (number := len(getattr(context, kind))) > most:
            yield Problem(
                (kind,),
                message("{number} are too many; at most {most}", number=f"{number:,}", most=most),
            )
    for name, factor in context.factors.items():
        if (number := len(factor.all_levels)) > _MAX_LEVELS:
            told = message(
                "{number} levels are too many; at most {most}",
                number=f"{number:,}",
                most=f"{_MAX_LEVELS:,}",
            )
            yield Problem(("factors", name), told)
    longest = {
        name: max((len(level) for level in factor.all_levels), default=0)
        for name, factor in context.factors.items()
    }
    for name, practice in context.practices.items():
        for template in (practice.template, practice.null_control or ""):
            length = len(template) + sum(longest.get(slot, 0) for slot in list_slots(template))
            if length > _MAX_LENGTH:
                told = message(
                    "a vignette would have up to {length} characters; at most {most}",
                    length=f"{length:,}",
                    most=f"{_MAX_LENGTH:,}",
                )
                yield Problem(("practices", name), told)


def _head_problems(context: ContextFile) -> Found:
    for kind in ("practices", "factors"):
        for name in getattr(context, kind):
            if not NAME.fullmatch(name):
                yield Problem((kind, name), message(_NAME_RULE, name=repr(name)))
    if not NAME.fullmatch(context.name):
        yield Problem(("name",), message(_NAME_RULE, name=repr(context.name)))
    if context.name.endswith(tuple(f"_{suffix}" for suffix in SUFFIXES)):
        told = message(
            "{name} ends like one of the configs that are made of it; choose another",
            name=repr(context.name),
        )
        yield Problem(("name",), told)
    if context.name in _TAKEN_NAMES:
        yield Problem(
            ("name",),
            message("{name} is a config of its own; choose another", name=repr(context.name)),
        )
    if not _LANGUAGE.fullmatch(context.language):
        told = message(
            "{language} is not a language tag such as 'en' or 'zh'", language=repr(context.language)
        )
        yield Problem(("language",), told)
    for key in ("title", "population", "instrument", "source"):
        if not getattr(context, key).strip():
            yield Problem((key,), message("it is empty"))
    if not context.license.strip():
        told = message(
            "there is none, so that nobody may use the wording; name one, as in 'CC-BY-4.0'"
        )
        yield Problem(("license",), told, warning=True)
    if not context.contributors:
        yield Problem(("contributors",), message("it is empty; name at least one person or group"))


def _parameter_problems(context: ContextFile) -> Found:
    for kind, empty in (
        ("constants", message("it is empty; say it")),
        ("absent", message("it is empty; say why")),
    ):
        for name, text in getattr(context, kind).items():
            if name not in PARAMETERS:
                told = message(
                    "{name} is not a parameter; {note}",
                    name=repr(name),
                    note=nearest(name, PARAMETERS),
                )
                yield Problem((kind, name), told)
            if not text.strip():
                yield Problem((kind, name), empty)
    for name in PARAMETERS:
        places = [k for k in ("factors", "constants", "absent") if name in getattr(context, k)]
        if len(places) != 1:
            told = message(
                "{name} is missing: give it once, under factors, constants or absent (with a "
                "reason)",
                name=name,
            )
            if places:
                told = message(
                    "{name} stands in several places: give it once, under factors, constants or "
                    "absent (with a reason)",
                    name=name,
                )
            yield Problem((places[-1], name) if places else (), told)


def _factor_problems(context: ContextFile, name: str, earlier: list[str]) -> Found:
    factor, where = context.factors[name], ("factors", name)
    if name in _TAKEN_COLUMNS:
        yield Problem(where, message("the tables have a column of that name; choose another"))
    if factor.tied_to is None:
        if factor.levels_for:
            told = message("levels_for needs tied_to: which factor are the levels tied to?")
            yield Problem((*where, "levels_for"), told)
        yield from _level_problems(factor.levels, factor, (*where, "levels"))
        return
    if factor.levels:
        yield Problem((*where, "levels"), message("a tied factor has levels_for, not levels"))
    if factor.tied_to not in earlier:
        told = message(
            "{name} is no factor that stands before it in the file", name=repr(factor.tied_to)
        )
        yield Problem((*where, "tied_to"), told)
        return
    parent = context.factors[factor.tied_to].all_levels
    for level in parent:
        if level not in factor.levels_for:
            told = message(
                "it says nothing for {factor} {level}", factor=factor.tied_to, level=repr(level)
            )
            yield Problem((*where, "levels_for"), told)
    for level, own in factor.levels_for.items():
        spot = (*where, "levels_for", level)
        if level not in parent:
            yield Problem(
                spot,
                message(
                    "this is no level of {factor}; {note}",
                    factor=factor.tied_to,
                    note=nearest(level, parent),
                ),
            )
        yield from _level_problems(own, factor, spot)


def _level_problems(levels: tuple[str, ...], factor: Factor, where: Location) -> Found:
    if not levels:
        yield Problem(where, message("there are no levels"))
    seen: set[str] = set()
    for index, level in enumerate(levels):
        spot = (*where, index)
        if level in seen:
            yield Problem(spot, message("level {level} stands twice", level=repr(level)))
        seen.add(level)
        if level != level.strip():
            yield Problem(
                spot, message("level {level} begins or ends with a space", level=repr(level))
            )
        elif not level and not factor.optional:
            told = message("a level is empty; say `optional: true` if the slot may be left empty")
            yield Problem(spot, told)


def _practice_problems(context: ContextFile, practice: Practice, where: Location) -> Found:
    for name, text in practice.constants.items():
        spot = (*where, "constants", name)
        if name not in context.absent:
            yield Problem(spot, message("only what the context calls absent can be constant here"))
        if not text.strip():
            yield Problem(spot, message("it is empty; say it"))
    yield from _template_problems(context, practice.template, (*where, "template"))
    control, spot = practice.null_control, (*where, "null_control")
    if control is None:
        if "transmission_principle" in practice.slots:
            told = message(
                "there is no null_control, the template without {slot}: without it nobody can tell "
                "what the condition adds",
                slot="{transmission_principle}",
            )
            yield Problem(where, told, warning=True)
        return
    yield from _template_problems(context, control, spot)
    want = set(practice.slots) - {"transmission_principle"}
    if set(list_slots(control)) != want or len(want) == len(practice.slots):
        told = message(
            "it must be the template without {slot}, and only that", slot="{transmission_principle}"
        )
        yield Problem(spot, told)


def _template_problems(context: ContextFile, template: str, where: Location) -> Found:
    slots = dict.fromkeys(list_slots(template))
    if has_stray_brace(template):
        yield Problem(
            where, message("a brace without its partner in {template}", template=repr(template))
        )
    if template != template.strip():
        yield Problem(
            where, message("it begins or ends with a space: {template}", template=repr(template))
        )
    if not slots:
        yield Problem(where, message("there is no slot in it"))
    for slot in slots:
        if slot not in context.factors:
            told = message(
                "slot {slot} is no factor; {note}",
                slot=f"{{{slot}}}",
                note=nearest(slot, list(context.factors)),
            )
            yield Problem(where, told)
        elif (parent := context.factors[slot].tied_to) is not None and parent not in slots:
            yield Problem(
                where,
                message(
                    "{slot} is tied to {parent}, which is not in it",
                    slot=f"{{{slot}}}",
                    parent=f"{{{parent}}}",
                ),
            )


def _levels_problems(context: ContextFile, levels: Mapping[str, str], where: Location) -> Found:
    """A choice of levels of which a factor or a level does not exist."""
    for name, level in levels.items():
        if name not in context.factors:
            told = message(
                "{name} is no factor; {note}",
                name=repr(name),
                note=nearest(name, list(context.factors)),
            )
            yield Problem((*where, name), told)
        elif level not in (known := context.factors[name].all_levels):
            told = message(
                "{level} is no level of {factor}; {note}",
                level=repr(level),
                factor=name,
                note=nearest(level, known),
            )
            yield Problem((*where, name), told)


def _correction_problems(corrections: Mapping[str, str]) -> Found:
    for wrong, right in corrections.items():
        if not wrong.strip() or wrong == right:
            yield Problem(("corrections", wrong), message("it corrects nothing; take it out"))


def _anchor_problems(context: ContextFile) -> Found:
    for index, anchor in enumerate(context.anchors):
        where = ("anchors", index)
        for key in ("text", "reason"):
            if not getattr(anchor, key).strip():
                yield Problem((*where, key), message("it is empty"))
        if len(anchor.text) > _MAX_LENGTH:
            yield Problem(
                (*where, "text"),
                message("it is longer than {most} characters", most=f"{_MAX_LENGTH:,}"),
            )
    for text, times in Counter(anchor.text for anchor in context.anchors).items():
        if times > 1:
            yield Problem(
                ("anchors",), message("{text} stands {n} times", text=repr(text), n=times)
            )
    if {anchor.expected for anchor in context.anchors} != {"acceptable", "unacceptable"}:
        told = message(
            "give at least one that is plainly acceptable and one that is plainly unacceptable"
        )
        yield Problem(("anchors",), told, warning=True)


def _rating_problems(context: ContextFile) -> Found:
    ratings = context.ratings
    if ratings is None:
        return
    if ratings.low >= ratings.high:
        told = message(
            "the scale goes from {low} to {high}; low must be the lower end",
            low=ratings.low,
            high=ratings.high,
        )
        yield Problem(("ratings", "low"), told)
    seen: set[tuple[object, ...]] = set()
    for index, rating in enumerate(ratings.values):
        where = ("ratings", "values", index)
        if not ratings.low <= rating.mean <= ratings.high:
            told = message(
                "{mean} is not on the scale of {low} to {high}",
                mean=rating.mean,
                low=ratings.low,
                high=ratings.high,
            )
            yield Problem((*where, "mean"), told)
        yield from _number_problems(rating, where)
        if rating.practice is not None and rating.practice not in context.practices:
            told = message(
                "no practice {practice}; {note}",
                practice=repr(rating.practice),
                note=nearest(rating.practice, list(context.practices)),
            )
            yield Problem((*where, "practice"), told)
        yield from _levels_problems(context, rating.levels, (*where, "levels"))
        key = (rating.practice, *sorted(rating.levels.items()))
        if key in seen:
            yield Problem(where, message("these levels were rated before; one rating each"))
        seen.add(key)


def _number_problems(rating: Rating, where: Location) -> Found:
    if rating.sd is not None and not rating.sd >= 0:
        yield Problem(
            (*where, "sd"), message("a standard deviation is not below 0, as {sd} is", sd=rating.sd)
        )
    if rating.n is not None and rating.n < 1:
        yield Problem(
            (*where, "n"), message("{n} people rated nothing; leave n out if unknown", n=rating.n)
        )
