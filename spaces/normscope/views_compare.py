"""A comparison as it is shown: a table per benchmark, its leads, what limits it, its figures."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from ...compare.draw import draw
from ...compare.result import Compared, Difference
from ...compare.runs import Run
from ...compare.words import cells
from ...compare.write import warnings
from .words import Language, Words

MOST_LEADS = 12
_LEVEL = 0.05
_DRAWING = Lock()
"""matplotlib's settings are the process's own: one figure at a time."""


@dataclass(frozen=True, slots=True)
class Line:
    """One difference: what of, of which runs, and its numbers."""

    label: str
    pair: str
    cells: tuple[str, ...]
    primary: bool


@dataclass(frozen=True, slots=True)
class Section:
    """The differences of one benchmark, and those of its groups that are surest."""

    benchmark: str
    rows: int
    overall: tuple[Line, ...]
    leads: tuple[Line, ...]
    tested: int
    sure: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as the browser shows it, and what it is called."""

    title: str
    source: str


def sections(compared: Compared) -> Iterator[Section]:
    """A section per benchmark, in the order of the comparison."""
    for benchmark, pairing in compared.pairings.items():
        mine = [row for row in compared.rows if row.benchmark == benchmark]
        tested = [row for row in mine if row.group and row.p_adjusted is not None]
        sure = [row for row in tested if (row.p_adjusted or 0.0) < _LEVEL]
        leads = sorted(sure, key=lambda row: row.p_adjusted or 0.0)[:MOST_LEADS]
        yield Section(
            benchmark=benchmark,
            rows=pairing.rows,
            overall=tuple(_line(row) for row in mine if not row.group),
            leads=tuple(_line(row) for row in leads),
            tested=len(tested),
            sure=len(sure),
        )


def limits_of(compared: Compared, notes: Sequence[str], words: Words, told: Language) -> list[str]:
    """What a reader must know before any number."""
    return [*(words.say(key, told) for key in notes), *warnings(compared)]


def figures(
    runs: Sequence[Run], compared: Compared, folder: Path, language: Language
) -> tuple[list[Figure], list[str]]:
    """Every figure that the comparison allows, drawn into the folder; and what is to be said."""
    with _DRAWING:
        drawn = draw(runs, compared, folder, formats=("png",), language=language)
    return [
        Figure(
            path.stem.replace("_", " ").replace("-", " "),
            f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode('ascii')}",
        )
        for path in drawn.paths
    ], list(drawn.notes)


def plain(compared: Compared, notes: Sequence[str], words: Words) -> dict[str, Any]:
    """The comparison as JSON values, for the API."""
    return {
        "runs": dict(compared.runs),
        "warnings": limits_of(compared, notes, words, "en"),
        "rows": {name: pairing.rows for name, pairing in compared.pairings.items()},
        "differences": [
            {
                "benchmark": row.benchmark,
                "statistic": row.statistic,
                "unit": row.unit,
                "role": row.role,
                "group": row.group,
                "member": row.member,
                "first": row.first,
                "second": row.second,
                "first_value": row.first_value,
                "second_value": row.second_value,
                "difference": row.estimate.value,
                "low": row.estimate.low,
                "high": row.estimate.high,
                "n": row.estimate.n,
                "unscored": row.estimate.unscored,
                "p": row.test.p if row.test else None,
                "p_adjusted": row.p_adjusted,
                "effect": row.test.effect if row.test else None,
            }
            for row in compared.rows
        ],
    }


def _line(row: Difference) -> Line:
    label = row.statistic.replace("_", " ")
    if row.group:
        label = f"{label} – {row.group.replace('_', ' ')}: {row.member}"
    shown = cells(row)
    return Line(label, f"{row.second} − {row.first}", shown, row.role == "primary")
