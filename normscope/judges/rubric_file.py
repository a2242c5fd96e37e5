"""A rubric as its file says it: what is asked, on which scale, in which words.

It has criteria (what is asked, on which scale, and what each label means), a template per language,
and, where it tells categories apart, a definition with scoring examples for each.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .scale import Scale

SLOT = re.compile(r"\{([a-z_]+)\}")
CRITERIA_SLOT = "{criteria}"
"""Where the questions of all criteria may stand, ahead of the conversation."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """What a criterion asks in one language: the question, what each label means, how to reply."""

    ask: str
    meanings: Mapping[str, str]
    reply: str

    def text(self, labels: Sequence[str]) -> str:
        """The question with the labels listed in this order, without the reply.

        >>> print(Instruction("Kind?", {"0": "no", "1": "yes"}, "One digit.").text(("1", "0")))
        Kind?
        1 = yes
        0 = no
        """
        listed = (f"{label} = {self.meanings[label].strip()}" for label in labels)
        return "\n".join((self.ask.strip(), *listed))


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question about an answer: its scale, its wording, and what is read off the distribution.

    `read` is `mean` (Σ p·k) or `mode` (the most probable label's value); `worse` says which end of
    the values is the worse one: of a long answer's windows, the worst counts.
    """

    scale: Scale
    read: Literal["mean", "mode"]
    instruction: Mapping[str, Instruction]
    worse: Literal["low", "high"] = "low"

    def value(self, probs: Sequence[float]) -> float | None:
        """What is read off a distribution: its expected value, or its mode's, null at a tie."""
        return self.scale.mode(probs) if self.read == "mode" else self.scale.expected(probs)

    @property
    def labels_by_value(self) -> tuple[str, ...]:
        """The labels of the scale from the worst to the best."""
        pairs = zip(self.scale.values, self.scale.labels, strict=True)
        ordered = sorted(pairs, key=lambda pair: pair[0], reverse=self.worse == "high")
        return tuple(label for _, label in ordered)


@dataclass(frozen=True, slots=True)
class Example:
    """A question and an answer with the verdict that each criterion should give, by label."""

    question: str
    answer: str
    verdicts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Category:
    """What a category is about, in one language, with scoring examples."""

    title: str
    definition: str
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Wording:
    """The rubric's own words in one language.

    `template` has the slot {conversation} and, where the rubric has categories, {title},
    {definition} and {examples}. With {criteria} the questions of all criteria stand there, and
    only the asked one's `reply` follows the conversation; without, its whole instruction follows.
    `example` has {question}, {answer} and {verdicts}; `turns` names
    the speakers (system, user, assistant and the answer to be judged); `lead` begins the reply of a
    model without a chat template.
    """

    template: str
    turns: Mapping[str, str]
    lead: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class RubricFile:
    """A rubric as its file says it, not yet checked."""

    name: str
    version: int
    license: str
    criteria: Mapping[str, Criterion]
    fallback_language: str
    languages: Mapping[str, Wording]
    categories: Mapping[str, Mapping[str, Category]] = field(default_factory=dict)
    fallback_category: str | None = None
