"""A comparison of runs as it is shown: what limits it, the paired table, and where it is surest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..compare.result import Compared, Difference
from ..format import count
from .comparison.page import caveats, gaps_of, numbers
from .words import EN, Words, overall_name

MOST_LEADS = 12
_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Line:
    """One difference: what of, of which runs, and its numbers."""

    label: str
    pair: str
    values: str
    difference: str
    interval: str
    p: str
    adjusted: str
    effect: str
    n: str
    unscored: str
    extremes: str
    reach: str
    primary: bool


@dataclass(frozen=True, slots=True)
class DifferenceGroup:
    """One statistic's differences over the levels of a dimension."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ComparedSection:
    """The differences of a benchmark: overall, by group, and of these the surest.

    `tested` says how many differences by group are sure, and is empty where none was tested.
    """

    benchmark: str
    rows: str
    overall: tuple[Line, ...]
    groups: tuple[DifferenceGroup, ...]
    leads: tuple[Line, ...]
    tested: str


def compared_sections(compared: Compared, words: Words = EN) -> Iterator[ComparedSection]:
    """A section per benchmark, in the order of the comparison."""
    for benchmark, pairing in compared.pairings.items():
        mine = [row for row in compared.rows if row.benchmark == benchmark]
        tested = [row for row in mine if row.group and row.p_adjusted is not None]
        sure = [row for row in tested if (row.p_adjusted or 0.0) < _LEVEL]
        leads = sorted(sure, key=lambda row: row.p_adjusted or 0.0)[:MOST_LEADS]
        yield ComparedSection(
            benchmark=benchmark,
            rows=count(pairing.rows),
            overall=tuple(_line(row, words) for row in mine if not row.group),
            groups=tuple(_groups(mine, words)),
            leads=tuple(_line(row, words, where=True) for row in leads),
            tested=_tested(len(sure), len(tested), words) if tested else "",
        )


def _tested(sure: int, tested: int, words: Words) -> str:
    return words(
        "{sure} of {n} differences by group have p < 0.05 after Benjamini–Hochberg. They were "
        "looked at without a question asked beforehand: leads to follow, not findings.",
        sure=count(sure),
        n=count(tested),
    )


def compared_limits(compared: Compared, words: Words = EN) -> tuple[str, ...]:
    """What a reader must know before any difference."""
    return tuple(map(words.told, caveats(compared)))


def _groups(rows: Sequence[Difference], words: Words) -> Iterator[DifferenceGroup]:
    for group, statistic in dict.fromkeys((r.group, r.statistic) for r in rows if r.group):
        mine = [row for row in rows if (row.group, row.statistic) == (group, statistic)]
        title = words("{title} by {group}", title=words.name(statistic), group=words.name(group))
        yield DifferenceGroup(title, tuple(_line(row, words) for row in mine))


def _line(row: Difference, words: Words, *, where: bool = False) -> Line:
    """`where`: the label says of what, and not only the level."""
    label = words.name(row.member) if row.group else overall_name(row.statistic, row.member, words)
    if where:
        label = f"{words.name(row.statistic)} – {words.name(row.group)}: {label}"
    values, difference, interval, p, adjusted, effect, n = numbers(row)
    unscored, extremes, reach = gaps_of(row)
    return Line(
        label=label,
        pair=f"{row.second} − {row.first}",
        values=values,
        difference=difference,
        interval=words.told(interval),
        p=p,
        adjusted=adjusted,
        effect=effect,
        n=n,
        unscored=unscored,
        extremes=extremes,
        reach=reach,
        primary=row.role == "primary",
    )
