"""A rubric: what a judge is asked about a question and its answer, as data.

Rendering puts what is common first (the criteria's questions, definition, examples, then question
and answer, then which criterion is to be answered), so that an engine can share it between items
and criteria. Untrusted text is placed once, between markers that it cannot forge, and is never
scanned for slots.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from ..errors import UsageError, nearest
from ..files import hash_value
from ..hub_folders import hub_folder
from ..problems import load_checked, refuse
from . import bundled
from .marks import neutral
from .rubric_check import find_problems
from .rubric_file import CRITERIA_SLOT, SLOT, Criterion, Example, RubricFile, Wording

RUBRICS = hub_folder("judges") / "rubrics"

# U+27E6 and U+27E7 are taken out of untrusted text, so a marker made of them cannot be forged.
# Their look-alikes go too: no tokenizer confuses them, but a judge might.
OPEN, CLOSE = "⟦", "⟧"
_MARKERS = str.maketrans("⟦〚⟬⦗⟧〛⟭⦘", "[[[[]]]]")


@dataclass(frozen=True, slots=True)
class Rubric(RubricFile):
    """A named, versioned rubric. Its content hash is part of every judgement made with it.

    Without categories it takes any. `fallback_language` and `fallback_category` hold for rows of a
    user's file that name none.
    """

    def __post_init__(self) -> None:
        """Refuses a rubric that could not be rendered for some category, language or criterion."""
        refuse(find_problems(self), f"rubric {self.name!r}")

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


def rubric(name_or_path: str) -> Rubric:
    """The bundled rubric of that name, or the one in that YAML file."""
    path = Path(name_or_path)
    if path.suffix in {".yaml", ".yml"}:
        return load_rubric(path)
    if name_or_path not in (names := bundled_rubrics()):
        hint = nearest(name_or_path, names)
        raise UsageError(f"no rubric {name_or_path!r}: {hint} (or the path of a YAML file)")
    return _bundled(name_or_path)


def bundled_rubrics() -> list[str]:
    """The names of the rubrics that come with Normscope."""
    return sorted(_files())


def load_rubric(path: Path) -> Rubric:
    """The file's rubric, or one `ConfigError` with all its problems, each with its line."""
    return load_checked(path, RubricFile, Rubric, find_problems)


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
    by_name = {file.stem: file for file in RUBRICS.glob("*.yaml")}
    return by_name | {bundled.NAME: bundled.rubric_path()}


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
