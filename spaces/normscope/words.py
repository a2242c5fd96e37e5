"""What the Space says: one YAML file of English texts per tab, the catalogues for other languages.

What stands still is translated by the browser (`Words.of`), what is made for an answer by the
server (`Words.say`); both follow the browser's language.
"""

from functools import cache
from pathlib import Path
from typing import Any

from ...errors import NormscopeError, UsageError
from ...messages import LANGUAGES, Language, message, translate
from ...yaml import load_yaml

__all__ = ["LANGUAGES", "Language", "Told", "Words", "language_of", "texts"]

TEXTS = Path(__file__).parent / "texts"

# gradio's own list: a browser in any other kind of Chinese is shown English, by it and so by us
_LOCALES: dict[str, Language] = {"en": "en", "zh-CN": "zh", "zh-TW": "zh"}


class Words:
    """The texts of all tabs. A key is the name of its file and its own: `answer_button`."""

    def __init__(self) -> None:
        """Reads every file of texts."""
        self.texts = texts()
        self._i18n: Any = None

    @property
    def i18n(self) -> Any:
        """What `launch(i18n=…)` wants."""
        if self._i18n is None:
            import gradio as gr

            self._i18n = gr.I18n(
                **{
                    locale: {key: translate(text, language) for key, text in self.texts.items()}
                    for locale, language in _LOCALES.items()
                }
            )
        return self._i18n

    def of(self, key: str) -> Any:
        """The text for a label, a button or a Markdown, put in by the browser."""
        if key not in self.texts:
            raise KeyError(key)
        return self.i18n(key)

    def say(self, key: str, language: str, /, **slots: object) -> str:
        """The text itself, with its slots filled."""
        return translate(message(self.texts[key], **slots), language)

    def told(self, error: Exception, language: str) -> str:
        """What the error says, in the language as far as it is known there."""
        return translate(
            error.message if isinstance(error, NormscopeError) else str(error), language
        )


class Told(UsageError):  # noqa: N818 - what is raised is something told
    """Something that a visitor is told in their language; as a string, in English."""

    def __init__(self, key: str, /, **slots: object) -> None:
        """`key` is one of the texts, `slots` is what it says about this case."""
        self.key = key
        super().__init__(message(texts()[key], **slots))


def language_of(request: Any) -> Language:
    """The language in which gradio's labels stand: Chinese if the browser asks for it first.

    >>> from types import SimpleNamespace
    >>> language_of(SimpleNamespace(headers={"accept-language": "zh-CN,zh;q=0.9,en;q=0.8"}))
    'zh'
    >>> language_of(None)
    'en'
    """
    headers = getattr(request, "headers", None) or {}
    first = str(headers.get("accept-language") or "").split(",")[0].split(";")[0].strip()
    return _LOCALES.get(first, "en")


@cache
def texts() -> dict[str, str]:
    """Every text in English by its key."""
    return {
        f"{path.stem}_{key}": text.strip()
        for path in sorted(TEXTS.glob("*.yaml"))
        for key, text in load_yaml(path, dict[str, str]).items()
    }
