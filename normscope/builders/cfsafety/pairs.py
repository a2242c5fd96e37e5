"""Which prompts of a category say the same thing in several languages.

A column of CFSafety is a row of blocks, each in one language. Where blocks of one length follow
each other in different languages, the k-th prompt of one translates the k-th of the other; in one
stretch two languages take turns row by row. The source does not say so: rows of the pinned file
whose length, numbers or Latin words did not agree with their partners' are `unsure_pairs.csv`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

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


def pair_rows(languages: Sequence[str]) -> list[Place | None]:
    """Each row's place among its translations, null where none can be told.

    >>> [(place.first, place.method) for place in pair_rows(["zh", "zh", "en", "en"])]
    [(0, 'block'), (1, 'block'), (0, 'block'), (1, 'block')]
    """
    places: list[Place | None] = [None] * len(languages)
    for method, runs in _find_parallel(languages):
        for rows in zip_longest(*runs):
            together = [row for row in rows if row is not None]
            # a row past the end of its only partner has no translation
            if len(together) > 1:
                for row in together:
                    places[row] = Place(min(together), method)
    return places


def _find_parallel(languages: Sequence[str]) -> Iterator[tuple[str, list[range]]]:
    """Runs of rows whose k-th rows belong together, each with the way it was found.

    >>> [*_find_parallel(["en", "zh", "en", "zh"])]
    [('neighbour', [range(0, 4, 2), range(1, 4, 2)])]
    """
    start, end = 0, len(languages)
    for turns in [*_find_turns(languages), range(end, end)]:
        for group in _group(languages, range(start, turns.start), whole=turns.start == end):
            yield BLOCK, group
        if turns:
            yield NEIGHBOUR, [turns[::2], turns[1::2]]
        start = turns.stop


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


def _group(languages: Sequence[str], rows: range, *, whole: bool) -> list[list[range]]:
    """Blocks that follow each other in different languages with one length.

    Where `whole` says that the last block ends the column, it may be cut short.
    """
    blocks = [list(block) for _, block in groupby(rows, key=lambda row: languages[row])]
    groups: list[list[range]] = []
    for position, block in enumerate(blocks):
        size, fewest = len(block), CUT if whole and position == len(blocks) - 1 else 1
        expected = len(groups[-1][0]) if groups else 0
        spoken = {languages[run[0]] for run in groups[-1]} if groups else set()
        fits = expected > 1 and fewest * expected <= size <= expected
        run = range(block[0], block[-1] + 1)
        if fits and languages[block[0]] not in spoken:
            groups[-1].append(run)
        else:
            groups.append([run])
    return [group for group in groups if len(group) > 1]
