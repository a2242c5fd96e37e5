"""Published results beside one's own, apart from what was measured here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..builders.published import PublishedResult
from ..categorical import group_by
from ..comparison.published import OwnResult, Published, published_beside
from ..comparison.result import NormsCompared
from ..format import MISSING, count, number, percent
from ..messages import joined, known, message
from ..records.run import Run
from .blocks import Block, Caveat, Cell, Column, Details, Paragraph, Section, Table
from .estimates import stacked
from .names import name_of


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of a table: a run's own statistics by name, or a model's published numbers."""

    name: str
    own: Mapping[str, OwnResult]
    printed: Mapping[str, Sequence[PublishedResult]]


def published_section(
    runs: Sequence[Run], norms: Mapping[str, NormsCompared] | None = None
) -> Section:
    """A part per benchmark of which the runs have a number that was published, too."""
    return section_of(published_beside(runs, norms))


def section_of(beside: Sequence[Published]) -> Section:
    """The same of what was put beside the runs already."""
    blocks = (Details(each.benchmark, tuple(_blocks(each))) for each in beside if each.own)
    return Section(message("Beside published results"), tuple(blocks), id="published", folded=True)


def _blocks(published: Published) -> Iterator[Block]:
    source, lines = published.source, _lines(published)
    names = dict.fromkeys(row.statistic for row in published.results)
    yield Paragraph(
        message(
            "{paper} ({date}, arXiv {arxiv}). Published numbers have no interval here and enter "
            "no test.",
            paper=source.paper,
            date=source.date,
            arxiv=source.arxiv,
        ),
        note=True,
    )
    # pairs of models and models have tables of their own
    of_models = group_by(
        names, lambda name: tuple(line.name for line in lines if name in line.printed)
    )
    measured = {row.beside for row in published.own}
    # what there is a number of one's own for comes first
    tables = sorted(of_models.values(), key=lambda of: of[0] not in measured)
    yield from (_table(of, lines) for of in tables)
    yield from _differences(published)
    yield from (Caveat(known(text)) for text in source.caveats)


def _lines(published: Published) -> list[_Line]:
    """A row per run, then one per published model in the order of the paper."""
    own = group_by(published.own, lambda row: row.run)
    models = group_by(published.results, lambda row: row.model)
    return [
        *(_Line(run, {row.beside: row for row in rows}, {}) for run, rows in own.items()),
        *(
            _Line(model, {}, group_by(rows, lambda row: row.statistic))
            for model, rows in models.items()
        ),
    ]


def _table(names: Sequence[str], lines: Sequence[_Line]) -> Table:
    """The lines that have any of these numbers, a column for each of these."""
    rows = (
        (_label(line), *(_cell(line, name) for name in names))
        for line in lines
        if any(name in line.own or name in line.printed for name in names)
    )
    titles = (Column(name_of(name), "number") for name in names)
    return Table((Column(message("model")), *titles), tuple(rows), look="matrix")


def _label(line: _Line) -> Cell:
    if line.own:
        return Cell(line.name, note=message("measured here"), tone="strong")
    return Cell(line.name, note=message("published"), tone="muted")


def _cell(line: _Line, name: str) -> Cell:
    """An own value with its interval; a published one with its n and what must be said of it."""
    if (own := line.own.get(name)) is not None:
        # another key or another arithmetic goes wherever the number goes
        other = own.statistic.name != own.beside
        return stacked(own.statistic, name_of(own.statistic.name) if other else "")
    rows = line.printed.get(name, ())
    if not rows:
        return Cell(MISSING)
    # where two tables print the same number, what has no note is the number
    first = min(rows, key=lambda row: bool(row.note))
    notes: list[str] = [] if first.n is None else [f"n {count(first.n)}"]
    notes += [_note(row, first) for row in rows if row.note]
    return Cell(_value(first), note=joined(notes, " · "), tone="muted")


def _note(row: PublishedResult, first: PublishedResult) -> str:
    """What is said of a number; of another than the one that is shown, which it is."""
    if row is first:
        return known(row.note)
    return message(
        "Table {table} has {value}: {note}",
        table=row.table,
        value=_value(row),
        note=known(row.note),
    )


def _value(row: PublishedResult) -> str:
    return percent(row.value) if row.unit == "rate" else number(row.value)


def _differences(published: Published) -> Iterator[Block]:
    """A line for what differs, the same once for all runs of which it holds."""
    alike = group_by(published.differs.items(), lambda pair: pair[1])
    for differs, runs in alike.items():
        names = tuple(run for run, _ in runs) if len(alike) > 1 else ()
        text = (
            message("Not comparable as they stand: {differs}.", differs=joined(differs, "; "))
            if differs
            else message("Nothing that is known of the two differs.")
        )
        yield Caveat(text, runs=names)
