"""The parts of a tab that are written by the server, and what stands there after an error."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from ..errors import NormscopeError
from ..messages import Language, message, translate
from ..report.blocks import Block, in_language
from ..report.writers import html
from ..untrusted import visible
from .texts import VisitorError

log = logging.getLogger("normscope.space")

# the page's script says them to who does not see them
_NOTICES = {
    "waiting": Markup('<div class="ns waiting">{text}</div>'),
    "status": Markup('<div class="ns note-line">{text}</div>'),
    "problem": Markup('<div class="ns problem"><strong>{lead}</strong> {text}</div>'),
}
_PROGRESS = Markup(
    '<div class="ns progress"><p>{text}</p>'
    '<progress max="{of}" value="{done}" aria-label="{text}"></progress></div>'
)


def notice(
    kind: Literal["waiting", "status", "problem"], text: str, language: Language = "en"
) -> str:
    """A line where a result would stand: that there is none yet, how it stands, what is wrong."""
    lead = translate(message("That did not work"), language)
    return str(_NOTICES[kind].format(lead=lead, text=visible(in_language(text, language))))


def progress(text: str, done: int, of: int, language: Language) -> str:
    """How far a long request is, as a bar under its text."""
    return str(_PROGRESS.format(text=in_language(text, language), done=done, of=of))


def written(blocks: Sequence[Block], language: Language) -> str:
    """The blocks as HTML, by the writer of the reports."""
    return f'<div class="ns">{html.fragment(blocks, language)}</div>'


@dataclass(slots=True)
class Answered:
    """What stands on the page when the block has ended, well or not."""

    html: str = ""


@contextmanager
def answered(language: Language) -> Iterator[Answered]:
    """A page to fill; an error inside the block is told on it instead.

    What nobody foresaw is logged by its kind and place, without the visitor's text.
    """
    page = Answered()
    try:
        yield page
    except NormscopeError as error:
        page.html = notice("problem", error.message, language)
    # a visitor's text may stand in the message of an error, and does not belong into a log
    except Exception as error:  # noqa: BLE001 - the worker's boundary
        log.error("%s at %s", type(error).__name__, _place(error))
        failed = VisitorError(
            "Something went wrong on our side, and it has been noted. Please try again; if it "
            "happens once more, try another input."
        )
        page.html = notice("problem", failed.message, language)


def _place(error: BaseException) -> str:
    """The file and line where the error was raised."""
    trace = error.__traceback__
    if trace is None:
        return "unknown place"
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


@contextmanager
def api_errors() -> Iterator[None]:
    """An error inside the block as a client of the API gets it; nothing of it goes into the log."""
    import gradio as gr

    try:
        yield
    except NormscopeError as error:
        raise gr.Error(str(error.message), print_exception=False) from error
