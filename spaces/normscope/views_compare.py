"""A comparison as it is shown: what limits it, its figures, and the whole of it for the API."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from ...compare.result import Compared
from ...compare.runs import Run
from ...report.comparison.draw import draw
from ...report.comparison.page import caveats
from .words import Language, Words

_DRAWING = Lock()
"""matplotlib's settings are the process's own: one figure at a time."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as the browser shows it, and what it is called."""

    title: str
    source: str


def limits_of(compared: Compared, notes: Sequence[str], words: Words, told: Language) -> list[str]:
    """What a reader must know before any number."""
    return [*(words.say(key, told) for key in notes), *caveats(compared)]


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
                "unscored": row.unscored.pairs,
                "unscored_in_both": row.unscored.in_both,
                "worst": row.estimate.worst,
                "best": row.estimate.best,
                "worst_low": row.unscored.low,
                "best_high": row.unscored.high,
                "p": row.test.p if row.test else None,
                "p_adjusted": row.p_adjusted,
                "effect": row.test.effect if row.test else None,
            }
            for row in compared.rows
        ],
    }
