"""Several runs as one page: their numbers side by side, what differs in pairs, and the figures."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..comparison.result import Compared
from ..messages import joined, message
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
    Row,
    Section,
    Table,
    columns,
    titled,
)
from .caveats import caveats, first_caveats, folded
from .comparison.figures import Figures
from .comparison.page import caveats as compared_caveats
from .comparison.page import reading as how_to_read
from .comparison.page import sections
from .data import ReportData
from .estimates import has_gaps, headlines, label_of, named, stacked
from .glance import sentence
from .judge_caveats import drift_caveats
from .page import reading
from .provenance import judges, models, repeated, settings, sizes
from .published import published_section
from .scores import nothing_scored, what_is_counted

NO_FIGURES = Figures({}, ())


@dataclass(frozen=True, slots=True)
class SeveralData:
    """Runs and their comparison, in one order; the first is the baseline.

    `names` tell the runs apart; `command` repeats the report.
    """

    names: tuple[str, ...]
    runs: tuple[ReportData, ...]
    compared: Compared
    command: str
    figures: Figures = NO_FIGURES


def page_of_several(data: SeveralData) -> Page:
    """The page of the runs; what a reader must know of them and of the comparison comes first."""
    limits = (
        *drift_caveats(data.names, [run.judging for run in data.runs]),
        *_of_runs(data.names, map(caveats, data.runs)),
    )
    comparing = message("Comparing")
    return Page(
        title=", ".join(data.names),
        kind=message("Normscope report"),
        blocks=(
            *_head(data),
            *_of_runs(data.names, map(first_caveats, data.runs)),
            *(
                Caveat(text, about=comparing, warns=True)
                for text in compared_caveats(data.compared)
            ),
            _scores(data),
            published_section(data.compared.published, by_group=False),
            Section(message("What limits it"), folded(limits), id="limits"),
            Section(
                message("Differences"),
                (*sections(data.compared), *(Details(s.title, s.blocks) for s in how_to_read())),
                id="differences",
            ),
            Section(
                message("Figures"),
                (
                    *(Paragraph(note, note=True) for note in data.figures.notes),
                    Beside(tuple(map(titled, data.figures.plots.values()))),
                ),
                id="figures",
                screen=True,
            ),
            Section(
                message("Reproduce"),
                (
                    Paragraph(message("This command repeats the report:")),
                    Listing(data.command, command=True),
                    *(
                        Details(name, tuple(repeated(run)))
                        for name, run in zip(data.names, data.runs, strict=True)
                    ),
                ),
                id="reproduce",
            ),
            reading(),
        ),
    )


def _of_runs(names: Sequence[str], of_runs: Iterable[Iterable[Caveat]]) -> Iterator[Caveat]:
    """Each caveat once, with the runs that it holds for if not for all; warnings first."""
    runs: dict[Caveat, list[str]] = {}
    for name, of_run in zip(names, of_runs, strict=True):
        for caveat in of_run:
            runs.setdefault(caveat, []).append(name)
    for caveat, holds in sorted(runs.items(), key=lambda pair: not pair[0].warns):
        yield replace(caveat, runs=() if len(holds) == len(names) else tuple(holds))


def _head(data: SeveralData) -> Iterator[Block]:
    """The runs, with what is not the same of all of them; then what is."""
    facts: dict[str, list[str]] = {
        message("What was asked"): [
            joined(
                message("{name} ({of})", name=benchmark, of=size)
                for benchmark, size in sizes(run).items()
            )
            for run in data.runs
        ],
        message("Settings"): [settings(run.config) for run in data.runs],
    }
    differing = {name: texts for name, texts in facts.items() if len(set(texts)) > 1}
    header = (message("run"), message("Model under test"), message("Judge"), *differing)
    rows: list[Row] = [
        (
            Cell(name, note="" if at else message("baseline")),
            models(run),
            judges(run),
            *(texts[at] for texts in differing.values()),
        )
        for at, (name, run) in enumerate(zip(data.names, data.runs, strict=True))
    ]
    yield Table(columns(*header, texts=len(header)), tuple(rows), look="runs")
    same = ((name, texts[0]) for name, texts in facts.items() if name not in differing)
    yield Facts(tuple((name, text) for name, text in same if text))


def _scores(data: SeveralData) -> Section:
    text = message(
        "Each run's own items, with 95 % intervals; what differs on the items that all runs have "
        "stands under Differences."
    )
    gaps = any(has_gaps(rows) for run in data.runs for rows in run.scores.values())
    answers: tuple[Block, ...] = tuple(_answers(data)) or (nothing_scored(),)
    return Section(
        message("The answer"),
        (*answers, what_is_counted(gaps=gaps), Paragraph(text, note=True)),
        id="scores",
    )


def _answers(data: SeveralData) -> Iterator[Section]:
    """Of each benchmark a sentence per run, and the overall statistics, a column per run."""
    # a benchmark that only a later run has is shown too, with dashes for the others
    for benchmark in dict.fromkeys(name for run in data.runs for name in run.scores):
        first = [headlines(run.scores.get(benchmark, ())) for run in data.runs]
        of_runs = [{label_of(row): row for row in rows} for rows in first]
        labels = {label: named(row) for of_run in of_runs for label, row in of_run.items()}
        if labels:
            sentences = zip(data.names, map(sentence, first), strict=True)
            table = Table(
                (Column(message("statistic")), *(Column(name, "number") for name in data.names)),
                tuple(
                    (cell, *(stacked(of_run.get(label)) for of_run in of_runs))
                    for label, cell in labels.items()
                ),
                look="beside",
            )
            yield Section(
                benchmark, (Facts(tuple((name, text) for name, text in sentences if text)), table)
            )
