"""Progress bars (in a terminal, a widget in a notebook that has them, or none) and status lines."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from tqdm import tqdm

_HIDDEN: ContextVar[bool] = ContextVar("hidden", default=False)
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)

# in any kernel without ipywidgets: nothing is lost but the widget
warnings.filterwarnings("ignore", message="IProgress not found")


@contextmanager
def hidden(hide: bool = True) -> Iterator[None]:
    """No progress bar is shown while the block lasts, unless `hide` is false.

    >>> with hidden():
    ...     bar(10, label="judge").disable
    True
    """
    token = _HIDDEN.set(hide or _HIDDEN.get())
    try:
        yield
    finally:
        _HIDDEN.reset(token)


@contextmanager
def quiet() -> Iterator[None]:
    """Neither a progress bar nor a note is shown while the block lasts."""
    token = _QUIET.set(True)
    try:
        with hidden():
            yield
    finally:
        _QUIET.reset(token)


def is_hidden() -> bool:
    """Whether no bar is to be shown here."""
    return _HIDDEN.get()


def has_bars() -> bool:
    """Whether a library may show its bars: in a terminal or a notebook, unless they are hidden."""
    from tqdm import auto

    return not is_hidden() and (sys.stderr.isatty() or auto.notebook_tqdm is not tqdm)


def is_quiet() -> bool:
    """Whether no note is to be shown."""
    return _QUIET.get()


def say(text: str) -> None:
    """Tells who runs the command, on standard error."""
    if not is_quiet():
        # through tqdm: a progress bar may stand in the line
        tqdm.write(text, file=sys.stderr)


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
