"""What is wrong with a file that somebody wrote by hand, where, and how grave it is."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

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
        place = ".".join(str(part) for part in self.where)
        return f"{place}: {self.text}" if place else self.text


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
        told.append(f"{name}:{line}: {error}" if line else f"{name}: {error}")
    if len(errors) > MOST:
        told.append(f"{name}: and more; mend these first")
    return "\n".join(told)


def located(problems: Iterable[Problem], lines: Mapping[Location, int]) -> tuple[Finding, ...]:
    """The problems with their lines, errors first."""
    found = (Finding(line_of(p.where, lines), str(p), p.warning) for p in problems)
    return tuple(sorted(found, key=lambda finding: (finding.warning, finding.line)))


def from_message(message: str, name: str) -> Iterator[Finding]:
    """The lines of an error of `normscope.yaml`, each `name:line: text` or `name: text`."""
    for told in message.splitlines():
        place = re.match(re.escape(name) + r"(?::(\d+))?:? ", told)
        line = int(place[1] or 0) if place else 0
        yield Finding(line, told[place.end() :] if place else told, warning=False)
