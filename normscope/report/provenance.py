"""What is needed to make the run again: what it was asked with, by name, version and hash."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ..categorical import Categorical, combined, first_rows

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
