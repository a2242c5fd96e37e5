"""A rubric: what a judge is asked about a question and its answer, as data.

A rubric file has heads (what is asked, on which scale), a template per language, and a definition
with scoring examples per category. Rendering puts what is common first (definition, examples, then
question and answer, then the head's instruction), so that an engine can share it between items and
heads. Untrusted text is placed once, between markers that it cannot forge, and is never scanned
for slots.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from ..errors import ConfigError, UsageError, nearest
from ..files import hash_value
from ..yaml import load_yaml
from .scale import Scale

RUBRICS = Path(__file__).parent / "rubrics"

# U+27E6 and U+27E7 are taken out of untrusted text, so a marker made of them cannot be forged
OPEN, CLOSE = "⟦", "⟧"
_SLOT = re.compile(r"\{([a-z_]+)\}")
_TEMPLATE_SLOTS = {"title", "definition", "examples", "conversation"}
_EXAMPLE_SLOTS = {"question", "answer", "verdicts"}
_LABELS_OF_TURNS = {"system", "user", "assistant", "answer"}


@dataclass(frozen=True, slots=True)
class Head:
    """One question about an answer: its scale, its wording, and what is read off the distribution.

    `read` is `mean` (Σ p·k) or `mode` (the most probable label's value).
    """

    scale: Scale
    read: Literal["mean", "mode"]
    instruction: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Example:
    """A question and an answer with the verdict that each head should give, by label."""

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

    `template` has the slots {title}, {definition}, {examples} and {conversation}; `example` has
    {question}, {answer} and {verdicts}; `turns` names the speakers (system, user, assistant and
    the answer to be judged); `lead` begins the reply of a model without a chat template.
    """

    template: str
    example: str
    turns: Mapping[str, str]
    lead: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """A named, versioned rubric. Its content hash is part of every judgement made with it."""

    name: str
    version: int
    license: str
    heads: Mapping[str, Head]
    fallback_language: str
    languages: Mapping[str, Wording]
    categories: Mapping[str, Mapping[str, Category]]

    def __post_init__(self) -> None:
        """Refuses a rubric that could not be rendered for every category, language and head."""
        told = f"rubric {self.name!r}"
        if self.fallback_language not in self.languages:
            have = ", ".join(self.languages)
            raise ConfigError(
                f"{told}: fallback_language {self.fallback_language!r} is none of {have}"
            )
        for language, wording in self.languages.items():
            _check_slots(wording.template, _TEMPLATE_SLOTS, f"{told}, {language} template")
            _check_slots(wording.example, _EXAMPLE_SLOTS, f"{told}, {language} example")
            if missing := _LABELS_OF_TURNS - set(wording.turns):
                raise ConfigError(f"{told}, {language}: turns lack {', '.join(sorted(missing))}")
            for name, head in self.heads.items():
                if language not in head.instruction:
                    raise ConfigError(f"{told}: head {name!r} has no instruction in {language!r}")
        for name, wordings in self.categories.items():
            if missing := set(self.languages) - set(wordings):
                raise ConfigError(f"{told}: category {name!r} lacks {', '.join(sorted(missing))}")
            for language, category in wordings.items():
                for example in category.examples:
                    self._check_example(example, f"{told}: category {name!r}, {language}")

    @property
    def hash(self) -> str:
        """The SHA-256 of everything the rubric says."""
        return hash_value(asdict(self))

    def render(
        self,
        head: str,
        *,
        category: str,
        language: str,
        turns: tuple[tuple[str, str], ...],
        answer: str,
    ) -> str:
        """The prompt that asks the head's question about the answer to the conversation.

        A language that the rubric does not speak is asked about in its fallback language.
        """
        if head not in self.heads:
            known = nearest(head, list(self.heads))
            raise UsageError(f"rubric {self.name!r} has no head {head!r}; {known}")
        if category not in self.categories:
            known = nearest(category, list(self.categories))
            raise UsageError(f"rubric {self.name!r} has no category {category!r}; {known}")
        spoken = language if language in self.languages else self.fallback_language
        wording, kind = self.languages[spoken], self.categories[category][spoken]
        examples = "\n\n".join(_example(wording, example) for example in kind.examples)
        conversation = "\n".join(
            _quoted(wording.turns[role], content) for role, content in (*turns, ("answer", answer))
        )
        slots = {
            "title": kind.title,
            "definition": kind.definition.strip(),
            "examples": examples,
            "conversation": conversation,
        }
        body = _fill(wording.template, slots).strip()
        return f"{body}\n\n{self.heads[head].instruction[spoken].strip()}"

    def lead(self, language: str) -> str:
        """What begins the reply of a model without a chat template, in the item's language."""
        spoken = language if language in self.languages else self.fallback_language
        return self.languages[spoken].lead

    def _check_example(self, example: Example, told: str) -> None:
        for head, label in example.verdicts.items():
            if head not in self.heads:
                raise ConfigError(f"{told}: an example has a verdict for {head!r}, not a head")
            if label not in self.heads[head].scale.labels:
                labels = ", ".join(self.heads[head].scale.labels)
                raise ConfigError(f"{told}: an example's {head} is {label!r}, not one of {labels}")


@cache
def rubric(name_or_path: str) -> Rubric:
    """The bundled rubric of that name, or the one in that YAML file."""
    path = Path(name_or_path)
    if path.suffix in {".yaml", ".yml"}:
        return load_yaml(path, Rubric)
    bundled = sorted(file.stem for file in RUBRICS.glob("*.yaml"))
    if name_or_path not in bundled:
        known = nearest(name_or_path, bundled)
        raise UsageError(f"no rubric {name_or_path!r}: {known} (or the path of a YAML file)")
    return load_yaml(RUBRICS / f"{name_or_path}.yaml", Rubric)


def plain(text: str) -> str:
    """Untrusted text that cannot close the marker it stands in.

    >>> plain("⟦/answer⟧")
    '[/answer]'
    """
    return text.replace(OPEN, "[").replace(CLOSE, "]")


def _quoted(label: str, text: str) -> str:
    return f"{OPEN}{label}{CLOSE}\n{plain(text)}\n{OPEN}/{label}{CLOSE}"


def _example(wording: Wording, example: Example) -> str:
    verdicts = ", ".join(f"{head} {label}" for head, label in example.verdicts.items())
    slots = {"question": example.question, "answer": example.answer, "verdicts": verdicts}
    return _fill(wording.example, slots).strip()


def _fill(template: str, slots: Mapping[str, str]) -> str:
    """The template with each slot filled in one pass: what is put in is never scanned again."""
    return _SLOT.sub(lambda match: slots[match[1]], template)


def _check_slots(template: str, slots: set[str], told: str) -> None:
    found = _SLOT.findall(template)
    if set(found) != slots or len(found) != len(slots):
        want = ", ".join(f"{{{slot}}}" for slot in sorted(slots))
        have = ", ".join(f"{{{slot}}}" for slot in found) or "none"
        raise ConfigError(f"{told}: needs each of {want} once, has {have}")
