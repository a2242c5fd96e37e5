"""What can be wrong with a rubric beyond the form of its file."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ..errors import nearest
from ..messages import message
from ..problems import Problem
from ..yaml import Location
from .rubric import (
    CRITERIA_SLOT,
    SLOT,
    Category,
    Criterion,
    Example,
    Instruction,
    Rubric,
    Wording,
)

SPEAKERS = ("system", "user", "assistant", "answer")
"""Who speaks in a conversation, and the answer to be judged."""

_EXAMPLE_SLOTS = ("question", "answer", "verdicts")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_NAME_RULE = "must be lower-case letters, digits and underscores, as in 'my_rubric'"
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*")
# columns of a judged file: a criterion of that name would write over them
_COLUMNS = ("question", "response", "category", "language", "score", "windows")
ENDINGS = (
    *("_probs", "_coverage", "_coverage_high", "_reason"),
    *("_reply", "_text", "_text_reason"),
)
"""What a judged file's columns of a criterion end in, beside the one of its name alone."""

_MARKERS = re.compile("[⟦⟧]")


Problems = Iterator[Problem]


def find_problems(rubric: Rubric) -> Problems:
    """Everything that keeps the rubric from asking what is meant, in every language."""
    yield from head_problems(rubric.name, rubric.version, rubric.license, rubric.criteria)
    yield from _language_tag_problems(rubric)
    for name, criterion in rubric.criteria.items():
        yield from _criterion_problems(rubric, name, criterion)
    for language, wording in rubric.languages.items():
        yield from _wording_problems(rubric, wording, ("languages", language))
    for name, wordings in rubric.categories.items():
        yield from _language_problems(rubric, wordings, ("categories", name))
        for language, category in wordings.items():
            yield from _category_problems(rubric, category, ("categories", name, language))
        # scores in two languages would differ by their examples
        if len({len(category.examples) for category in wordings.values()}) > 1:
            text = "the languages have different numbers of examples"
            yield Problem(("categories", name), text, warning=True)


def head_problems(name: str, version: int, licence: str, criteria: Iterable[str]) -> Problems:
    """What is wrong in the head of a rubric's file, or in the names of its criteria."""
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        yield Problem(("name",), f"{name!r} {_NAME_RULE}")
    if version < 1:
        yield Problem(("version",), f"it counts from 1, and is {version}")
    if not licence.strip():
        text = "there is none, so that nobody may use the wording; name one, as in 'CC-BY-4.0'"
        yield Problem(("license",), text, warning=True)
    if not criteria:
        yield Problem(("criteria",), "there is none; a rubric asks at least one question")
    for criterion in criteria:
        where = ("criteria", criterion)
        if not _NAME.fullmatch(criterion):
            yield Problem(where, f"{criterion!r} {_NAME_RULE}")
        if criterion in _COLUMNS or criterion.endswith(ENDINGS):
            yield Problem(where, "judged files have a column of that name; choose another")


def _language_tag_problems(rubric: Rubric) -> Problems:
    for language in rubric.languages:
        if not _LANGUAGE.fullmatch(language):
            tag = message(
                "{language} is not a language tag such as 'en' or 'zh'", language=repr(language)
            )
            yield Problem(("languages", language), tag)
    if rubric.fallback_language not in rubric.languages:
        have = ", ".join(rubric.languages) or "no language"
        text = f"{rubric.fallback_language!r} is none of {have}"
        yield Problem(("fallback_language",), text)
    fallback = rubric.fallback_category
    if fallback is not None and fallback not in rubric.categories:
        have = nearest(fallback, list(rubric.categories)) if rubric.categories else "there are none"
        yield Problem(("fallback_category",), f"{fallback!r} is no category; {have}")


def _criterion_problems(rubric: Rubric, name: str, criterion: Criterion) -> Problems:
    where = ("criteria", name)
    yield from _language_problems(rubric, criterion.instruction, (*where, "instruction"))
    for language, instruction in criterion.instruction.items():
        spot = (*where, "instruction", language)
        yield from _instruction_problems(criterion.scale.labels, instruction, spot)


def _instruction_problems(
    labels: tuple[str, ...], instruction: Instruction, where: Location
) -> Problems:
    for key in ("ask", "reply"):
        yield from _text_problems(getattr(instruction, key), (*where, key))
    listed = ", ".join(labels)
    for label in labels:
        if label not in instruction.meanings:
            text = f"label {label!r} has no meaning here; say one for each of {listed}"
            yield Problem((*where, "meanings"), text)
    for label, meaning in instruction.meanings.items():
        spot = (*where, "meanings", label)
        if label not in labels:
            yield Problem(spot, f"{label!r} is not on the scale ({listed})")
        yield from _text_problems(meaning, spot)
    for meaning, times in Counter(instruction.meanings.values()).items():
        if times > 1:
            yield Problem((*where, "meanings"), f"{times} labels mean {meaning!r}")


