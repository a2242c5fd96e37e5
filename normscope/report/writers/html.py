"""A page as one HTML document that refers to nothing outside itself, or as a part of a document.

The template escapes whatever it is handed, and `visible` takes out what escaping leaves in, so text
from a model or a file stands on the page as text. The only script is our own; the page's policy
allows it by its hash and no other.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from ... import palette
from ...messages import Joined, Language, Message
from ..blocks import Block, Chart, Page, Section, cell_of, content, plain
from ..charts import image
from ..templates import policy, translated

FOLDER = Path(__file__).parent
SCROLL = FOLDER / "scroll.css"
"""The style of what scrolls in its own box, for every page that has our blocks in it."""
_SOURCES = {"style": "style.css", "script": "script.js.jinja"}


def page(page: Page, language: Language = "en") -> str:
    """The page in the language; the same page gives the same bytes."""
    blocks = content(page.blocks)
    sections = [(at, block) for at, block in enumerate(blocks) if isinstance(block, Section)]
    # what is linked to stands behind the links, and the answer before them
    folded = [at for at, section in sections if section.folded]
    at = next(iter((*folded, *(at for at, _ in sections))), len(blocks))
    linked = [block for block in blocks[at:] if isinstance(block, Section) and block.id]
    template = _environment(language).get_template("page.html")
    return template.render(page=page, first=blocks[:at], others=blocks[at:], linked=linked)


def fragment(blocks: Sequence[Block], language: Language = "en") -> str:
    """The blocks alone, to be put into another page, with headings of the third level."""
    module = _environment(language).get_template("blocks.html").module
    return str(module.blocks(tuple(blocks), 3))  # type: ignore[attr-defined] # a macro


def source(name: str) -> str:
    """The page's `style` or `script`, as it stands between its tags."""
    text = (FOLDER / _SOURCES[name]).read_text(encoding="utf-8")
    if name != "style":
        return f"\n{text}"
    shared = SCROLL.read_text(encoding="utf-8")
    return f"\n{palette.properties()}{palette.rules()}{shared}{text}"


def _whisker(value: float | None) -> float | None:
    """A share of the axis as a place in the drawing, held to its ends."""
    return None if value is None else round(200 * min(max(value, 0.0), 1.0), 1)


def _unbroken(text: Markup) -> Markup:
    """The text, in which no line ends within a number, its unit and its interval."""
    blank = r"(?<=\d) (?=[%\[])|(?<=[<>]) (?=\d)|(?<=%) (?=\[)|(?<=\d,) (?=[−+\d.]+\])"
    joined = re.sub(r"(?<=\d)–(?=\d)", "–\u2060", re.sub(blank, "\u00a0", text))
    return Markup(joined)  # noqa: S704 - was escaped before


@cache
def _environment(language: Language) -> Environment:
    def drawn(chart: Chart) -> Markup:
        alt = plain(chart.alt, language)
        return Markup(image(chart.plot, alt=alt, language=language))  # noqa: S704 - escaped

    environment = translated(FOLDER, language)
    environment.globals |= {
        "policy": policy(source("style"), source("script")),
        "sources": {name: Markup(source(name)) for name in _SOURCES},  # noqa: S704 - ours
        "drawn": drawn,
        "content": content,
        "css_class": palette.css_class,
        "cell_of": cell_of,
        "plain": plain,
        "place": _whisker,
    }
    # what others wrote may run from right to left, which must not reorder what stands around it
    environment.tests["ours"] = lambda value: isinstance(value, Message | Joined)
    environment.filters["unbroken"] = _unbroken
    environment.filters["kind"] = lambda value: type(value).__name__
    return environment
