"""What is wrong with a file that somebody wrote by hand, where, and how grave it is."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from .errors import ConfigError
from .messages import joined, message
from .yaml import Lines, Location, convert, line_of, plain, read_text

D = TypeVar("D")
T = TypeVar("T")

MOST = 50
"""How many problems are shown: a file with more is not mended line by line."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: the place in the file as a path of keys, what is wrong, and the remedy.

    With an error the file cannot be used; a warning is for a person to look at.
    """

    where: Location
    text: str
    warning: bool = False

    def __str__(self) -> str:
        return self.message

    @property
    def message(self) -> str:
        """The text with its place before it."""
        place = ".".join(str(key) for key in self.where)
        if not place:
            return self.text
        return message("{place}: {problem}", place=place, problem=self.text)


def problem(where: Location, text: str, /, *, warning: bool = False, **slots: object) -> Problem:
    """A problem whose text is a message with these slots."""
    return Problem(where, message(text, **slots), warning)


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem with the line on which it stands; 0 where it is about the whole file."""

    line: int
    text: str
    warning: bool


@dataclass(frozen=True, slots=True)
class Review(Generic[T]):
    """The findings in a file, and what it makes if there is no error in it."""

    findings: tuple[Finding, ...]
    result: T | None = None

    @property
    def errors(self) -> int:
        """How many findings keep the file from being used."""
        return sum(not finding.warning for finding in self.findings)


def review_file(
    path: Path, look: Callable[[Mapping[Any, Any], Lines], Review[T]], *, empty: str
) -> Review[T]:
    """What `look` says of the file's mapping; what keeps it from being read becomes findings.

    `empty` is said of a file without keys. One that cannot be opened is a `ConfigError`.
    """
    text = read_text(path)
    try:
        value, lines = plain(text, name=str(path))
        if not isinstance(value, dict):
            return Review((Finding(0, empty, warning=False),))
        return look(value, lines)
    except ConfigError as error:
        return Review(findings_of(error))


def load_checked(
    path: Path, draft: type[D], kind: type[T], find: Callable[[D], Iterable[Problem]]
) -> T:
    """The YAML file as a `kind`, which has the fields of the `draft`; a `ConfigError` if not sound.

    The draft is looked through first: `find` knows places, for which the error has lines.
    """
    value, lines = plain(read_text(path), name=str(path))
    drafted = convert(value, draft, name=str(path), lines=lines)
    refuse(find(drafted), str(path), lines=lines)
    return checked(drafted, kind)


def checked(draft: object, kind: type[T]) -> T:
    """The draft's fields as a `kind`, which raises a `ConfigError` if there is an error in them."""
    return kind(**{name: getattr(draft, name) for name in type(draft).__slots__})  # type: ignore[attr-defined]


def refuse(problems: Iterable[Problem], name: str, *, lines: Lines | None = None) -> None:
    """A `ConfigError` with the errors among the problems, one a line with its place."""
    # one more than is shown, so that it is known whether there are more
    errors = list(islice((each for each in problems if not each.warning), MOST + 1))
    if not errors:
        return
    texts = []
    for error in errors[:MOST]:
        line = line_of(error.where, lines or {})
        place = f"{name}:{line}" if line else name
        texts.append(message("{place}: {problem}", place=place, problem=error.message))
    if len(errors) > MOST:
        more = message("and more; mend these first")
        texts.append(message("{place}: {problem}", place=name, problem=more))
    raise ConfigError(joined(texts, "\n"))


def located(problems: Iterable[Problem], lines: Lines) -> tuple[Finding, ...]:
    """The problems with their lines, errors first."""
    result = (Finding(line_of(p.where, lines), p.message, p.warning) for p in problems)
    return tuple(sorted(result, key=lambda finding: (finding.warning, finding.line)))


def findings_of(error: ConfigError) -> tuple[Finding, ...]:
    """The single problems of an error of `normscope.yaml`."""
    return tuple(Finding(line, text, warning=False) for line, text in error.problems)
