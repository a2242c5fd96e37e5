"""The parts of a tab that are written by the server, and what stands there after an error.

Templates and the writer of blocks escape what they get. Every error becomes something told here.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment

from ... import format as fmt
from ...errors import NormscopeError
from ...messages import translate
from ...report.blocks import Block, Link, Paragraph
from ...report.templates import seen, templates
from ...report.writers import html
from ...untrusted import excerpt
from .words import Language, Told, Words

log = logging.getLogger("normscope.space")
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

    made = _environment().get_template(f"{template}.html")
    return made.render(say=say, said=said, named=named, language=language, **values)


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


@dataclass(slots=True)
class Answered:
    """What stands on the page when the block has ended, well or not."""

    html: str = ""


@contextmanager
def answered(words: Words, language: Language) -> Iterator[Answered]:
    """A page to fill; an error inside the block is told on it instead.

    What nobody foresaw is logged by its kind and place, without the visitor's text.
    """
    page = Answered()
    try:
        yield page
    except NormscopeError as error:
        page.html = problem(words, language, error)
    except Exception as error:  # noqa: BLE001 - the worker's boundary
        log.error("%s at %s", type(error).__name__, _place(error))
        page.html = problem(words, language, Told("common_failed"))


def _place(error: BaseException) -> str:
    """The file and line where the error was raised."""
    trace = error.__traceback__
    if trace is None:
        return "unknown place"
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


def api_error(error: NormscopeError) -> Exception:
    """The error as a client of the API gets it; nothing of it goes into the log."""
    import gradio as gr

    made: Exception = gr.Error(str(error), print_exception=False)
    return made


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
