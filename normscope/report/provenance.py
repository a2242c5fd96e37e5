"""What is needed to make the run again: what it was asked with, by name, version and hash."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ..categorical import Categorical, combined, first_rows
from ..messages import message
from .blocks import Code, Details, Listing, Paragraph, Section, Table, columns
from .data import ReportData

_PINS = ("revision", "hash", "sha256", "version", "commit", "dtype")
_THRESHOLDS = ("min_coverage", "coverage_threshold", "coverage")


Pin = tuple[str, str]
"""Where a value stands in the configuration, and the value."""


@dataclass(frozen=True, slots=True)
class RubricUse:
    """Which judge read which benchmark with which rubric."""

    benchmark: str
    judge: str
    rubric_hash: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Packages with their versions, everything else that the configuration pins, and rubrics."""

    packages: tuple[Pin, ...]
    pins: tuple[Pin, ...]
    rubrics: tuple[RubricUse, ...]


def provenance(config: dict[str, Any], judgements: pa.Table) -> Provenance:
    """What the configuration and the judgements say about how the run was made."""
    leaves = list(_leaves(config, ()))
    packages = [(path, value) for path, value in leaves if "packages" in path[:-1]]
    pins = [
        (path, value)
        for path, value in leaves
        if "packages" not in path[:-1] and any(_pins(part) for part in path)
    ]
    return Provenance(
        # each stage notes its own; a package stands twice only if its version changed between them
        packages=tuple(dict.fromkeys((path[-1], str(value)) for path, value in packages)),
        pins=tuple((".".join(path), str(value)) for path, value in pins if value is not None),
        rubrics=_rubrics(judgements),
    )


def coverage_threshold(config: dict[str, Any]) -> float | None:
    """The least coverage that the configuration asks for; null if it names none.

    >>> coverage_threshold({"judging": {"min_coverage": 0.5}})
    0.5
    """
    for path, value in _leaves(config, ()):
        if path[-1] in _THRESHOLDS and isinstance(value, int | float):
            return float(value)
    return None


def distinct(table: pa.Table, column: str) -> tuple[str, ...]:
    """The values of a text column without repeats and nulls, in their first order."""
    return tuple(value for value in table.column(column).unique().to_pylist() if value)


def distinct_rows(table: pa.Table, *columns: str) -> Iterator[tuple[str | None, ...]]:
    """The rows of text columns without repeats, in their first order."""
    named = [Categorical.of(table.column(name)) for name in columns]
    first = first_rows(combined(*named))
    return zip(*(column[first] for column in named), strict=True)


def _pins(key: str) -> bool:
    return any(key == pin or key.endswith(f"_{pin}") for pin in _PINS)


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every plain value of a nested one, with the keys that lead to it."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _leaves(part, (*path, str(index)))
    elif path:
        yield path, value


def _rubrics(judgements: pa.Table) -> tuple[RubricUse, ...]:
    uses = distinct_rows(judgements, "benchmark", "judge", "rubric_hash")
    return tuple(RubricUse(b or "", j or "", h) for b, j, h in uses if h)


def reproduce_section(data: ReportData, made: Provenance) -> Section:
    """The command that repeats the run, and what it must find to be the same."""
    rubrics = Table(
        columns(
            message("benchmark"),
            message("read by"),
            message("hash of rubric, scale or rule"),
            texts=3,
        ),
        tuple(
            (
                use.benchmark,
                use.judge or message("the model's own answers"),
                Code(use.rubric_hash),
            )
            for use in made.rubrics
        ),
        title=message("Rubrics"),
    )
    packages = pins(made.packages, "", message("package"), message("version"))
    return Section(
        message("Reproduce"),
        (
            Paragraph(message("This command repeats the run:")),
            Listing(data.command, command=True),
            files_of(data),
            rubrics,
            settings_of(made),
            Details(message("Packages"), (packages,), note=str(len(made.packages)), printed=True),
            Details(
                "config.yaml",
                (Listing(data.config_text),),
                note=message("as resolved"),
                printed=True,
                screen=True,
            ),
        ),
        id="reproduce",
    )


def files_of(data: ReportData) -> Table:
    """The files of the run with their hashes."""
    title = message("Files of the run")
    return pins(data.files.items(), title, message("file"), "SHA-256")


def settings_of(made: Provenance) -> Table:
    """What the configuration pins."""
    title = message("Revisions, hashes and versions in the configuration")
    return pins(made.pins, title, message("setting"), message("value"))


def pins(rows: Iterable[Pin], title: str, first: str, second: str) -> Table:
    """Names with what each is held at, exactly."""
    return Table(
        columns(first, second, texts=2),
        tuple((name, Code(value)) for name, value in rows),
        title=title,
        look="pins",
    )
