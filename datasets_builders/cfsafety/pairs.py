"""Which prompts of a category say the same thing in several languages.

A column of CFSafety is a row of blocks, each in one language. Where blocks of one length follow
each other in different languages, the k-th prompt of one translates the k-th of the other; in one
stretch two languages take turns row by row. The source does not say so: rows of the pinned file
whose length, numbers or Latin words did not agree with their partners' are `unsure_pairs.csv`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

BLOCK = "block"
NEIGHBOUR = "neighbour"

CUT = 0.9
"""The last block of a column may be cut short, down to this share of its partners."""

PAIR = 2

_FEWEST_TURNS = 4
"""Two blocks that meet are a stretch of two rows in turn, so that more are asked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """A row's place among its translations.

    `first` is the index of the group's first row, `method` how the group was found (`block` or
    `neighbour`).
    """

    first: int
    method: str


@dataclass(frozen=True, slots=True)
class Run:
    """Rows of one language whose order is that of their translations."""

    language: str
    rows: range


def pair_rows(languages: Sequence[str]) -> list[Place | None]:
    """Each row's place among its translations, null where none can be told.

    >>> [(place.first, place.method) for place in pair_rows(["zh", "zh", "en", "en"])]
    [(0, 'block'), (1, 'block'), (0, 'block'), (1, 'block')]
    """
    places: list[Place | None] = [None] * len(languages)
    for method, runs in find_parallel(languages):
        for k in range(max(len(run.rows) for run in runs)):
            rows = [run.rows[k] for run in runs if k < len(run.rows)]
            # a row past the end of its only partner has no translation
            if len(rows) > 1:
                for row in rows:
                    places[row] = Place(min(rows), method)
    return places


def find_parallel(languages: Sequence[str]) -> list[tuple[str, list[Run]]]:
    """The runs whose k-th rows belong together, each with the way it was found.

    >>> find_parallel(["zh", "zh", "en", "en"])
    [('block', [Run(language='zh', rows=range(0, 2)), Run(language='en', rows=range(2, 4))])]
    >>> find_parallel(["en", "zh", "en", "zh"])
    [('neighbour',
      [Run(language='en', rows=range(0, 4, 2)), Run(language='zh', rows=range(1, 4, 2))])]
    """
    result: list[tuple[str, list[Run]]] = []
    end = len(languages)
    start = 0
    for turns in [*_find_turns(languages), range(end, end)]:
        runs = _find_runs(languages, range(start, turns.start))
        result += [(BLOCK, group) for group in _group(runs, whole=turns.start == end)]
        if turns:
            interleaved = (turns[::2], turns[1::2])
            result.append((NEIGHBOUR, [Run(languages[rows[0]], rows) for rows in interleaved]))
        start = turns.stop
    return result


def _find_turns(languages: Sequence[str]) -> list[range]:
    """The longest stretches in which two languages take turns, those of an even length."""
    stretches, start = [], 0
    for row in range(1, len(languages) + 1):
        goes_on = (
            row < len(languages)
            and languages[row] != languages[row - 1]
            and (row - start == 1 or languages[row] == languages[row - 2])
        )
        if not goes_on:
            stretches.append(range(start, row))
            start = row
    return [
        stretch for stretch in stretches if len(stretch) >= _FEWEST_TURNS and len(stretch) % 2 == 0
    ]


def _find_runs(languages: Sequence[str], rows: range) -> list[Run]:
    blocks = groupby(rows, key=lambda row: languages[row])
    listed = [(language, list(block)) for language, block in blocks]
    return [Run(language, range(block[0], block[-1] + 1)) for language, block in listed]


def _group(runs: Sequence[Run], *, whole: bool) -> list[list[Run]]:
    """Runs that follow each other in different languages with one length.

    Where `whole` says that the last run ends the column, it may be cut short.
    """
    groups: list[list[Run]] = []
    for position, run in enumerate(runs):
        last = whole and position == len(runs) - 1
        if groups and _belongs(run, groups[-1], last=last):
            groups[-1].append(run)
        else:
            groups.append([run])
    return [group for group in groups if len(group) > 1]


def _belongs(run: Run, group: Sequence[Run], *, last: bool) -> bool:
    size, expected = len(run.rows), len(group[0].rows)
    fits = size == expected or (last and CUT * expected <= size < expected)
    return fits and expected > 1 and run.language not in {member.language for member in group}
