"""What can be wrong with a context beyond the form of its file, short of how its parts join."""

import re
from collections.abc import Iterable, Iterator, Mapping

from ...errors import nearest
from ...messages import marked
from ...problems import Problem, problem
from ...yaml import Location
from .context_file import (
    LANGUAGE_TAG,
    PARAMETERS,
    ContextFile,
    Factor,
    Practice,
    has_stray_brace,
    list_slots,
)

SUFFIXES = ("null", "anchors", "corrected", "ratings", "orders", "prompts")
"""What follows a context's name in the names of its configs."""

_TAKEN_NAMES = ("anchors", "confaide")
_TAKEN_COLUMNS = (
    *("item_id", "original_id", "practice", "vignette", "variant_id", "scale_order", "prompt"),
    "prompt_language",
    *("mean", "sd", "n", "low", "high", "question", "source", "item_ids"),
    *("answer", "counts", "missing"),
)
NAME = re.compile(r"[a-z][a-z0-9_]*")
_BESIDE = re.compile(r"[\w-][\w.-]*\.ya?ml")
_NAME_RULE = marked("{name} must be lower-case letters, digits and underscores, as in 'smart_home'")

_MOST_ENTRIES = 100
_MOST_LEVELS = 1_000
_MOST_CHARACTERS = 4_000
_STOPS = (".", "。", "．", "!", "！", "?", "？")

Problems = Iterator[Problem]


def find_problems(context: ContextFile) -> Problems:
    """Everything about the context that keeps it from being generated as it is meant.

    A context beyond reason is only told so: the rest of the checks would take long.
    """
    if too_large := list(_size_problems(context)):
        yield from too_large
        return
    yield from _name_problems(context)
    yield from _head_problems(context)
    yield from _parameter_problems(context)
    # a factor in no template varies nothing: most likely a slot is misspelt
    used = {slot for practice in context.practices.values() for slot in practice.slots}
    earlier: list[str] = []
    for name in context.factors:
        yield from _factor_problems(context, name, earlier)
        if name not in used:
            yield problem(
                ("factors", name),
                "no template has the slot {slot}; use it or take it out",
                slot=f"{{{name}}}",
            )
        earlier.append(name)
    if not context.practices:
        yield problem(("practices",), "there is none; a context needs at least one template")
    for name, practice in context.practices.items():
        yield from _practice_problems(context, practice, ("practices", name))
    for index, exclusion in enumerate(context.exclusions):
        if not exclusion:
            yield problem(("exclusions", index), "it is empty and would leave out everything")
        yield from _levels_problems(context, exclusion, ("exclusions", index))
    yield from _anchor_problems(context)
    yield from _rating_problems(context)


def _empty(texts: Iterable[tuple[Location, str]]) -> Problems:
    for where, text in texts:
        if not text.strip():
            yield problem(where, "it is empty")


def _unknown(
    where: Location, name: str, known: Iterable[str], text: str, *, factor: str = ""
) -> Problems:
    """The text, with the nearest that there is, for a name that there is not."""
    names = [*known]
    if name not in names:
        yield problem(where, text, name=repr(name), note=nearest(name, names), factor=factor)


def _size_problems(context: ContextFile) -> Problems:
    sizes: list[tuple[Location, int, int]] = [
        ((kind,), len(getattr(context, kind)), _MOST_ENTRIES)
        for kind in ("factors", "practices", "exclusions", "anchors")
    ]
    longest = {}
    for name, factor in context.factors.items():
        levels = factor.all_levels
        sizes.append((("factors", name), len(levels), _MOST_LEVELS))
        longest[name] = max(map(len, levels), default=0)
    for name, practice in context.practices.items():
        for template in (practice.template, practice.null_control or ""):
            length = len(template) + sum(longest.get(slot, 0) for slot in list_slots(template))
            if length > _MOST_CHARACTERS:
                yield problem(
                    ("practices", name),
                    "a vignette would have up to {length} characters; at most {most}",
                    length=f"{length:,}",
                    most=f"{_MOST_CHARACTERS:,}",
                )
    for where, number, most in sizes:
        if number > most:
            yield problem(
                where, "{number} are too many; at most {most}", number=f"{number:,}", most=most
            )


