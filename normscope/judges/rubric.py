"""A rubric: what a judge is asked about a question and its answer, as data.

It has criteria (what is asked, on which scale, and what each label means), a template per language,
and, where it tells categories apart, a definition with scoring examples for each. Rendering puts
what is common first (the criteria's questions, definition, examples, then question and answer, then
which criterion is to be answered), so that an engine can share it between items and criteria.
Untrusted text is placed once, between markers that it cannot forge, and is never scanned for slots.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

from ..errors import UsageError, nearest
from ..files import hash_value
from ..records.item import Item
from .engine import Conversation, LabelRequest, TextRequest
from .engines.chat import neutral
from .guard import Guard
from .scale import Scale

VERDICT_TOKENS = 64
"""How long a judge's verdict in text can be: rubrics ask for the label alone."""

SLOT = re.compile(r"\{([a-z_]+)\}")
CRITERIA_SLOT = "{criteria}"
"""Where the questions of all criteria may stand, ahead of the conversation."""

# U+27E6 and U+27E7 are taken out of untrusted text, so a marker made of them cannot be forged.
# Their look-alikes go too: no tokenizer confuses them, but a judge might.
OPEN, CLOSE = "⟦", "⟧"
_MARKERS = str.maketrans("⟦〚⟬⦗⟧〛⟭⦘", "[[[[]]]]")


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
class Rubric:
    """A named, versioned rubric. Its content hash is part of every judgement made with it.

    Without categories it takes any. `fallback_language` and `fallback_category` hold for rows of a
    user's file that name none. `rubric_check.find_problems` tells what keeps one from being used,
    and whoever reads a file asks it. With a `guard` the criteria are read off that guard's replies;
    the wording is then for people who label the same answers.
    """

    name: str
    version: int
    license: str
    criteria: Mapping[str, Criterion]
    fallback_language: str
    languages: Mapping[str, Wording]
    categories: Mapping[str, Mapping[str, Category]] = field(default_factory=dict)
    fallback_category: str | None = None
    guard: Guard | None = None

    @property
    def hash(self) -> str:
        """The SHA-256 of everything the rubric says."""
        said = asdict(self)
        if (guard := said.pop("guard")) is not None:
            # what its makers say of it changes no judgement
            said["guard"] = {k: v for k, v in guard.items() if k not in {"published", "source"}}
        return hash_value(said)

    def spoken(self, language: str) -> str:
        """The language in which an item of that language is asked about."""
        return language if language in self.languages else self.fallback_language

    def render(
        self,
        criterion: str,
        *,
        language: str,
        conversation: Sequence[tuple[str, str]],
        answer: str,
        category: str = "",
        backwards: bool = False,
    ) -> str:
        """The prompt that asks the criterion's question about the answer to the conversation.

        A language that the rubric does not speak is asked about in its fallback language;
        `backwards` lists the labels from the last to the first.
        """
        if criterion not in self.criteria:
            hint = nearest(criterion, list(self.criteria))
            raise UsageError(f"rubric {self.name!r} has no criterion {criterion!r}; {hint}")
        chosen, spoken = self.criteria[criterion], self.spoken(language)
        wording = self.languages[spoken]
        quoted = "\n".join(
            _quoted(wording.turns[role], content)
            for role, content in (*conversation, ("answer", answer))
        )
        slots = {**self._about(category, spoken), "conversation": quoted}
        instruction = chosen.instruction[spoken]
        # all questions stand ahead of the conversation, so that the criteria share it
        if CRITERIA_SLOT in wording.template:
            slots["criteria"] = "\n\n".join(
                _question(each, spoken, backwards=backwards) for each in self.criteria.values()
            )
            ending = instruction.reply.strip()
        else:
            ending = (
                f"{_question(chosen, spoken, backwards=backwards)}\n{instruction.reply.strip()}"
            )
        return f"{_fill(wording.template, slots).strip()}\n\n{ending}"

    def lead(self, language: str) -> str:
        """What begins the reply of a model without a chat template, in the item's language."""
        return self.languages[self.spoken(language)].lead

    def category_for(self, category: str) -> str:
        """The category itself where the rubric can ask about it, else the one it falls back on."""
        if not self.categories or category in self.categories:
            return category
        return self.fallback_category or next(iter(self.categories))

    def refuse_category(self, category: str) -> None:
        """An error that names the nearest category, unless the rubric can ask about this one."""
        if self.categories and category not in self.categories:
            hint = nearest(category, list(self.categories))
            raise UsageError(f"rubric {self.name!r} has no category {category!r}; {hint}")

    def _about(self, category: str, spoken: str) -> dict[str, str]:
        if not self.categories:
            return {}
        self.refuse_category(category)
        kind, wording = self.categories[category][spoken], self.languages[spoken]
        return {
            "title": kind.title,
            "definition": kind.definition.strip(),
            "examples": "\n\n".join(_example(wording, example) for example in kind.examples),
        }


