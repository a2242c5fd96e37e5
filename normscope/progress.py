"""Progress bars (in a terminal, a widget in a notebook that has them, or none) and status lines."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

from tqdm import tqdm

from .untrusted import visible

_BARS: ContextVar[bool] = ContextVar("bars", default=True)
_NOTES: ContextVar[bool] = ContextVar("notes", default=True)

# in any kernel without ipywidgets: nothing is lost but the widget
warnings.filterwarnings("ignore", message="IProgress not found")


def hidden(hide: bool = True) -> AbstractContextManager[None]:
    """No progress bar is shown while the block lasts, unless `hide` is false.

    >>> with hidden():
    ...     bar(10, label="judge").disable
    True
    """
    return _without(*([_BARS] if hide else []))


def quiet() -> AbstractContextManager[None]:
    """Neither a progress bar nor a note is shown while the block lasts."""
    return _without(_BARS, _NOTES)


@contextmanager
def _without(*shown: ContextVar[bool]) -> Iterator[None]:
    tokens = [(each, each.set(False)) for each in shown]
    try:
        yield
    finally:
        for each, token in tokens:
            each.reset(token)


def is_hidden() -> bool:
    """Whether no bar is to be shown here."""
    return not _BARS.get()


def has_bars() -> bool:
    """Whether a library may show its bars: in a terminal or a notebook, unless they are hidden."""
    from tqdm import auto

    return not is_hidden() and (sys.stderr.isatty() or auto.notebook_tqdm is not tqdm)


def to_stderr(text: str) -> None:
    """Tells on standard error what is no result; nothing where it is to be quiet."""
    if _NOTES.get():
        # through tqdm: a progress bar may stand in the line
        tqdm.write(visible(text), file=sys.stderr)


def bar(total: int, *, label: str, unit: str = "row", **options: Any) -> "tqdm[Any]":
    """A bar over so many units, as `tqdm` makes one; `options` are those of tqdm.

    A bar over a single unit, or none, says nothing and is not shown.
    """
    # null: tqdm shows one in a terminal, and its widget in a notebook, and none in a file
    disable = True if is_hidden() or total < 2 else None  # noqa: PLR2004
    from tqdm import auto  # widgets where the kernel can show them

    # a bar of tqdm.notebook that is not shown lacks what one in the terminal has
    kind: Any = tqdm if disable else auto.tqdm
    return kind(total=total, desc=label, unit=unit, disable=disable, **options)
