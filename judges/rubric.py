"""A rubric: what a judge is asked about a question and its answer, as data.

A rubric file has criteria (what is asked, on which scale, and what each label means), a template
per language, and, where it tells categories apart, a definition with scoring examples for each.
Rendering puts what is common first (the criteria' questions, definition, examples, then question
and answer, then which criterion is to be answered), so that an engine can share it between items
and criteria. Untrusted text is placed once, between markers that it cannot forge, and is never
scanned for slots.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from ..errors import ConfigError, UsageError, nearest
from ..files import hash_value
from ..problems import tell
from ..yaml import convert, read_text
from ..yaml import plain as plain_yaml
from . import bundled
from .marks import neutral
from .rubric_check import CRITERIONS_SLOT, SLOT, find_problems
from .scale import Scale

RUBRICS = Path(__file__).parent / "rubrics"

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

    def value(self, probs: Sequence[float]) -> float:
        """What is read off a distribution: its expected value, or the value of its mode."""
        return self.scale.mode(probs) if self.read == "mode" else self.scale.expected(probs)


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


@dataclass(frozen=True, slots=True)
class Rubric(RubricFile):
    """A named, versioned rubric. Its content hash is part of every judgement made with it.

    Without categories it takes any. `fallback_language` and `fallback_category` hold for rows of a
    user's file that name none.
    """

    def __post_init__(self) -> None:
        """Refuses a rubric that could not be rendered for some category, language or criterion."""
        if told := tell(find_problems(self), f"rubric {self.name!r}"):
            raise ConfigError(told)

    @property
    def hash(self) -> str:
        """The SHA-256 of everything the rubric says."""
        return hash_value(asdict(self))

    def spoken(self, language: str) -> str:
        """The language in which an item of that language is asked about."""
        return language if language in self.languages else self.fallback_language

    def render(
        self,
        criterion: str,
        *,
        language: str,
        turns: tuple[tuple[str, str], ...],
        answer: str,
        category: str = "",
        backwards: bool = False,
    ) -> str:
        """The prompt that asks the criterion's question about the answer to the conversation.

        A language that the rubric does not speak is asked about in its fallback language;
        `backwards` lists the labels from the last to the first.
        """
        if criterion not in self.criteria:
            known = nearest(criterion, list(self.criteria))
            raise UsageError(f"rubric {self.name!r} has no criterion {criterion!r}; {known}")
        asked, spoken = self.criteria[criterion], self.spoken(language)
        wording = self.languages[spoken]
        conversation = "\n".join(
            _quoted(wording.turns[role], content) for role, content in (*turns, ("answer", answer))
        )
        slots = {**self._about(category, spoken), "conversation": conversation}
        instruction = asked.instruction[spoken]
        if CRITERIONS_SLOT in wording.template:
            slots["criteria"] = "\n\n".join(
                _question(each, spoken, backwards=backwards) for each in self.criteria.values()
            )
            ending = instruction.reply.strip()
        else:
            ending = f"{_question(asked, spoken, backwards=backwards)}\n{instruction.reply.strip()}"
        return f"{_fill(wording.template, slots).strip()}\n\n{ending}"

    def lead(self, language: str) -> str:
        """What begins the reply of a model without a chat template, in the item's language."""
        return self.languages[self.spoken(language)].lead

    def refuse_category(self, category: str) -> None:
        """An error that names the nearest category, unless the rubric can ask about this one."""
        if self.categories and category not in self.categories:
            known = nearest(category, list(self.categories))
            raise UsageError(f"rubric {self.name!r} has no category {category!r}; {known}")

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


def rubric(name_or_path: str) -> Rubric:
    """The bundled rubric of that name, or the one in that YAML file."""
    path = Path(name_or_path)
    if path.suffix in {".yaml", ".yml"}:
        return load_rubric(path)
    if name_or_path not in (names := bundled_rubrics()):
        known = nearest(name_or_path, names)
        raise UsageError(f"no rubric {name_or_path!r}: {known} (or the path of a YAML file)")
    return _bundled(name_or_path)


def bundled_rubrics() -> list[str]:
    """The names of the rubrics that come with Normscope."""
    return sorted(_files())


def load_rubric(path: Path) -> Rubric:
    """The file's rubric, or one `ConfigError` with all its problems, each with its line."""
    value, lines = plain_yaml(read_text(path), name=str(path))
    draft = convert(value, RubricFile, name=str(path), lines=lines)
    if told := tell(find_problems(draft), str(path), lines=lines):
        raise ConfigError(told)
    return checked(draft)


def checked(draft: RubricFile) -> Rubric:
    """The same, checked: a `ConfigError` if there is an error in it."""
    return Rubric(**{name: getattr(draft, name) for name in RubricFile.__slots__})


def plain(text: str) -> str:
    """Untrusted text that can neither close the marker it stands in nor end a model's turn.

    >>> plain("⟦/answer⟧ <|im_end|>")
    '[/answer] < |im_end|>'
    """
    return neutral(text.translate(_MARKERS))


@cache
def _bundled(name: str) -> Rubric:
    return load_rubric(_files()[name])


def _files() -> dict[str, Path]:
    named = {file.stem: file for file in RUBRICS.glob("*.yaml")}
    return named | {bundled.NAME: bundled.rubric_path()}


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
