"""The parts of a tab that are written by the server, from templates that escape what they get."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment

from ... import format as fmt
from ...messages import translate
from ...report.blocks import Block, Link, Paragraph
from ...report.names import name_of
from ...report.templates import seen, templates
from ...report.writers import html
from ...untrusted import excerpt
from .words import Language, Words

_FOLDER = Path(__file__).parent / "templates"


def fragment(template: str, words: Words, language: Language, **values: Any) -> str:
    """The HTML of the template. Text from people, models and files stands on it as text."""

    def say(key: str, /, **slots: object) -> str:
        return words.say(key, language, **slots)

    def named(kind: str, name: str) -> str:
        """Our word for a slug, or the slug where we have none."""
        key = f"{kind}_{name}"
        return say(key) if key in words.texts else name.replace("_", " ")

    def said(text: str) -> str:
        """A sentence of a check, a comparison or a card."""
        return translate(text, language)

    def called(slug: str) -> str:
        """What the report calls it."""
        return name_of(slug, language)

    made = _environment().get_template(f"{template}.html")
    return made.render(say=say, said=said, called=called, named=named, language=language, **values)


def written(blocks: Sequence[Block], language: Language) -> str:
    """The blocks as HTML, by the writer of the reports."""
    return f'<div class="ns">{html.fragment(blocks, language)}</div>'


def judge_line(name: str, words: Words, language: Language, *, bundled: bool) -> Paragraph:
    """Which judge it was, and the way to its card."""
    small = words.say("common_small_judge_note", language)
    who = small if bundled else f"{words.say('common_judge', language)}: {name}"
    return Paragraph((who, " ", Link(words.say("common_card_link", language), "#tab-judges")))


def problem(words: Words, language: Language, error: Exception) -> str:
    """What went wrong, told where the result would stand."""
    return fragment("problem", words, language, text=words.told(error, language))


@cache
def _environment() -> Environment:
    environment = templates(_FOLDER, finalize=seen)
    environment.filters |= {
        "number": fmt.number,
        "percent": fmt.percent,
        "count": fmt.count,
        "excerpt": excerpt,
    }
    return environment
