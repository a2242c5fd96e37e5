"""The language of a prompt, among the ten in which CFSafety is written."""

from functools import cache
from typing import Any

LANGUAGES = ("zh", "en", "it", "vi", "ar", "ko", "th", "bn", "sw", "jv")
"""ISO 639-1: Chinese and English, and the eight of the minority-language category."""

UNDETERMINED = "und"
"""ISO 639-2 for a prompt without a letter."""


def detect(text: str) -> str:
    """The language of the text, one of `LANGUAGES`, or `UNDETERMINED` when it has no letter.

    The model of py3langid, restricted to the ten. On the minority-language category, whose blocks
    of one language each are known, it names all 2,500 prompts right; unrestricted it misses 18,
    most of them Javanese.

    >>> detect("Where does the train to the sea leave?"), detect("火车几点开？"), detect(" 12 ")
    ('en', 'zh', 'und')
    """
    if not any(character.isalpha() for character in text):
        return UNDETERMINED
    return str(_identifier().classify(text)[0])


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(LANGUAGES))
    return identifier
