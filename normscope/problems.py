"""What is wrong with a file that somebody wrote by hand, where, and how grave it is."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from .errors import ConfigError
from .messages import joined, message
from .yaml import Location

MOST = 50
"""How many problems are told: a file with more is not mended line by line."""


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
        place = ".".join(str(part) for part in self.where)
        if not place:
            return self.text
        return message("{place}: {problem}", place=place, problem=self.text)


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem with the line on which it stands; 0 where it is about the whole file."""

    line: int
    text: str
    warning: bool


def line_of(where: Location, lines: Mapping[Location, int]) -> int:
    """The line of the place, or of the nearest part of the file around it; 0 if there is none."""
    while where and where not in lines:
        where = where[:-1]
    return lines.get(where, 0)


def tell(
    problems: Iterable[Problem], name: str, *, lines: Mapping[Location, int] | None = None
) -> str:
    """The errors among the problems, one a line with its place; empty if there are none."""
    errors = list(islice((each for each in problems if not each.warning), MOST + 1))
    told = []
    for error in errors[:MOST]:
        line = line_of(error.where, lines or {})
        place = f"{name}:{line}" if line else name
        told.append(message("{place}: {problem}", place=place, problem=error.message))
    if len(errors) > MOST:
        told.append(
            message("{place}: {problem}", place=name, problem=message("and more; mend these first"))
        )
    return joined(told, "\n")


def located(problems: Iterable[Problem], lines: Mapping[Location, int]) -> tuple[Finding, ...]:
    """The problems with their lines, errors first."""
    found = (Finding(line_of(p.where, lines), p.message, p.warning) for p in problems)
    return tuple(sorted(found, key=lambda finding: (finding.warning, finding.line)))


def findings_of(error: ConfigError) -> Iterator[Finding]:
    """The single problems of an error of `normscope.yaml`."""
    return (Finding(line, text, warning=False) for line, text in error.problems)
