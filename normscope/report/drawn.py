"""Charts that are drawn by hand: a macro of `charts.html` each."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from ..messages import Language
from .templates import seen, templates
from .words import Words


def drawn(macro: str, *values: object) -> Callable[[Language], Markup]:
    """What draws the values in a language."""

    def draw(language: Language) -> Markup:
        module = _environment(language).get_template("charts.html").module
        return Markup(getattr(module, macro)(*values))  # noqa: S704 - escaped by the template

    return draw


@cache
def _environment(language: Language) -> Environment:
    environment = templates(Path(__file__).parent, finalize=seen)
    words = Words(language)

    def text(told: str, **slots: object) -> str:
        return words(told, **{name: str(value) for name, value in slots.items()})

    environment.globals["_"] = text
    environment.filters["named"] = words.name
    return environment
