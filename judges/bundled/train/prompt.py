"""The prompt as the engine will write it, cut where the tokenizer is told to cut.

The rubric's turn marks, and each criterion's instruction with the mark before it, are one token
each: `⟦` and `⟧` are taken out of untrusted text, so that no answer can hold such a token.
"""

from dataclasses import dataclass
from functools import cache

from ...rubric import Rubric, load_rubric
from .. import LANGUAGES, rubric_path
from .sample import AUXILIARY, CRITERIA

_SLOT = "\x00"


@dataclass(frozen=True, slots=True)
class Marks:
    """The pieces of a rendered prompt that are single tokens.

    `asks` maps (criterion, language, backwards) to the end of the prompt, from the answer's closing
    mark on; an auxiliary task has one for all.
    """

    opens: dict[str, str]
    closes: dict[str, str]
    asks: dict[tuple[str, str, bool], str]

    def all(self) -> list[str]:
        """Every piece, the same order in every run."""
        return [*self.opens.values(), *self.closes.values(), *dict.fromkeys(self.asks.values())]


@cache
def bundled_rubric() -> Rubric:
    """The rubric of the bundled judge."""
    return load_rubric(rubric_path())


@cache
def marks() -> Marks:
    """The pieces, read off the rubric's own rendering."""
    used = bundled_rubric()
    turns = used.languages["en"].turns
    opens = {role: f"⟦{label}⟧" for role, label in turns.items()}
    closes = {role: f"⟦/{label}⟧" for role, label in turns.items()}
    asks: dict[tuple[str, str, bool], str] = {}
    for language in LANGUAGES:
        for backwards in (False, True):
            for criterion in CRITERIA:
                prompt = used.render(
                    criterion, language=language, conversation=(), answer=_SLOT, backwards=backwards
                )
                end = prompt.partition(f"{_SLOT}\n")[2]
                asks[criterion, language, backwards] = f"{end}\n{used.lead(language)}"
            for task in AUXILIARY:
                asks[task, language, backwards] = f"{closes['answer']}\n\n{task}:\n"
    return Marks(opens, closes, asks)