def _name_problems(context: ContextFile) -> Problems:
    for kind in ("practices", "factors"):
        for name in getattr(context, kind):
            if not NAME.fullmatch(name):
                yield problem((kind, name), _NAME_RULE, name=repr(name))
    if not NAME.fullmatch(context.name):
        yield problem(("name",), _NAME_RULE, name=repr(context.name))
    reserved = context.name.endswith(tuple(f"_{suffix}" for suffix in SUFFIXES))
    if reserved or context.name in _TAKEN_NAMES:
        text = marked("{name} is called, or ends, like one of our configs; choose another")
        yield problem(("name",), text, name=repr(context.name))


def _head_problems(context: ContextFile) -> Problems:
    if not LANGUAGE_TAG.fullmatch(context.language):
        yield problem(
            ("language",),
            "{language} is not a language tag such as 'en' or 'zh'",
            language=repr(context.language),
        )
    if context.prompts is not None and not _BESIDE.fullmatch(context.prompts):
        yield problem(
            ("prompts",),
            "{file} is not the name of a YAML file beside this one, as in prompts: kindly.yaml",
            file=repr(context.prompts),
        )
    keys = ("title", "population", "instrument", "source")
    yield from _empty(((key,), getattr(context, key)) for key in keys)
    if not context.license.strip():
        yield problem(
            ("license",),
            "there is none, so that nobody may use the wording; name one, as in 'CC-BY-4.0'",
            warning=True,
        )
    if not context.contributors:
        yield problem(("contributors",), "it is empty; name at least one person or group")


def _parameter_problems(context: ContextFile) -> Problems:
    for kind in ("constants", "absent"):
        texts = getattr(context, kind)
        yield from _empty(((kind, name), text) for name, text in texts.items())
        for name in texts:
            text = marked("{name} is not a parameter; {note}")
            yield from _unknown((kind, name), name, PARAMETERS, text)
    for name in PARAMETERS:
        places = [k for k in ("factors", "constants", "absent") if name in getattr(context, k)]
        if len(places) != 1:
            yield problem(
                (places[-1], name) if places else (),
                "{name} is there {n} times: give it once, under factors, constants or absent (with "
                "a reason)",
                name=name,
                n=len(places),
            )


def _factor_problems(context: ContextFile, name: str, earlier: list[str]) -> Problems:
    factor, where = context.factors[name], ("factors", name)
    if name in _TAKEN_COLUMNS:
        yield problem(where, "the tables have a column of that name; choose another")
    if factor.tied_to is None:
        if factor.levels_for:
            text = marked("levels_for needs tied_to: which factor are the levels tied to?")
            yield problem((*where, "levels_for"), text)
        yield from _level_problems(factor.levels, factor, (*where, "levels"))
        return
    if factor.levels:
        yield problem((*where, "levels"), "a tied factor has levels_for, not levels")
    # earlier ones only: two factors tied to each other would never end
    if factor.tied_to not in earlier:
        yield problem(
            (*where, "tied_to"),
            "{name} is no factor that stands before it in the file",
            name=repr(factor.tied_to),
        )
        return
    parent = context.factors[factor.tied_to].all_levels
    for level in parent:
        if level not in factor.levels_for:
            yield problem(
                (*where, "levels_for"),
                "it says nothing for {factor} {level}",
                factor=factor.tied_to,
                level=repr(level),
            )
    for level, tied_levels in factor.levels_for.items():
        spot = (*where, "levels_for", level)
        text = marked("{name} is no level of {factor}; {note}")
        yield from _unknown(spot, level, parent, text, factor=factor.tied_to)
        yield from _level_problems(tied_levels, factor, spot)


def _level_problems(levels: tuple[str, ...], factor: Factor, where: Location) -> Problems:
    """Levels that are empty, stand twice, are alone, or begin or end with a space."""
    if not levels:
        yield problem(where, "there are no levels")
    if len(levels) == 1 and factor.tied_to is None:
        yield problem(
            where,
            "{level} is the only level, so that nothing varies; if several are meant, give each "
            "its own line, else write it into the template and put it under constants",
            warning=True,
            level=repr(levels[0]),
        )
    for index, level in enumerate(levels):
        spot = (*where, index)
        # twice the level is twice the vignette, with one id
        if level in levels[:index]:
            yield problem(spot, "level {level} stands twice", level=repr(level))
        if level != level.strip() or "\n" in level:
            yield problem(
                spot,
                "level {level} begins or ends with a space, or has a line break; write it in one "
                "line",
                level=repr(level),
            )
        elif not level and not factor.optional:
            yield problem(
                spot, "a level is empty; say `optional: true` if the slot may be left empty"
            )


