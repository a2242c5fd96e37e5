"""Statistics by group: one matrix per dimension, its levels down and the statistics across."""

from collections.abc import Iterator, Sequence

from ..categorical import group_by
from ..format import count
from ..messages import joined, message
from ..metrics.estimate import Statistic
from ..metrics.facets import FACET
from ..metrics.factors import FACTOR
from ..metrics.groups import CROSS
from ..metrics.shape import SHAPE
from ..pipeline.published import REASON
from .blocks import AnyCell, Beside, Block, Column, Details, Paragraph, Row, Section, Table
from .crossed import crossed_details
from .data import ReportData
from .estimates import about, axis_of, is_headline, level_of, scale_of, stacked
from .names import name_of
from .radar import radars

ASIDE = (
    *("min_coverage", "channel", "temperature", "label", SHAPE, FACTOR, FACET),
    *("reason", "reason in labels", "reason in text", REASON),
)
"""Groups that are no breakdown of the items: they have tables of their own."""

_UNITS = {"rate": " %", "rate difference": " pp"}


def group_blocks(data: ReportData) -> Iterator[Block]:
    """Each benchmark by its groups: a radar of what has one, a matrix for each dimension.

    The first dimension is open, on paper too; the others are folded away.
    """
    for benchmark, statistics in data.scores.items():
        rows = [row for row in statistics if row.group and row.group not in ASIDE]
        groups = group_by(rows, lambda row: row.group)
        breakdowns = tuple(
            crossed_details(group, of) if CROSS in group else _by_group(group, of, main=not at)
            for at, (group, of) in enumerate(groups.items())
        )
        nothing = Paragraph(message("No breakdown was computed."), note=True)
        yield Section(benchmark, (Beside(tuple(radars(statistics))), *(breakdowns or (nothing,))))


def _by_group(group: str, rows: Sequence[Statistic], *, main: bool) -> Details:
    """The matrix of the headlines; one of the other statistics is folded away below it."""
    names = list(dict.fromkeys(row.name for row in rows))
    first = [name for name in names if is_headline(name)] or names
    more = [row for row in rows if row.name not in first]
    return Details(
        message("By {group}", group=name_of(group)),
        (
            *_matrix(group, [row for row in rows if row.name in first]),
            *((Details(message("More statistics"), tuple(_matrix(group, more))),) if more else ()),
        ),
        note=joined(map(name_of, names)),
        open=main,
        printed=main,
    )


def _matrix(group: str, rows: Sequence[Statistic]) -> Iterator[Block]:
    """The levels of the group down, the statistics across, of which the first is drawn as well."""
    statistics = group_by(rows, lambda row: row.name)
    levels = group_by(rows, lambda row: row.member)
    first = next(iter(statistics))
    axis = axis_of(statistics[first])
    # where all statistics of a level count the same items, two columns say it for all
    shared = all(len({_counts(row) for row in of}) == 1 for of in levels.values())
    lines: list[Row] = []
    for level, of in levels.items():
        places = {row.name: row for row in of}
        cells: list[AnyCell] = [stacked(places.get(name), counts=not shared) for name in statistics]
        drawn = axis.whisker(places[first]) if first in places else ""
        totals = _counts(of[0]) if shared else ()
        # an item may lack the dimension, and its row needs a name all the same
        label = name_of(level) or message("not given")
        lines.append((label, cells[0], drawn, *cells[1:], *map(count, totals)))
    title, *titles = (
        Column(name_of(name), "number", hint=joined(filter(None, (scale_of(of[0]), about(of[0])))))
        for name, of in statistics.items()
    )
    drawing = Column(
        message(
            "Dot: value. Line: interval. Light bar: lowest to highest case over unscored items."
        ),
        "drawing",
        axis=axis.ticks(_UNITS.get(statistics[first][0].unit, "")),
    )
    totals_titles = (Column("n", "number"), Column(message("unscored"), "number"))
    yield Table(
        (Column(name_of(group)), title, drawing, *titles, *(totals_titles if shared else ())),
        tuple(lines),
        look="scores matrix",
    )
    yield Paragraph(_of_what(rows), note=True)


def _counts(row: Statistic) -> tuple[int, int]:
    return row.estimate.n, row.estimate.unscored


def _of_what(rows: Sequence[Statistic]) -> str:
    """What the intervals under the values are about."""
    return message(
        "Under each value: its {level} interval for {target}.",
        level=", ".join(dict.fromkeys(filter(None, map(level_of, rows)))),
        target=joined(dict.fromkeys(name_of(row.estimate.target) for row in rows)),
    )
