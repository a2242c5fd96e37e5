"""The language of a text that a visitor pasted."""

from functools import cache
from typing import Any

from ..builders.cfsafety.builder import UNDETERMINED

AUTO = "auto"
_LATIN = ("en", "de", "es", "fr", "it", "jv", "pt", "sw", "vi")
_OTHER = ("ar", "bn", "hi", "ja", "ko", "ru", "th", "zh")
_SURE = 0.9
"""Below it a text of Latin letters is taken for English: the model guesses at repeated words."""


def detected_language(text: str) -> str:
    """The ISO 639-1 code of the text's language; `und` where there is no letter.

    >>> [detected_language(text) for text in ("No.", "不行。", "12", "Sure! " * 12)]
    ['en', 'zh', 'und', 'en']
    >>> detected_language("Je ne peux pas vous aider avec cette demande, désolé.")
    'fr'
    """
    letters = [character for character in text if character.isalpha()]
    if not letters:
        return UNDETERMINED
    # the model takes short Latin texts for any of a hundred languages, so the script decides first
    if 2 * sum(letter < "\u0250" for letter in letters) >= len(letters):
        language, sure = _identifier(_LATIN).classify(text)
        return str(language) if sure >= _SURE else "en"
    return str(_identifier(_OTHER).classify(text)[0])


def language_for(chosen: str, text: str, fallback: str) -> str:
    """The chosen language, or the one that the text is in.

    >>> language_for("auto", "你好，能帮我吗？", "en"), language_for("fr", "你好", "en")
    ('zh', 'fr')
    """
    if chosen and chosen != AUTO:
        return chosen
    language = detected_language(text)
    return fallback if language == UNDETERMINED else language


@cache
def _identifier(among: tuple[str, ...]) -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(among))
    return identifier
