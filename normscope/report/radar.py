"""A radar of a benchmark's scores: one spoke per category, or per area where those are too many."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..metrics.cfsafety import SCORE
from ..metrics.estimate import Statistic
from ..metrics.intervals import RATE
from .charts import Radar
from .charts.radar import FEWEST, MOST
from .data import BenchmarkScores
from .verdicts import group_by
from .words import EN, Words

_DRAWN = ("score", "rr1", "rr2", "hr", "agreement", "silver_agreement")


@dataclass(frozen=True, slots=True)
class GroupRadar:
    """The statistics of a benchmark that are of one unit, by one group."""

    benchmark: str
    group: str
    chart: Radar


def radars(scores: tuple[BenchmarkScores, ...], words: Words = EN) -> tuple[GroupRadar, ...]:
    """A radar for each benchmark that has enough categories, or areas, to draw one."""
    return tuple(
        GroupRadar(of.benchmark, words.name(group), _chart(rows, words))
        for of in scores
        for group in _group(of)
        for rows in _by_unit(of, group)
    )


def _group(scores: BenchmarkScores) -> Sequence[str]:
    for group in ("category", "area"):
        members = {row.member for row in scores.statistics if row.group == group}
        if FEWEST <= len(members) <= MOST:
            return (group,)
    return ()


def _by_unit(scores: BenchmarkScores, group: str) -> list[list[Statistic]]:
    """The statistics that a radar shows, those of one scale together."""
    rows = [row for row in scores.statistics if row.group == group and row.name in _DRAWN]
    return list(group_by(rows, lambda row: row.unit).values())


def _chart(rows: list[Statistic], words: Words) -> Radar:
    members = list(dict.fromkeys(row.member for row in rows))
    names = list(dict.fromkeys(row.name for row in rows))
    values = {(row.name, row.member): row.estimate.value for row in rows}
    rate = rows[0].unit == "rate"
    return Radar(
        values=[[_known(values.get((name, member))) for member in members] for name in names],
        series=[words.name(name) for name in names],
        categories=[words.name(member) for member in members],
        limits=RATE if rate else SCORE,
        percent=rate,
    )


def _known(value: float | None) -> float:
    return math.nan if value is None else value
