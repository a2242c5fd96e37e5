"""A radar of a benchmark's scores: one spoke per category, or per area where those are too many."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..metrics.cfsafety import SCORE
from ..metrics.estimate import Statistic
from .data import BenchmarkScores
from .verdicts import group_by
from .words import EN, Words

FEWEST, MOST = 3, 18
"""A radar of two spokes is a line; one of too many cannot be read."""

RADIUS = 100.0
_DRAWN = ("score", "rr1", "rr2", "hr", "agreement", "silver_agreement")
_WIDEST = 22
_CROWDED = 11

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Spoke:
    """A category: where its spoke ends, and its name beside it in lines of text."""

    end: Point
    text: Point
    anchor: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ray:
    """One statistic around the radar: its points, and lines that a missing value interrupts."""

    label: str
    points: tuple[Point, ...]
    lines: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True, slots=True)
class Radar:
    """The drawing, around the origin."""

    benchmark: str
    group: str
    rings: tuple[tuple[float, str], ...]
    spokes: tuple[Spoke, ...]
    rays: tuple[Ray, ...]


def radars(scores: tuple[BenchmarkScores, ...], words: Words = EN) -> tuple[Radar, ...]:
    """A radar for each benchmark that has enough categories, or areas, to draw one."""
    return tuple(
        _radar(of.benchmark, words.name(group), rows, words)
        for of in scores
        for group in _group(of)
        for rows in _drawn(of, group)
    )


def _group(scores: BenchmarkScores) -> Sequence[str]:
    for group in ("category", "area"):
        members = {row.member for row in scores.statistics if row.group == group}
        if FEWEST <= len(members) <= MOST:
            return (group,)
    return ()


def _drawn(scores: BenchmarkScores, group: str) -> list[list[Statistic]]:
    """The statistics that a radar shows, those of one scale together."""
    rows = [row for row in scores.statistics if row.group == group and row.name in _DRAWN]
    return list(group_by(rows, lambda row: row.unit).values())


def _radar(benchmark: str, group: str, rows: list[Statistic], words: Words) -> Radar:
    members = list(dict.fromkeys(row.member for row in rows))
    names = list(dict.fromkeys(row.name for row in rows))
    rate = rows[0].unit == "rate"
    top = 1.0 if rate else SCORE[1]
    steps = [step / 4 * top for step in range(1, 5)] if rate else [1.0, 2.0, 3.0, 4.0, 5.0]
    return Radar(
        benchmark=benchmark,
        group=group,
        rings=tuple(
            (round(step / top * RADIUS, 1), f"{step * (100 if rate else 1):g}") for step in steps
        ),
        spokes=tuple(_spoke(words.name(m), at, len(members)) for at, m in enumerate(members)),
        rays=tuple(_ray(words.name(name), _of(rows, name), members, top) for name in names),
    )


def _of(rows: list[Statistic], name: str) -> dict[str, float | None]:
    return {row.member: row.estimate.value for row in rows if row.name == name}


def _ray(label: str, values: dict[str, float | None], members: list[str], top: float) -> Ray:
    places: list[Point | None] = []
    for at, member in enumerate(members):
        value = values.get(member)
        known = value is not None and math.isfinite(value)
        places.append(_at(at, len(members), (value or 0.0) / top * RADIUS) if known else None)
    lines: list[list[Point]] = [[]]
    for place in (*places, places[0]):
        if place is None:
            lines.append([])
        else:
            lines[-1].append(place)
    return Ray(
        label=label,
        points=tuple(place for place in places if place is not None),
        lines=tuple(tuple(line) for line in lines if len(line) > 1),
    )


def _spoke(name: str, at: int, of: int) -> Spoke:
    # neighbours near the top and the bottom would stand on one another
    crowded = of > _CROWDED and at % 2 and abs(_at(at, of, 1.0)[0]) < 0.7  # noqa: PLR2004
    end, text = _at(at, of, RADIUS), _at(at, of, RADIUS + (34 if crowded else 9))
    side = 0 if abs(text[0]) < 12 else 1 if text[0] > 0 else -1  # noqa: PLR2004 - near the top
    lines = _wrapped(name)
    # the block of lines stands on, under or beside the end of its spoke
    lift = -11.0 * (len(lines) - 1) * (1 if text[1] < -60 else 0 if text[1] > 60 else 0.5)  # noqa: PLR2004
    return Spoke(
        end=end,
        text=(text[0], round(text[1] + 4 + lift, 1)),
        anchor=("middle", "start", "end")[side],
        lines=lines,
    )


def _wrapped(name: str) -> tuple[str, ...]:
    """The name in lines; a text without spaces, such as a Chinese one, in pieces.

    >>> _wrapped("Insults and sensitive topics")
    ('Insults and sensitive', 'topics')
    """
    if " " not in name:
        size = _WIDEST // 2 if not name.isascii() else _WIDEST
        return tuple(name[at : at + size] for at in range(0, len(name), size)) or ("",)
    lines = [""]
    for word in name.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) > _WIDEST and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return tuple(lines)


def _at(place: int, of: int, radius: float) -> Point:
    """The point on spoke `place` of `of`, the first upright, in the direction of a clock."""
    angle = 2 * math.pi * place / of
    return round(radius * math.sin(angle), 1), round(-radius * math.cos(angle), 1)