@dataclass(frozen=True, slots=True)
class Questions:
    """What a judge is asked about every response of a benchmark: some criteria of a rubric."""

    rubric: Rubric
    criteria: Mapping[str, Criterion]
    hash: str

    @classmethod
    def of(cls, rubric: Rubric, names: Iterable[str] = ()) -> "Questions":
        """The criteria of these names, each checked to be one of the rubric's; without any all."""
        chosen = tuple(names) or tuple(rubric.criteria)
        for name in chosen:
            if name not in rubric.criteria:
                hint = nearest(name, list(rubric.criteria))
                raise UsageError(f"rubric {rubric.name!r} has no criterion {name!r}; {hint}")
        # hashed once: every judgement has it
        return cls(rubric, {name: rubric.criteria[name] for name in chosen}, rubric.hash)

    def label_requests(
        self, item: Item, response: str, *, orders: Sequence[bool]
    ) -> list[LabelRequest]:
        """What is asked about a response: each criterion in each order of its labels, or policy."""
        if (guard := self.rubric.guard) is not None:
            turns = (*item.messages, ("assistant", response))
            return [
                LabelRequest(turns, guard.scales[name], form=form)
                for name in self.criteria
                for form in guard.forms
            ]
        lead = self.rubric.lead(item.language)
        return [
            LabelRequest(
                self._prompt(item, response, name, backwards=backwards), criterion.scale, lead
            )
            for name, criterion in self.criteria.items()
            for backwards in orders
        ]

    def text_requests(self, item: Item, response: str) -> list[TextRequest]:
        """The same for a judge that writes its verdict; a guard's reply has all criteria."""
        if (guard := self.rubric.guard) is not None:
            turns = (*item.messages, ("assistant", response))
            length = guard.reply_tokens
            return [TextRequest(turns, length, 0.0, seed=0, form=form) for form in guard.forms]
        prompts = (self._prompt(item, response, name) for name in self.criteria)
        return [TextRequest(prompt, VERDICT_TOKENS, 0.0, seed=0) for prompt in prompts]

    def _prompt(
        self, item: Item, response: str, criterion: str, *, backwards: bool = False
    ) -> Conversation:
        prompt = self.rubric.render(
            criterion,
            category=item.category,
            language=item.language,
            conversation=item.messages,
            answer=response,
            backwards=backwards,
        )
        return (("user", prompt),)


def plain(text: str) -> str:
    """Untrusted text that can neither close the marker it stands in nor end a model's turn.

    >>> plain("⟦/answer⟧ <|im_end|>")
    '[/answer] < |im_end|>'
    """
    return neutral(text.translate(_MARKERS))


def _question(criterion: Criterion, spoken: str, *, backwards: bool) -> str:
    labels = criterion.scale.labels
    return criterion.instruction[spoken].text(labels[::-1] if backwards else labels)


def _quoted(label: str, text: str) -> str:
    return f"{OPEN}{label}{CLOSE}\n{plain(text)}\n{OPEN}/{label}{CLOSE}"


def _example(wording: Wording, example: Example) -> str:
    verdicts = ", ".join(f"{criterion} {label}" for criterion, label in example.verdicts.items())
    slots = {"question": example.question, "answer": example.answer, "verdicts": verdicts}
    return _fill(wording.example, slots).strip()


def _fill(template: str, slots: Mapping[str, str]) -> str:
    """The template with each slot filled in one pass: what is put in is never scanned again."""
    return re.sub(SLOT, lambda match: slots[match[1]], template)
