"""How a report speaks: its texts and names in its language."""

from dataclasses import dataclass

from ..messages import LANGUAGES, Language, message, translate
from .names import name_of

__all__ = ["EN", "LANGUAGES", "Language", "Words"]


@dataclass(frozen=True, slots=True)
class Words:
    """How a report speaks: its texts, the names of its slugs, and what it was told."""

    language: Language

    def __call__(self, text: str, **slots: object) -> str:
        """The English text in the report's language, with its slots filled.

        >>> Words("zh")("{n} of {m}", n=3, m=5)
        '3/5'
        """
        return translate(message(text, **slots), self.language)

    def name(self, slug: str) -> str:
        """What a slug is called."""
        return translate(name_of(slug), self.language)

    def told(self, text: str) -> str:
        """A sentence that a run, a card or a comparison brings along."""
        return translate(text, self.language)


EN = Words("en")
