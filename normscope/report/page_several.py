"""Several runs as one page: their numbers side by side, what differs, and the figures."""

from collections.abc import Iterable, Iterator, Sequence

from ..messages import joined, message
from .asked import AskedOf
from .blocks import (
    Beside,
    Block,
    Caveat,
    Cell,
    Column,
    Details,
    Facts,
    Listing,
    Page,
    Paragraph,
    Picture,
    Row,
    Section,
    Table,
    columns,
)
from .compared import ComparedSection, Line
from .limits import unlimited
from .page import reading
from .provenance import files_of, settings_of
from .several import Beside as SideBySide
from .several import BesideTable, SeveralView
from .tables import counted, items_of


def page_of_several(view: SeveralView) -> Page:
    """The page of the runs, of which the first is the baseline."""
    return Page(
        title=", ".join(view.data.names),
        kind=message("Normscope report"),
        blocks=(
            *_head(view),
            *view.warnings,
            *(Caveat(t, about=message("Comparing"), warns=True) for t in view.limits),
            _scores(view),
            Section(
                message("What limits it"),
                view.caveats or (unlimited(),),
                id="limits",
            ),
            Section(
                message("Differences"),
                (
                    Paragraph(view.meaning),
                    *(Section(s.benchmark, tuple(_differences(s))) for s in view.sections),
                ),
                id="differences",
            ),
            Section(
                message("Figures"),
                (
                    *(Paragraph(note, note=True) for note in view.notes),
                    Beside(tuple(Picture(f.source, f.title) for f in view.data.figures)),
                ),
                id="figures",
                screen=True,
            ),
            Section(message("Reproduce"), tuple(_reproduce(view)), id="reproduce"),
            reading(),
        ),
    )


def _head(view: SeveralView) -> Iterator[Block]:
    """The runs, with what is not the same of all of them; then what is."""
    settings = dict.fromkeys(front.settings for front in view.fronts)
    asked = dict.fromkeys(_asked(front.asked) for front in view.fronts)
    nobody = message("none: read from the model under test")
    rows: list[Row] = []
    for place, (name, run) in enumerate(view.runs):
        rows.append(
            (
                Cell(name, note="" if place else message("baseline")),
                ", ".join(run.models) or message("none recorded"),
                ", ".join(run.judges) or nobody,
                *([_asked(run.asked)] if len(asked) > 1 else []),
                *([run.settings] if len(settings) > 1 else []),
            )
        )
    names = [message("run"), message("Model under test"), message("Judge")]
    names += [message("What was asked")] * (len(asked) > 1)
    names += [message("Settings")] * (len(settings) > 1)
    yield Table(columns(*names, texts=len(names)), tuple(rows), look="runs")
    same = [(message("What was asked"), asked), (message("Settings"), settings)]
    yield Facts(
        tuple((name, next(iter(held))) for name, held in same if len(held) == 1 and all(held))
    )


def _asked(rows: Sequence[AskedOf]) -> str:
    return joined(
        message("{name} ({of})", name=row.benchmark, of=items_of(row.items, row.of)) for row in rows
    )


def _scores(view: SeveralView) -> Section:
    blocks: list[Block] = [_beside(table, view.data.names) for table in view.tables]
    text = message(
        "Each run's own items, with 95 % intervals; what differs on the items that all runs have "
        "stands under Differences."
    )
    nothing = Paragraph(message("Nothing in this run was scored."), note=True)
    return Section(
        message("The answer"),
        (*(blocks or [nothing]), counted(), Paragraph(text, note=True)),
        id="scores",
    )


def _beside(table: BesideTable, names: Iterable[str]) -> Table:
    return Table(
        (Column(message("statistic")), *(Column(name, "number") for name in names)),
        tuple((Cell(row.label, note=row.scale), *_places(row)) for row in table.rows),
        title=table.benchmark,
        look="beside",
    )


def _places(row: SideBySide) -> Iterator[Cell]:
    for line in row.lines:
        if line is None:
            yield Cell("–")
            continue
        about = [line.interval, f"n {line.n}"]
        if line.unscored != "0":
            about.append(message("{n} unscored", n=line.unscored))
            about.append(message("worst – best") + f" {line.bounds}")
        yield Cell(line.value, note=joined(about, " · "), tone="strong")


def _differences(section: ComparedSection) -> Iterator[Block]:
    yield Paragraph(message("{n} paired judgements per criterion and run", n=section.rows))
    yield differences(section.overall, message("statistic"))
    if section.tested:
        yield Paragraph(section.tested)
    leads = message("Where they differ most surely")
    yield Details(
        leads,
        (differences(section.leads, message("statistic")),),
        note=str(len(section.leads)),
        printed=True,
    )
    for group in section.groups:
        yield Details(
            group.title,
            (differences(group.lines, group.title),),
            note=str(len(group.lines)),
            screen=True,
        )


def differences(lines: Sequence[Line], first: str) -> Table:
    """Differences under one another; those of the primary statistic are bold."""
    return Table(
        (
            *columns(first, message("compared"), message("values"), texts=2),
            Column(message("difference"), "number", tone="strong"),
            Column(message("95 % interval"), "number"),
            Column("p", "number"),
            Column(message("p corrected"), "number"),
            Column(message("effect"), "number"),
            Column("n", "number"),
            Column(message("unscored (both)"), "number"),
            Column(message("worst – best"), "number", tone="muted"),
            Column(message("their 95 % limits"), "number", tone="muted"),
        ),
        tuple(
            (
                Cell(line.label, tone="strong" if line.primary else ""),
                *(line.pair, line.values, line.difference, line.interval),
                *(line.p, line.adjusted, line.effect, line.n),
                *(line.unscored, line.extremes, line.reach),
            )
            for line in lines
        ),
        look="differences",
    )


def _reproduce(view: SeveralView) -> Iterator[Block]:
    yield Paragraph(message("This command repeats the report:"))
    yield Listing(view.data.command, command=True)
    for name, run in view.runs:
        yield Details(
            name,
            (
                Paragraph(message("This command repeats the run:")),
                Listing(run.data.command, command=True),
                files_of(run.data),
                settings_of(run.made_with),
            ),
            note=message("its own report, written by normscope report, has all its details"),
            printed=True,
        )
