"""A guard: a model that was trained to judge, asked as its makers ask it.

Its reply has fields (`Safety: Unsafe`, `Refusal: No`), each with a few labels. All replies up to a
field are the labels of one request, letter for letter; the probability of a label in a later field
is the sum over the labels of the earlier ones, and what lies beyond the replies that are listed is
1 − coverage. Where one listed reply begins another, they are read whole, up to the end of the turn.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from .engine import Form, LabelResult
from .scale import Scale

NONE = "none"
"""The label of a field that stands in some replies only, where it does not stand."""

CATEGORIES = "categories"
"""The criterion of a guard's own kinds of harm."""

Labels = Mapping[str, str]
"""The label of each field of a reply."""

Texts = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: value if isinstance(value, list | tuple) else (value,)),
]
"""One text or several; how a label is written is letter for letter."""


@dataclass(frozen=True, slots=True)
class Field:
    """A part of a reply: what stands before it, and how each of its labels is written.

    With `when` it stands only in replies that have these labels in earlier fields.
    """

    labels: Mapping[str, Texts]
    before: str = ""
    when: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a criterion is: one field (`of`) with what its labels are worth, or several together.

    With `every` the criterion has the labels `yes`, where each field has one of these, and `no`.
    """

    of: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    every: Mapping[str, Texts] = field(default_factory=dict)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that have to be read."""
        return (self.of,) if self.of else tuple(self.every)

    def label(self, labels: Labels) -> str:
        """What a reply says under the criterion."""
        if self.of:
            return labels.get(self.of, NONE)
        holds = all(labels.get(name) in wanted for name, wanted in self.every.items())
        return "yes" if holds else "no"


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that the guard's makers published, on which set, and where."""

    model: str
    set: str
    figure: str
    value: float
    source: str

    def __str__(self) -> str:
        """The figure in one line."""
        return f"{self.model}: {self.figure} {self.value:.3f} on {self.set} ({self.source})"


@dataclass(frozen=True)
class Guard:
    """A guard's file: which models it is for, what is asked, what can be replied and what it means.

    `docs/guards.md` says what each key is. `template` is the SHA-256 of the chat template that it
    was written for, `languages` those it was trained for; null where nobody could look. A written
    reply is read behind its last `after`, where its reasons end.
    """

    name: str
    version: int
    license: str
    source: str
    fields: Mapping[str, Field]
    criteria: Mapping[str, Reading]
    models: tuple[str, ...] = ()
    template: str | None = None
    languages: tuple[str, ...] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    messages: tuple[Mapping[str, str], ...] = ()
    text: str = ""
    parts: bool = False
    begins: str = ""
    marks: tuple[str, ...] = ()
    policies: Mapping[str, str] = field(default_factory=dict)
    argument: str = ""
    text_only: bool = False
    reply_tokens: int = 64
    after: str = "</think>"
    variants: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    published: tuple[Published, ...] = ()

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """How it is asked: one form for each policy, or the only one."""
        messages = tuple((turn["role"], turn["content"]) for turn in self.messages)
        form = Form(self.arguments, messages, self.text, self.begins, self.marks, self.parts)
        if not self.policies:
            return (form,)
        told = [{self.argument: text} if self.argument else {} for text in self.policies.values()]
        return tuple(
            replace(form, policy=text, arguments={**self.arguments, **own})
            for text, own in zip(self.policies.values(), told, strict=True)
        )

    def labels(self, criterion: str) -> tuple[str, ...]:
        """The labels of a criterion."""
        reading = self.criteria[criterion]
        if reading.every:
            return ("no", "yes")
        part = self.fields[reading.of]
        return tuple(dict.fromkeys((*([NONE] if part.when else []), *part.labels)))

    def replies(self, criterion: str) -> dict[str, Labels]:
        """Every reply up to the last field that the criterion needs, with its labels by field.

        >>> harm, no = {"a": ("A",), "b": ("B",)}, {"y": ("Y",), "n": ("N",)}
        >>> fields = {"harm": Field(harm), "no": Field(no, "; ")}
        >>> criteria = {"moral": Reading("harm"), "refuses": Reading("no")}
        >>> guard = Guard("mine", 1, "CC0-1.0", "", fields, criteria)
        >>> [*guard.replies("moral")], [*guard.replies("refuses")]
        (['A', 'B'], ['A; Y', 'A; N', 'B; Y', 'B; N'])
        """
        names = list(self.fields)
        last = max(names.index(name) for name in self.criteria[criterion].fields)
        replies: dict[str, Labels] = {"": {}}
        for name in names[: last + 1]:
            part, longer = self.fields[name], {}
            for text, labels in replies.items():
                if any(labels.get(other) != label for other, label in part.when.items()):
                    longer[text] = labels
                    continue
                for label, spellings in part.labels.items():
                    for spelling in spellings:
                        longer[text + part.before + spelling] = {**labels, name: label}
            replies = longer
        return replies

    @cached_property
    def scales(self) -> Mapping[str, Scale]:
        """The replies as the labels of one request for each criterion, in no other spelling."""
        scales = {}
        for criterion in self.criteria:
            texts = tuple(self.replies(criterion))
            values = tuple(map(float, range(len(texts))))
            scales[criterion] = Scale(texts, values, {text: (text,) for text in texts})
        return scales

    @cached_property
    def _readings(self) -> Mapping[str, tuple[str, ...]]:
        """What each of the replies says under each criterion."""
        return {
            criterion: tuple(map(reading.label, self.replies(criterion).values()))
            for criterion, reading in self.criteria.items()
        }

    def summed(self, criterion: str, result: LabelResult) -> LabelResult:
        """The log-probability of each label of a criterion, from that of each reply."""
        if result.logprobs is None:
            return result
        sums: dict[str, list[float]] = {label: [] for label in self.labels(criterion)}
        for label, logprob in zip(self._readings[criterion], result.logprobs, strict=True):
            sums[label].append(logprob)
        totals = (float(np.logaddexp.reduce(each, initial=-np.inf)) for each in sums.values())
        return replace(result, logprobs=tuple(totals))

    def label_in(self, criterion: str, text: str) -> str | None:
        """What a written reply says, behind the reasons that it gives first; null if nothing.

        >>> fields = {"harm": Field({"yes": ("Yes",), "no": ("No",)}, "Harmful: ")}
        >>> guard = Guard("mine", 1, "CC0-1.0", "", fields, {"moral": Reading("harm")})
        >>> guard.label_in("moral", "<think>Is it? Yes</think>Harmful:  No")
        'no'
        """
        reading, by_field = self.criteria[criterion], self._fields_in(text)
        if any(name not in by_field and not self.fields[name].when for name in reading.fields):
            return None
        return reading.label(by_field)

    def _fields_in(self, text: str) -> Labels:
        """The label of each field that stands in the text, one field after the other."""
        text, found = text.rpartition(self.after)[2], {}
        for name, part in self.fields.items():
            spelt = {text.strip(): label for label, texts in part.labels.items() for text in texts}
            longest = "|".join(map(re.escape, sorted(spelt, key=len, reverse=True)))
            match = re.search(rf"{re.escape(part.before.strip())}\s*({longest})(?!\w)", text)
            if match:
                found[name], text = spelt[match[1]], text[match.end() :]
        return found
