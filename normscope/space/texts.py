"""What stands still on the page and what visitors are told of an error, in their language.

Still texts are put in by the browser, those of a result by the server; the page's script tells both
which language the visitor chose.
"""

import re
from typing import Any

from ..errors import UsageError
from ..messages import LANGUAGES, Language, message, translate

LOCALES: dict[Language, str] = {"en": "en", "zh": "zh-CN"}
"""Our languages as gradio calls them; the page's script tells it one, whatever the browser's is."""
NAMES: dict[Language, str] = {"en": "English", "zh": "中文"}
"""What each language calls itself."""

_LABELS: dict[str, str] = {}
"""Every still text by the key under which the browser looks it up."""


class VisitorError(UsageError):
    """What a visitor can mend: a message, shown in their language."""

    def __init__(self, text: str, /, **slots: object) -> None:
        """`text` is a format string of the catalogue, `slots` are its slots."""
        super().__init__(message(text, **slots))


def label(text: str) -> Any:
    """The text for a label, a button or a Markdown, put in by the browser."""
    import gradio as gr

    # gradio's script takes the first closing brace for the end of the key
    key = text.replace("{", "(").replace("}", ")")
    _LABELS[key] = text
    return gr.I18n()(key)


def i18n() -> Any:
    """The translations of all labels drawn so far, for `gr.mount_gradio_app(i18n=…)`."""
    import gradio as gr

    return gr.I18n(
        **{
            locale: {key: translate(text, language) for key, text in _LABELS.items()}
            for language, locale in LOCALES.items()
        }
    )


def page_texts(largest: int) -> dict[Language, dict[str, str]]:
    """What the script `page.js` says, by language; `largest` is in bytes.

    gradio's own sentence about a file's size is English everywhere and names no remedy.
    """
    texts = {
        "error": message("Error"),
        "large": message(
            "Too large: {files}. Up to {size} are taken here: split the file, or use Normscope on "
            "your own machine.",
            files="{files}",
            size=f"{largest / 1e6:g} MB",
        ),
        "begun": message("Work on it has begun."),
        "result": message("Result: {text}", text="{text}"),
        "leave": message(
            "The page is loaded anew in the other language: what you typed and uploaded has to be "
            "entered again. Go on?"
        ),
    }
    return {
        language: {name: translate(text, language) for name, text in texts.items()}
        for language in LANGUAGES
    }


def language_of(request: Any) -> Language:
    """The language that a request is to be answered in, by its header `accept-language`.

    The page's script writes the visitor's choice there.

    >>> from types import SimpleNamespace
    >>> language_of(SimpleNamespace(headers={"accept-language": "zh-HK,zh;q=0.9,en;q=0.8"}))
    'zh'
    >>> language_of(None)
    'en'
    """
    headers = getattr(request, "headers", None) or {}
    header = str(headers.get("accept-language") or "")
    # any kind of Chinese is Chinese
    primary = re.split("[-,;]", header, maxsplit=1)[0].strip().lower()
    return next((language for language in LANGUAGES if language == primary), "en")
