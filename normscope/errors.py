"""Every error that Normscope raises on purpose.

    NormscopeError            exit code 1
    ├── UsageError            exit code 2: what was requested cannot be meant
    │   └── ConfigError       a configuration, context or rubric file is wrong
    │       └── ReviewError   exit code 1: what a review of somebody's file has found, by line
    ├── DataError             a file of rows is missing, damaged or of another shape
    │   └── SourceError       an upstream source is missing, truncated or not the pinned one
    ├── ModelError            a model cannot be loaded or cannot answer what is asked of it
    ├── MissingExtraError     an optional package is not installed
    └── RunError              a run folder is in use, damaged, or was begun with other settings

A message says what was wrong, the value, and what to do. It is a `normscope.messages.Message`
where somebody is to read it in their language. It names flags, as the command line shows it; as a
string, in a traceback, an error names the arguments of Python (`as_arguments`).

`UnscoredWarning` is none of them: what was asked for is done, with more unscored than is allowed.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from .messages import message

_MOST_NAMED = 40

_ARGUMENTS = {
    "--although": "although=True",
    "--category NAME": "categories=NAME",
    "--column label=NAME": "label=NAME",
    "--fail-if-worse": "margin=",
    "--unpinned": "unpinned=True",
}
"""Flags that are called otherwise in Python, or stand there with their value."""

_FLAG = re.compile(
    # a command in backticks stays one
    rf"`[^`]*`|(?<![\w/-])(?:({'|'.join(_ARGUMENTS)})(?!\w)"
    # pairs, of which several stand in quotation marks
    r"|--(column|where|map) ('?)((?:[^,='\n]+=(?:[A-Z]+|…)?,?)+)\3|--set ([a-z_]+=)"
    # a value is joined to its name where it is a placeholder, a number or quoted
    r"|--([a-z]+(?:-[a-z]+)*)(?![\w-])(?:=| (?=[A-Z\d'{]))?)"
)


class NormscopeError(Exception):
    """The root of the tree; `exit_code` is what the command line returns."""

    exit_code = 1

    @property
    def message(self) -> str:
        """What was wrong, still with its id and slots if it was raised with a `Message`."""
        return self.args[0] if self.args else ""

    def __str__(self) -> str:
        """What was wrong, as a caller from Python is to read it."""
        return as_arguments(self.message)


class UsageError(NormscopeError):
    """What was requested cannot be meant."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration, context or rubric file is wrong."""

    def __init__(self, message: str, *, problems: Sequence[tuple[int, str]] = ()) -> None:
        """`problems` are its single ones, each with its line; 0 is the whole file."""
        super().__init__(message)
        self.problems = tuple(problems) or ((0, message),)


class ReviewError(ConfigError):
    """A file that somebody wrote has errors, each with its line."""

    exit_code = 1


class DataError(NormscopeError):
    """A file of rows is missing, damaged or of another shape."""


class SourceError(DataError):
    """An upstream source is missing, truncated or not the pinned one."""


class ModelError(NormscopeError):
    """A model cannot be loaded or cannot answer what is asked of it."""


class MissingExtraError(NormscopeError):
    """An optional package is not installed."""


class RunError(NormscopeError):
    """A run folder is in use, damaged, or was begun with other settings."""


class UnscoredWarning(UserWarning):
    """A run is whole, and more of a benchmark is unscored than its `max_unscored` allows."""


def as_arguments(text: str) -> str:
    """The text with arguments of Python in place of flags.

    >>> as_arguments("no model: --model PATH, or name a --device; `normscope run --out X` goes on")
    'no model: model=PATH, or name a device=; `normscope run --out X` goes on'
    >>> as_arguments("--set unpinned=true, --column response=NAME; --map 'yes=LABEL,no=LABEL'")
    "unpinned=true, columns={'response': NAME}; map={'yes': LABEL, 'no': LABEL}"
    """

    def argument(match: re.Match[str]) -> str:
        other, flag, _, pairs, setting, name = match.groups()
        if pairs:
            split = (pair.partition("=") for pair in pairs.strip(",").split(","))
            items = ", ".join(f"{key!r}: {value or None}" for key, _, value in split)
            return f"{'columns' if flag == 'column' else flag}={{{items}}}"
        if name:
            return f"{name.replace('-', '_')}="
        return _ARGUMENTS[other] if other else setting or match[0]

    return _FLAG.sub(argument, text)


def nearest(value: str, known: list[str] | tuple[str, ...]) -> str:
    """A clause that names the nearest known value, or all of them when none is near.

    Of very many the first few are named, and how many there are.

    >>> nearest("limt", ["limit", "model"])
    "did you mean 'limit'?"
    >>> nearest("zzz", ["limit", "model"])
    'known: limit, model'
    """
    close = get_close_matches(value, known, n=1)
    if close:
        return message("did you mean {name}?", name=repr(close[0]))
    if len(known) > _MOST_NAMED:
        first = ", ".join(known[:_MOST_NAMED])
        return message("known are {n}, such as {names}", n=f"{len(known):,}", names=first)
    return message("known: {names}", names=", ".join(known))
