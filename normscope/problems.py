"""What is wrong with a file that somebody wrote by hand, where, and how grave it is."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from .errors import ConfigError
from .messages import message
from .yaml import CURLY, MOST, Lines, Location, decoded, line_of, plain, read_bytes, refusal

D = TypeVar("D")
T = TypeVar("T")

_IN_CURLY_QUOTES = re.compile(
    rf"[{CURLY}](.*[{CURLY}]|[^{CURLY}]+)|[^{CURLY}]+[{CURLY}]", re.DOTALL
)
_ENTRY_WITHIN = re.compile(r"\n\s*- ")
# a comment that is meant has a space after its sign, as apartment #3 has not
_COMMENT = re.compile(r"\s+(#[^\s#].*)")


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: the place in the file as a path of keys, what is wrong, and the remedy.

    With an error the file cannot be used; a warning is for a person to look at.
    """

    where: Location
    text: str
    warning: bool = False

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

    def of(self, file: object) -> str:
        """The finding as a line that an editor can jump to.

        >>> Finding(3, "no such level", warning=True).of("clinic.yaml")
        'clinic.yaml:3: warning: no such level'
        """
        place = f"{file}:{self.line}" if self.line else str(file)
        if self.warning:
            return message("{place}: warning: {problem}", place=place, problem=self.text)
        return message("{place}: error: {problem}", place=place, problem=self.text)


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
    data = read_bytes(path)
    slips: tuple[Finding, ...] = ()
    try:
        value, lines = plain(decoded(data, name=str(path)), name=str(path))
        slips = located(islice(find_slips(lines), MOST), lines)
        if not isinstance(value, dict):
            return Review((*slips, Finding(0, empty, warning=False)))
        review = look(value, lines)
    except ConfigError as error:
        return Review((*slips, *findings_of(error)))
    findings = sorted(
        (*slips, *review.findings), key=lambda finding: (finding.warning, finding.line)
    )
    return Review(tuple(findings), None if slips else review.result)


def find_slips(lines: Lines) -> Iterator[Problem]:
    """Texts that YAML reads otherwise than they look: quotes, comments, entries run together.

    Only texts without quotes are looked at: who puts straight quotes around one means it as it is.
    """
    for where, mark in lines.items():
        first = repr(mark.raw.partition("\n")[0])
        if _IN_CURLY_QUOTES.fullmatch(mark.raw):
            yield problem(
                where,
                "the curly quotes are read as part of the text; type straight ones, or none (where "
                "curly ones are meant, straight ones around the whole): {text}",
                text=first,
            )
        elif _ENTRY_WITHIN.search(mark.raw):
            yield problem(
                where,
                "the entry below is read as part of {text}; begin its - in the column of this one",
                text=first,
            )
        elif mark.raw and (comment := _COMMENT.match(mark.after)):
            yield problem(
                where,
                "{comment} is read as a comment, and the text ends before it; put the whole in "
                "double quotes if it belongs to the text",
                comment=repr(comment[1]),
            )


def refuse(problems: Iterable[Problem], name: str, *, lines: Lines | None = None) -> None:
    """A `ConfigError` with the errors among the problems, one a line with its place."""
    errors = [each for each in problems if not each.warning]
    if errors:
        raise refusal(name, [(line_of(each.where, lines or {}), each.message) for each in errors])


def located(problems: Iterable[Problem], lines: Lines) -> tuple[Finding, ...]:
    """The problems with their lines."""
    return tuple(Finding(line_of(p.where, lines), p.message, p.warning) for p in problems)


def findings_of(error: ConfigError) -> tuple[Finding, ...]:
    """The single problems of an error of `normscope.yaml`."""
    return tuple(Finding(line, text, warning=False) for line, text in error.problems)
