"""Statistics by two dimensions at once: a table for each, one dimension down and one across."""

from collections.abc import Sequence

from ..categorical import group_by
from ..messages import joined, message
from ..metrics.estimate import Statistic
from ..metrics.groups import CROSS
from .blocks import Column, Details, Row, Table
from .estimates import is_headline, level_of, scale_of, stacked
from .names import name_of


def crossed_details(group: str, rows: Sequence[Statistic]) -> Details:
    """Folded away: a table for each headline of the group `first × second`, then for the others."""
    tables = group_by(rows, lambda row: row.name)
    first = [name for name in tables if is_headline(name)] or [*tables]
    more = tuple(_table(group, of) for name, of in tables.items() if name not in first)
    return Details(
        message("By {group}", group=name_of(group)),
        (
            *(_table(group, tables[name]) for name in first),
            Details(message("More statistics"), more),
        ),
        note=joined(map(name_of, tables)),
    )


def _table(group: str, rows: Sequence[Statistic]) -> Table:
    """One statistic: the levels of the first dimension down, of the second across."""
    places = {tuple(row.member.split(CROSS)): row for row in rows}
    down, across = (list(dict.fromkeys(place[at] for place in places)) for at in (0, 1))
    first, _ = group.split(CROSS)
    lines: list[Row] = [
        (name_of(level), *(stacked(places.get((level, other))) for other in across))
        for level in down
    ]
    levels = ", ".join(dict.fromkeys(filter(None, map(level_of, rows))))
    about = message("{level} intervals; n: scored items of the cell", level=levels)
    return Table(
        (Column(name_of(first)), *(Column(name_of(level), "number") for level in across)),
        tuple(lines),
        title=message("{title} by {group}", title=name_of(rows[0].name), group=name_of(group)),
        note=joined(filter(None, (scale_of(rows[0]), about))),
        look="matrix",
    )
