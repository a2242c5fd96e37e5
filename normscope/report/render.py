"""The page: every section's rows put into one template.

Nothing here writes HTML. The template escapes whatever it is handed, and `visible` takes out what
escaping leaves in, so text from a model or a file stands on the page as text. The only script is
our own; the page's policy allows it by its hash and no other.
"""

from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from .data import ReportData
from .scores import title_of
from .several import SeveralData, several_view
from .templates import hash_source, seen, templates
from .view import view_of
from .words import Language, Words

FOLDER = Path(__file__).parent
_SOURCES = {"style": "writers/style.css", "script": "writers/script.js.jinja"}


def render(data: ReportData, language: Language = "en") -> str:
    """The report as one HTML document that refers to nothing outside itself.

    The same data give the same bytes.
    """
    view = view_of(data, Words(language))
    return _environment(language).get_template("template.html").render(view=view)


def render_several(data: SeveralData, language: Language = "en") -> str:
    """The runs and their comparison as one HTML document that refers to nothing outside itself."""
    view = several_view(data, Words(language))
    return _environment(language).get_template("several.html").render(view=view)


def source(name: str) -> str:
    """The page's `style` or `script`, as it stands between its tags."""
    return f"\n{(FOLDER / _SOURCES[name]).read_text(encoding='utf-8')}"


def policy() -> str:
    """The page's content security policy: nothing but its own style and its own script."""
    allowed = {name: hash_source(source(name)) for name in _SOURCES}
    return (
        f"default-src 'none'; style-src '{allowed['style']}'; "
        f"script-src '{allowed['script']}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


@cache
def _environment(language: Language = "en") -> Environment:
    environment = templates(FOLDER, finalize=seen, keep_trailing_newline=True)
    words = Words(language)

    def translated(text: str, **slots: object) -> Markup:
        """Our own text, which may hold tags, with its slots escaped."""
        told = Markup(words(text, **{name: f"{{{name}}}" for name in slots}))  # noqa: S704 - ours
        return told.format(**{name: seen(value) for name, value in slots.items()})

    environment.globals["_"] = translated
    environment.globals["language"] = language
    environment.globals["policy"] = policy()
    environment.globals["sources"] = {name: Markup(source(name)) for name in _SOURCES}  # noqa: S704 - ours
    environment.filters["title_of"] = title_of
    environment.filters["named"] = words.name
    return environment