def _practice_problems(context: ContextFile, practice: Practice, where: Location) -> Problems:
    constants = practice.constants
    yield from _empty(((*where, "constants", name), text) for name, text in constants.items())
    for name in constants.keys() - context.absent.keys():
        text = marked("only what the context calls absent can be constant here")
        yield problem((*where, "constants", name), text)
    yield from _template_problems(context, practice.template, (*where, "template"))
    control, spot = practice.null_control, (*where, "null_control")
    if control is None:
        if "transmission_principle" in practice.slots:
            yield problem(
                where,
                "there is no null_control, the template without {slot}: without it nobody can tell "
                "what the condition adds",
                warning=True,
                slot="{transmission_principle}",
            )
        return
    yield from _template_problems(context, control, spot)
    want = set(practice.slots) - {"transmission_principle"}
    if set(list_slots(control)) != want or len(want) == len(practice.slots):
        yield problem(
            spot,
            "it must be the template without {slot}, and only that",
            slot="{transmission_principle}",
        )


def _template_problems(context: ContextFile, template: str, where: Location) -> Problems:
    slots = dict.fromkeys(list_slots(template))
    if not slots:
        yield problem(
            where,
            "there is no slot in it; write the name of each factor in braces, as in {slot}",
            slot=f"{{{next(iter(context.factors), 'sender')}}}",
        )
    if has_stray_brace(template):
        yield problem(where, "a brace without its partner in {template}", template=repr(template))
    if template.endswith(_STOPS):
        yield problem(
            where,
            "it ends with {sign}, and the prompt goes on after it; leave the sign out",
            warning=True,
            sign=repr(template[-1]),
        )
    for slot in slots:
        text = marked("slot {name} is no factor; {note}")
        yield from _unknown(where, slot, context.factors, text)
        factor = context.factors.get(slot)
        if factor and (parent := factor.tied_to) is not None and parent not in slots:
            yield problem(
                where,
                "{slot} is tied to {parent}, which is not in it",
                slot=f"{{{slot}}}",
                parent=f"{{{parent}}}",
            )


def _levels_problems(context: ContextFile, levels: Mapping[str, str], where: Location) -> Problems:
    """A choice of levels of which a factor or a level does not exist."""
    for name, level in levels.items():
        spot = (*where, name)
        yield from _unknown(spot, name, context.factors, marked("{name} is no factor; {note}"))
        if factor := context.factors.get(name):
            text = marked("{name} is no level of {factor}; {note}")
            yield from _unknown(spot, level, factor.all_levels, text, factor=name)


def _anchor_problems(context: ContextFile) -> Problems:
    for index, anchor in enumerate(context.anchors):
        where = ("anchors", index)
        yield from _empty((((*where, "text"), anchor.text), ((*where, "reason"), anchor.reason)))
    if {anchor.expected for anchor in context.anchors} != {"acceptable", "unacceptable"}:
        yield problem(
            ("anchors",),
            "give at least one that is plainly acceptable and one that is plainly unacceptable",
            warning=True,
        )


def _rating_problems(context: ContextFile) -> Problems:
    ratings = context.ratings
    if ratings is None:
        if context.only_rated:
            yield problem(("only_rated",), "there are no ratings; give them, or take it out")
        return
    if not (ratings.values or ratings.file):
        yield problem(("ratings",), "there are none; give values, or the name of a file")
    numbers: list[tuple[Location, float | None]] = [
        *((("ratings", "answers", answer), value) for answer, value in ratings.answers.items()),
        *((("ratings", "values", at, "mean"), each.mean) for at, each in enumerate(ratings.values)),
    ]
    for spot, value in numbers:
        if value is not None and not ratings.low <= value <= ratings.high:
            yield problem(
                spot,
                "{mean} is not on the scale of {low} to {high}",
                mean=value,
                low=ratings.low,
                high=ratings.high,
            )
    seen: set[tuple[object, ...]] = set()
    for index, rating in enumerate(ratings.values):
        where = ("ratings", "values", index)
        if rating.practice is not None:
            text = marked("{name} is no practice; {note}")
            yield from _unknown((*where, "practice"), rating.practice, context.practices, text)
        yield from _levels_problems(context, rating.levels, (*where, "levels"))
        key = (rating.practice, *sorted(rating.levels.items()))
        if key in seen:
            yield problem(where, "these levels were rated before; one rating each")
        seen.add(key)
