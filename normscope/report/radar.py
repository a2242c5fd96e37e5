"""A radar of a benchmark's scores: one spoke per category, or per area where those are too many."""

import math
from collections.abc import Iterator, Sequence

from ..categorical import group_by
from ..messages import joined, message
from ..metrics.cfsafety import SCORE
from ..metrics.estimate import Statistic
from ..metrics.intervals import RATE
from .blocks import Chart
from .charts import Radar
from .charts.radar import FEWEST, MOST
from .estimates import BROKEN_DOWN
from .names import name_of


def radars(statistics: Sequence[Statistic]) -> Iterator[Chart]:
    """A chart for the statistics of each scale, if there are enough categories, or areas."""
    # categories say more than areas, where a circle has room for them
    for group in ("category", "area"):
        rows = [row for row in statistics if row.group == group]
        if FEWEST <= len({row.member for row in rows}) <= MOST:
            break
    else:
        return
    drawn = group_by((row for row in rows if row.name in BROKEN_DOWN), lambda row: row.unit)
    for unit, of_unit in drawn.items():
        names = list(dict.fromkeys(row.name for row in of_unit))
        members = list(dict.fromkeys(row.member for row in of_unit))
        values = {(row.name, row.member): row.estimate.value for row in of_unit}
        series = [name_of(name) for name in names]
        yield Chart(
            Radar(
                values=[[_known(values.get((name, m))) for m in members] for name in names],
                series=series,
                categories=[name_of(member) for member in members],
                limits=RATE if unit == "rate" else SCORE,
                percent=unit == "rate",
            ),
            alt=message(
                "Radar of {names} by {group}; the tables below have the numbers.",
                names=joined(series),
                group=name_of(group),
            ),
            title=message("Radar by {group}", group=name_of(group)),
        )


def _known(value: float | None) -> float:
    return math.nan if value is None else value
