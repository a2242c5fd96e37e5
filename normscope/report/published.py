"""Published results beside one's own, apart from what was measured here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..builders.published import PublishedResult
from ..categorical import group_by
from ..comparison.published import published_beside
from ..comparison.result import OwnResult, Published, PublishedBeside
from ..format import MISSING, count, estimate, number, percent
from ..messages import joined, known, message
from .blocks import Block, Caveat, Cell, Column, Details, Paragraph, Section, Table, columns
from .data import ReportData
from .names import name_of

Key = tuple[str, str, str]
"""A statistic, what it is broken down by, and the level of that."""


@dataclass(frozen=True, slots=True)
class _Line:
    """What stands in a row of a table: a run's own statistics, or a model's published numbers."""

    name: str
    own: Mapping[Key, OwnResult]
    printed: Mapping[Key, Sequence[PublishedResult]]


def published_blocks(beside: PublishedBeside, *, by_group: bool = True) -> Iterator[Block]:
    """A section per benchmark, and which benchmarks nothing was published of."""
    for published in beside.benchmarks:
        yield Section(published.benchmark, tuple(_blocks(published, by_group=by_group)))
    if beside.without:
        names = ", ".join(beside.without)
        yield Paragraph(message("There are no published results for {names}.", names=names))


def published_section(beside: PublishedBeside | None, *, by_group: bool = True) -> Section:
    """The section of a page; without blocks where nobody asked for published results."""
    blocks = () if beside is None else tuple(published_blocks(beside, by_group=by_group))
    return Section(message("Beside published results"), blocks, id="published")


def published_to(data: ReportData) -> PublishedBeside:
    """The published results of the benchmarks of a run, as far as it has any such number."""
    benchmarks = published_beside([data]).benchmarks
    return PublishedBeside(tuple(published for published in benchmarks if published.own))


def _blocks(published: Published, *, by_group: bool) -> Iterator[Block]:
    source, lines = published.source, _lines(published)
    keys = dict.fromkeys((r.statistic, r.group, r.member) for r in published.results)
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
        [key for key in keys if not key[1]],
        lambda key: tuple(line.name for line in lines if key in line.printed),
    )
    measured = {row.beside for row in published.own}
    # what there is a number of one's own for comes first
    tables = sorted(of_models.values(), key=lambda of: of[0][0] not in measured)
    yield from (_overall(of, lines) for of in tables)
    yield from _differences(published)
    yield from (Caveat(known(text)) for text in source.caveats)
    grouped = [key for key in keys if key[1]]
    if grouped and by_group:
        yield Details(message("By group"), (_by_group(grouped, lines),))


def _lines(published: Published) -> list[_Line]:
    """A row per run, then one per published model in the order of the paper."""

    def of_own(row: OwnResult) -> Key:
        group = row.statistic.group
        return (row.beside, group, row.statistic.member if group else "")

    own = group_by(published.own, lambda row: row.run)
    models = group_by(published.results, lambda row: row.model)
    return [
        *(_Line(run, {of_own(row): row for row in rows}, {}) for run, rows in own.items()),
        *(
            _Line(model, {}, group_by(rows, lambda r: (r.statistic, r.group, r.member)))
            for model, rows in models.items()
        ),
    ]


def _overall(keys: Sequence[Key], lines: Sequence[_Line]) -> Table:
    """The lines with their overall numbers."""
    titles = (Column(name_of(name), "number") for name, _, _ in keys)
    rows = ((_label(line), *(_cell(line, key) for key in keys)) for line in _with(keys, lines))
    return Table((Column(message("model")), *titles), tuple(rows), look="matrix")


def _by_group(keys: Sequence[Key], lines: Sequence[_Line]) -> Table:
    """Every number of a level of a group, a column for each of the lines."""
    chosen = _with(keys, lines)
    return Table(
        (
            *columns(message("statistic"), message("group"), message("of"), texts=3),
            *(Column(_label(line).text, "number") for line in chosen),
        ),
        tuple((*map(name_of, key), *(_cell(line, key) for line in chosen)) for key in keys),
        brief=False,
    )


def _with(keys: Sequence[Key], lines: Sequence[_Line]) -> list[_Line]:
    """The lines that have any of these numbers."""
    return [line for line in lines if any(key in line.own or key in line.printed for key in keys)]


def _label(line: _Line) -> Cell:
    if line.own:
        return Cell(line.name, note=message("measured here"), tone="strong")
    return Cell(line.name, note=message("published"), tone="muted")


def _cell(line: _Line, key: Key) -> Cell:
    """An own value with its interval; a published one with its n and what must be said of it."""
    if (own := line.own.get(key)) is not None:
        text = estimate(own.statistic.estimate, own.statistic.unit)
        # another key or another arithmetic goes wherever the number goes
        other = own.statistic.name != own.beside
        name = (name_of(own.statistic.name),) if other else ()
        exact = own.statistic.estimate.method == "exact"
        interval = message("exact") if exact else text.interval
        about = joined((interval, f"n {text.n}", *name), " · ")
        return Cell(text.value, note=about, tone="strong")
    rows = line.printed.get(key, ())
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
