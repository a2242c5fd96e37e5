"""Several runs as one page: their numbers side by side, what differs in pairs, and the figures."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..compare.result import Compared
from ..messages import joined, message
from .asked import AskedOf
from .biases import drift_limits
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
from .comparison.page import caveats, sections
from .data import ReportData
from .front import Front, front_of
from .limits import unlimited
from .page import reading
from .provenance import files_of, settings_of
from .scores import Line
from .tables import counted, items_of
from .words import Words


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the comparison: its title, and the image as a `data:` address."""

    title: str
    source: str


@dataclass(frozen=True, slots=True)
class SeveralData:
    """Runs and their comparison, in one order; the first is the baseline.

    `names` tell the runs apart. `notes` say which figures there are not; `command` repeats the
    report.
    """

    names: tuple[str, ...]
    runs: tuple[ReportData, ...]
    compared: Compared
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""


def page_of_several(data: SeveralData, words: Words) -> Page:
    """The page of the runs; of the caveats, the warnings and the comparison's stand at its head."""
    fronts = tuple(front_of(run, words) for run in data.runs)
    warnings = _of_runs(data.names, [_warnings(front) for front in fronts])
    limits = (
        *drift_limits(data.names, [run.judging for run in data.runs], words),
        *_of_runs(data.names, [_limits(front) for front in fronts]),
    )
    return Page(
        title=", ".join(data.names),
        kind=message("Normscope report"),
        blocks=(
            *_head(data.names, fronts),
            *warnings,
            *(Caveat(t, about=message("Comparing"), warns=True) for t in caveats(data.compared)),
            _scores(data.names, fronts),
            Section(message("What limits it"), limits or (unlimited(),), id="limits"),
            Section(
                message("Differences"),
                (_meaning(), *sections(data.compared)),
                id="differences",
            ),
            Section(
                message("Figures"),
                (
                    *(Paragraph(note, note=True) for note in data.notes),
                    Beside(tuple(Picture(f.source, f.title) for f in data.figures)),
                ),
                id="figures",
                screen=True,
            ),
            Section(message("Reproduce"), tuple(_reproduce(data, fronts)), id="reproduce"),
            reading(),
        ),
    )


def _warnings(front: Front) -> Iterator[Caveat]:
    for text in front.warnings:
        yield Caveat(text, about=message("Warning"), warns=True)


def _limits(front: Front) -> Iterator[Caveat]:
    for card in front.cards:
        yield Caveat(card.text, about=message("Judge"), warns=card.warns)
    yield from front.limits


def _of_runs(names: Sequence[str], held: Sequence[Iterable[Caveat]]) -> Iterator[Caveat]:
    """Each caveat once, with the runs that it holds for if not for all; warnings first."""
    runs: dict[Caveat, list[str]] = {}
    for name, of in zip(names, held, strict=True):
        for caveat in of:
            runs.setdefault(caveat, []).append(name)
    for caveat, of_runs in sorted(runs.items(), key=lambda pair: not pair[0].warns):
        yield replace(caveat, runs=() if len(of_runs) == len(names) else tuple(of_runs))


def _head(names: Sequence[str], fronts: Sequence[Front]) -> Iterator[Block]:
    """The runs, with what is not the same of all of them; then what is."""
    settings = dict.fromkeys(front.settings for front in fronts)
    asked = dict.fromkeys(_asked(front.asked) for front in fronts)
    nobody = message("none: read from the model under test")
    rows: list[Row] = []
    for place, (name, run) in enumerate(zip(names, fronts, strict=True)):
        rows.append(
            (
                Cell(name, note="" if place else message("baseline")),
                ", ".join(run.models) or message("none recorded"),
                ", ".join(run.judges) or nobody,
                *([_asked(run.asked)] if len(asked) > 1 else []),
                *([run.settings] if len(settings) > 1 else []),
            )
        )
    header = [message("run"), message("Model under test"), message("Judge")]
    header += [message("What was asked")] * (len(asked) > 1)
    header += [message("Settings")] * (len(settings) > 1)
    yield Table(columns(*header, texts=len(header)), tuple(rows), look="runs")
    same = [(message("What was asked"), asked), (message("Settings"), settings)]
    yield Facts(
        tuple((name, next(iter(held))) for name, held in same if len(held) == 1 and all(held))
    )


def _asked(rows: Sequence[AskedOf]) -> str:
    return joined(
        message("{name} ({of})", name=row.benchmark, of=items_of(row.items, row.of)) for row in rows
    )


def _scores(names: Sequence[str], fronts: Sequence[Front]) -> Section:
    text = message(
        "Each run's own items, with 95 % intervals; what differs on the items that all runs have "
        "stands under Differences."
    )
    nothing = Paragraph(message("Nothing in this run was scored."), note=True)
    tables: list[Block] = list(_tables(names, fronts))
    return Section(
        message("The answer"),
        (*(tables or [nothing]), counted(), Paragraph(text, note=True)),
        id="scores",
    )


def _tables(names: Sequence[str], fronts: Sequence[Front]) -> Iterator[Table]:
    """The overall statistics of each benchmark, a column per run."""
    scores = [{section.benchmark: section.headlines for section in f.scores} for f in fronts]
    for benchmark in dict.fromkeys(name for of_run in scores for name in of_run):
        lines = [{line.label: line for line in of_run.get(benchmark, ())} for of_run in scores]
        scales = {line.label: line.scale for of_run in reversed(lines) for line in of_run.values()}
        labels = dict.fromkeys(label for of_run in lines for label in of_run)
        if labels:
            yield Table(
                (Column(message("statistic")), *(Column(name, "number") for name in names)),
                tuple(
                    (Cell(label, note=scales[label]), *(_cell(run.get(label)) for run in lines))
                    for label in labels
                ),
                title=benchmark,
                look="beside",
            )


def _cell(line: Line | None) -> Cell:
    if line is None:
        return Cell("–")
    about = [line.interval, f"n {line.n}"]
    if line.unscored != "0":
        about.append(message("{n} unscored", n=line.unscored))
        about.append(message("worst – best") + f" {line.bounds}")
    return Cell(line.value, note=joined(about, " · "), tone="strong")


def _meaning() -> Paragraph:
    return Paragraph(
        message(
            "A difference is the later run less the earlier one; it, its interval and p are over "
            "the items that both have scored. Unscored are those that lack a score in either run, "
            "in brackets in both for the same reason; worst – best is what they could make of the "
            "difference, and the limits are those of the intervals of these two. Bold is the first "
            "statistic of a metric, corrected by Holm over the pairs of runs; the others are "
            "corrected over pairs and statistics."
        )
    )


def _reproduce(data: SeveralData, fronts: Sequence[Front]) -> Iterator[Block]:
    yield Paragraph(message("This command repeats the report:"))
    yield Listing(data.command, command=True)
    for name, run in zip(data.names, fronts, strict=True):
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
