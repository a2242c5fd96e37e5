"""Tables of levels by statistics: thresholds of coverage, channels, temperatures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..categorical import group_by
from ..format import count
from ..messages import joined, message
from ..metrics.estimate import Statistic
from .blocks import Block, Cell, Section, Table, columns
from .data import BenchmarkScores
from .scores import HEADLINES, shown
from .words import EN, Words

_SHOWN = ("channel", "temperature", "min_coverage")


@dataclass(frozen=True, slots=True)
class Place:
    """One level's statistic: value, interval, and how many are unscored."""

    value: str
    interval: str
    unscored: str


@dataclass(frozen=True, slots=True)
class Level:
    """One row: the level, whether the run's own scores are those of it, and its statistics."""

    label: str
    used: bool
    places: tuple[Place | None, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """How the statistics of a benchmark differ over the levels of one setting."""

    benchmark: str
    group: str
    columns: tuple[str, ...]
    levels: tuple[Level, ...]


def matrices(
    scores: tuple[BenchmarkScores, ...], group: str, words: Words = EN, *, used: str = ""
) -> tuple[Matrix, ...]:
    """The benchmarks' tables for the group `channel`, `temperature` or `min_coverage`.

    Only what the first screen shows is in them; `used` is the level that the run was scored with.
    """
    made = (_matrix(of, group, words, used) for of in scores)
    return tuple(matrix for found in made for matrix in found)


def _matrix(scores: BenchmarkScores, group: str, words: Words, used: str) -> Iterator[Matrix]:
    rows = [row for row in scores.statistics if row.group == group]
    kept = [row for row in rows if row.name in HEADLINES] or rows
    if not kept:
        return
    names = tuple(dict.fromkeys(row.name for row in kept))
    levels = group_by(kept, lambda row: row.member)
    yield Matrix(
        benchmark=scores.benchmark,
        group=group,
        columns=tuple(words.name(name) for name in names),
        levels=tuple(
            Level(words.name(member), member == used, _places(found, names))
            for member, found in levels.items()
        ),
    )


def _places(rows: list[Statistic], names: tuple[str, ...]) -> tuple[Place | None, ...]:
    of = {row.name: row for row in rows}
    return tuple(_place(of[name]) if name in of else None for name in names)


def _place(row: Statistic) -> Place:
    value, between = shown(row)
    return Place(value, between, count(row.estimate.unscored))


def matrix_table(matrix: Matrix, first: str, *, unscored: bool = False) -> Table:
    """The levels under one another; those that the run was scored with are marked."""

    def cell(place: Place | None, *, used: bool) -> Cell:
        if place is None:
            return Cell("–", tone="marked" if used else "")
        note = [place.interval]
        if unscored:
            note.append(message("{n} unscored", n=place.unscored))
        return Cell(place.value, note=joined(note), tone="marked" if used else "")

    return Table(
        columns(first, *matrix.columns),
        tuple(
            (
                Cell(
                    level.label,
                    note=message("this run") if level.used else "",
                    tone="marked" if level.used else "",
                ),
                *(cell(place, used=level.used) for place in level.places),
            )
            for level in matrix.levels
        ),
        title=matrix.benchmark,
        look="matrix",
    )


def channel_blocks(channels: Sequence[Matrix], temperatures: Sequence[Matrix]) -> Iterator[Block]:
    """How the statistics differ between labels and text, and between temperatures."""
    yield Section(
        message("Labels and text"),
        tuple(matrix_table(matrix, message("channel")) for matrix in channels),
        note=message(
            "The model under test answered in the probabilities of its labels and in text. Labels "
            "count where both are there; how often the two differ stands under the overall "
            "statistics."
        ),
    )
    yield Section(
        message("Temperatures"),
        tuple(matrix_table(matrix, message("temperature")) for matrix in temperatures),
    )
