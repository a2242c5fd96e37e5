"""What stands still on the page and what visitors are told of an error, in their language.

Still texts are put in by the browser, those of a result by the server; both follow the browser.
"""

from typing import Any

from ...errors import UsageError
from ...messages import Language, message, translate

# gradio's own list: a browser in any other kind of Chinese is shown English, by it and so by us
_LOCALES: dict[str, Language] = {"en": "en", "zh-CN": "zh", "zh-TW": "zh"}

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
            for locale, language in _LOCALES.items()
        }
    )


def page_texts(largest: int) -> dict[str, dict[str, str]]:
    """What the script in `head.html` says, by the browser's language; `largest` is in bytes.

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
    }
    return {
        locale: {name: translate(text, language) for name, text in texts.items()}
        for locale, language in _LOCALES.items()
    }


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
