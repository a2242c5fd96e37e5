"""The boundary between the page and the code behind it: every error becomes something told."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ...errors import NormscopeError
from .pages import problem
from .words import Language, Told, Words

log = logging.getLogger("normscope.space")


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
        log.error("%s at %s", type(error).__name__, place(error))
        page.html = problem(words, language, Told("common_failed"))


def place(error: BaseException) -> str:
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
