"""A vignette context: one YAML file that says how a family of vignettes is made.

A vignette describes a flow of information by the five parameters of contextual integrity: who
sends what about whom to whom, and under which transmission principle. A context gives each of the
five as a factor with levels, as a constant, or as absent with a reason. It may add factors of its
own. A practice is one template over these factors; a context has one or several.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

PARAMETERS = ("sender", "recipient", "subject", "attribute", "transmission_principle")
"""The parameters of an information flow (contextual integrity)."""

LANGUAGE_TAG = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*")
"""What a file may give as its language: a tag of BCP 47, of which the first part is looked at."""

_SLOT = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Factor:
    """What varies, and the levels that it takes, in the order in which they are gone through.

    A factor has `levels` of its own, or it is `tied_to` an earlier one and `levels_for` says which
    of its levels go with each level of that factor. `optional` permits one empty level: the slot
    is then left empty. `source_label` is what the source calls the factor.
    """

    levels: tuple[str, ...] = ()
    tied_to: str | None = None
    levels_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional: bool = False
    source_label: str | None = None

    @property
    def all_levels(self) -> tuple[str, ...]:
        """Every level that occurs, each once."""
        tied = (level for levels in self.levels_for.values() for level in levels)
        return tuple(dict.fromkeys((*self.levels, *tied)))


@dataclass(frozen=True, slots=True)
class Practice:
    """One template, its control without the transmission principle, and its own constants."""

    template: str
    null_control: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots of the template, each once."""
        return tuple(dict.fromkeys(list_slots(self.template)))


@dataclass(frozen=True, slots=True)
class Anchor:
    """A vignette outside the product whose answer is not in doubt, and why it is not.

    A model that gets it wrong has not understood the question; its other answers mean little.
    """

    text: str
    expected: Literal["acceptable", "unacceptable"]
    reason: str


@dataclass(frozen=True, slots=True)
class Rating:
    """What people said of the vignettes with these levels; a factor left out is averaged over.

    `mean` and `sd` are of the `n` people whose answer counts, null where nobody's does; `missing`
    people gave another. `counts` is how many gave each answer, empty where that is not known.
    """

    levels: Mapping[str, str]
    mean: float | None
    sd: float | None = None
    n: int | None = None
    practice: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    missing: int | None = None


@dataclass(frozen=True, slots=True)
class Ratings:
    """What people were asked, on which scale, where it was published, and what they said.

    `values` stand in the context's file, or in the table `file` beside it (`ratings.py`), of which
    `answers` are the words with what each counts from `low` to `high`, and `no_answer` those that
    are no answer to the question.
    """

    question: str
    low: float
    high: float
    source: str
    values: tuple[Rating, ...] = ()
    file: str | None = None
    answers: Mapping[str, float] = field(default_factory=dict)
    no_answer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextFile:
    """Everything that a context file says; `check.find_problems` tells what is wrong with it.

    The order of `factors` is that of the product: the last factor changes fastest. `population` is
    the people or jurisdiction whose norms the vignettes were written to measure, `instrument` and
    `year` the survey that they come from. `exclusions` are combinations of levels that are left
    out; with `only_rated`, all are left out but those that `ratings` are of. A practice may hold
    constant what the context calls `absent`. `corrections` are exact pairs, wrong to right, that
    make a second, corrected variant of the vignettes. `prompts` names the file beside this one
    whose variants ask about the vignettes, in place of the published ones.
    """

    name: str
    title: str
    language: str
    population: str
    instrument: str
    year: int
    source: str
    contributors: tuple[str, ...]
    factors: Mapping[str, Factor]
    practices: Mapping[str, Practice]
    license: str = ""
    prompts: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    exclusions: tuple[Mapping[str, str], ...] = ()
    corrections: Mapping[str, str] = field(default_factory=dict)
    anchors: tuple[Anchor, ...] = ()
    ratings: Ratings | None = None
    only_rated: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The five parameters, then the context's own factors: the columns of its tables."""
        return (*PARAMETERS, *(name for name in self.factors if name not in PARAMETERS))

    @property
    def facets(self) -> tuple[str, ...]:
        """The columns that vary: the factors, and the practice if there are several."""
        practice = ("practice",) if len(self.practices) > 1 else ()
        return (*(name for name in self.columns if name in self.factors), *practice)

    @property
    def ratings_file(self) -> str | None:
        """The name of the file with people's ratings; null where there is none."""
        return None if self.ratings is None else self.ratings.file

    @property
    def has_null_control(self) -> bool:
        """Whether any practice has a template without the transmission principle."""
        return any(practice.null_control is not None for practice in self.practices.values())


def factors_of(context: ContextFile, template: str) -> tuple[str, ...]:
    """The factors that a template uses, in the order of the product."""
    slots = list_slots(template)
    return tuple(name for name in context.factors if name in slots)


def list_slots(template: str) -> list[str]:
    """The names in braces, as often as they occur.

    >>> list_slots("{sender} tells {recipient}, and {sender} knows it")
    ['sender', 'recipient', 'sender']
    """
    return _SLOT.findall(template)


def has_stray_brace(template: str) -> bool:
    """Whether a brace is left when the slots are taken out.

    >>> has_stray_brace("{sender} records {attribute")
    True
    """
    return any(brace in _SLOT.sub("", template) for brace in "{}")


def fill(template: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The template filled with each row, whose values are those of `names`.

    A value is put in as it is and never scanned for slots.

    >>> fill("{a} and {b}", ["b", "a"], [("x", "{b}")])
    ['{b} and x']
    """
    pieces = _SLOT.split(template)  # text, slot, text, slot, …, text
    between, places = pieces[0::2], [names.index(slot) for slot in pieces[1::2]]
    return [
        "".join(
            text + value
            for text, value in zip(between, [*(row[at] for at in places), ""], strict=True)
        )
        for row in rows
    ]