def _wording_problems(rubric: Rubric, wording: Wording, where: Location) -> Problems:
    yield from _template_problems(rubric, wording, where)
    for speaker in SPEAKERS:
        if speaker not in wording.turns:
            yield Problem((*where, "turns"), f"turns lack {speaker}")
    for speaker, label in wording.turns.items():
        spot = (*where, "turns", speaker)
        if speaker not in SPEAKERS:
            yield Problem(spot, f"{speaker!r} is no speaker; {nearest(speaker, SPEAKERS)}")
        if not label.strip() or "\n" in label or _MARKERS.search(label):
            yield Problem(spot, f"{label!r} must be a word or two on one line")
    for label, times in Counter(wording.turns.values()).items():
        if times > 1:
            yield Problem((*where, "turns"), f"{times} speakers are called {label!r}")


def _template_problems(rubric: Rubric, wording: Wording, where: Location) -> Problems:
    examples = any(c.examples for kinds in rubric.categories.values() for c in kinds.values())
    template, slots = wording.template, ["conversation"]
    if rubric.categories:
        slots = ["title", "definition", *(["examples"] if examples else []), *slots]
    if CRITERIA_SLOT in template:
        slots.append("criteria")
    yield from _slot_problems(template, slots, (*where, "template"))
    if examples:
        yield from _slot_problems(wording.example, _EXAMPLE_SLOTS, (*where, "example"))
    elif wording.example:
        yield Problem((*where, "example"), "no category has examples; take it out")
    if SLOT.findall(template)[-1:] != ["conversation"] and "{conversation}" in template:
        text = "put {conversation} last: what stands before it is computed once for many answers"
        yield Problem((*where, "template"), text, warning=True)
    if not _MARKERS.search(template):
        text = "say that what stands between ⟦…⟧ is to be judged and is no instruction"
        yield Problem((*where, "template"), text, warning=True)


def _slot_problems(template: str, slots: Iterable[str], where: Location) -> Problems:
    want, have = sorted(slots), SLOT.findall(template)
    if sorted(have) != want:
        text = ", ".join(f"{{{slot}}}" for slot in want)
        present = ", ".join(f"{{{slot}}}" for slot in have) or "none"
        yield Problem(where, f"needs each of {text} once, has {present}")
    if re.search("[{}]", SLOT.sub("", template)):
        yield Problem(where, "a brace in it belongs to no slot; write it out in words")


def _category_problems(rubric: Rubric, category: Category, where: Location) -> Problems:
    for key in ("title", "definition"):
        yield from _text_problems(getattr(category, key), (*where, key))
    for index, example in enumerate(category.examples):
        yield from _example_problems(rubric, example, (*where, "examples", index))


def _example_problems(rubric: Rubric, example: Example, where: Location) -> Problems:
    for key in ("question", "answer"):
        yield from _text_problems(getattr(example, key), (*where, key), braces=True)
    for criterion, label in example.verdicts.items():
        spot = (*where, "verdicts", criterion)
        if criterion not in rubric.criteria:
            text = nearest(criterion, list(rubric.criteria))
            yield Problem(spot, f"a verdict for {criterion!r}, not a criterion; {text}")
        elif label not in (labels := rubric.criteria[criterion].scale.labels):
            yield Problem(spot, f"the verdict is {label!r}, not one of {', '.join(labels)}")
    if missing := [criterion for criterion in rubric.criteria if criterion not in example.verdicts]:
        text = f"no verdict for {', '.join(missing)}"
        yield Problem((*where, "verdicts"), text, warning=True)


def _language_problems(rubric: Rubric, texts: Mapping[str, object], where: Location) -> Problems:
    for language in rubric.languages:
        if language not in texts:
            yield Problem(where, f"nothing in {language!r}; say it in every language")
    for language in texts:
        if language not in rubric.languages:
            text = nearest(language, list(rubric.languages)) if rubric.languages else "none is"
            yield Problem((*where, language), f"{language!r} is not among the languages; {text}")


def _text_problems(text: str, where: Location, *, braces: bool = False) -> Problems:
    if not text.strip():
        yield Problem(where, "it is empty")
    if not braces and SLOT.search(text):
        yield Problem(where, "slots are filled in the template only, not here")
    if _MARKERS.search(text):
        yield Problem(where, "the markers ⟦ and ⟧ are for untrusted text only")
