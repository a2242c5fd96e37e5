"""A report as a page: the answer, what limits it, every number, and how to repeat it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..comparison.result import Compared
from ..messages import joined, message
from .blocks import (
    Beside,
    Block,
    Caveat,
    Cell,
    Chart,
    Column,
    Details,
    Facts,
    Listing,
    Page,
    Paragraph,
    Record,
    Section,
    Table,
    titled,
)
from .caveats import caveats, first_caveats, folded
from .comparison.figures import score_figures
from .comparison.page import caveats as compared_caveats
from .comparison.page import reading, sections
from .data import (
    Report,
    ReportData,
    config_listing,
    judges,
    models,
    repeated,
    settings,
    sizes,
)
from .estimates import has_gaps, named, side_by_side, stacked
from .judge_caveats import drift_caveats
from .norms import norm_blocks
from .people import corrected_blocks, people_blocks
from .published import published_section
from .scores import nothing_scored, scores_section, sentence, statistics_blocks, what_is_counted


def page_of(report: Report) -> Page:
    """The page of a run, or of several beside each other; what there is nothing of is empty."""
    blocks = (
        _of_run(report.runs[0]) if report.compared is None else _of_runs(report, report.compared)
    )
    return Page(
        title=", ".join(report.names),
        kind=message("Normscope report"),
        blocks=tuple(blocks),
    )


def _of_run(data: ReportData) -> Iterator[Block]:
    judgements = data.judged
    yield from first_screen(data)
    yield _section(message("What limits it"), "limits", folded(caveats(data)))
    corrected = corrected_blocks(data.corrections, data.stale)
    yield _section(message("Corrected by people"), "corrected", corrected)
    yield published_section([data])
    yield _section(message("Norms"), "norms", norm_blocks(judgements, data.config))
    yield _section(message("Beside people"), "people", people_blocks(data, judgements))
    yield _section(message("Figures"), "figures", [Beside(tuple(_figures(data)))])
    yield _section(message("Every statistic"), "statistics", statistics_blocks(data))
    yield _section(message("Reproduce"), "reproduce", (*repeated(data), config_listing(data)))


def _of_runs(report: Report, compared: Compared) -> Iterator[Block]:
    """What a reader must know of the runs and of the comparison comes first."""
    yield from _head(report.runs)
    yield from _merged(report.names, map(first_caveats, report.runs))
    for text in compared_caveats(compared):
        yield Caveat(text, about=message("Comparing"), warns=True)
    yield _section(message("The answer"), "scores", _answer(report))
    yield published_section(report.runs, compared.norms)
    drift = drift_caveats(report.names, [run.judging for run in report.runs])
    limits = folded((*drift, *_merged(report.names, map(caveats, report.runs))))
    yield _section(message("What limits it"), "limits", limits)
    differences: tuple[Block, ...] = (*sections(compared), reading())
    yield _section(message("Differences"), "differences", differences)
    yield _section(message("Figures"), "figures", [Beside(tuple(map(titled, report.figures)))])
    command = Listing(report.command, command=True)
    again = (Details(run.name, tuple(repeated(run))) for run in report.runs)
    about = Paragraph(message("This command repeats the report:"))
    yield _section(message("Reproduce"), "reproduce", (about, command, *again))


def _section(title: str, name: str, blocks: Iterable[Block]) -> Section:
    return Section(title, tuple(blocks), id=name)


def _figures(data: ReportData) -> Iterator[Chart]:
    """The ridges and answers of each benchmark."""
    for benchmark, plot in score_figures(data):
        yield replace(titled(plot), note=joined((benchmark, plot.caption), " · "))


def first_screen(data: ReportData) -> tuple[Block, ...]:
    """What was asked of whom, what must be known before any number, and the answer."""
    return (
        Facts(
            (
                (message("Model under test"), models(data)),
                (message("Judge"), judges(data)),
                (message("Settings"), settings(data.config)),
            )
        ),
        *first_caveats(data),
        scores_section(data, sizes(data)),
    )


def cell(data: ReportData) -> tuple[Block, ...]:
    """The first screen as a notebook shows it, and folded away what else limits it."""
    return (*first_screen(data), Details(message("What limits it"), folded(caveats(data))))


def _merged(names: Sequence[str], of_runs: Iterable[Iterable[Caveat]]) -> Iterator[Caveat]:
    """Each caveat once, with the runs that it holds for if not for all; warnings first."""
    runs: dict[Caveat, list[str]] = {}
    for name, of_run in zip(names, of_runs, strict=True):
        for caveat in of_run:
            runs.setdefault(caveat, []).append(name)
    for caveat, holds in sorted(runs.items(), key=lambda pair: not pair[0].warns):
        yield replace(caveat, runs=() if len(holds) == len(names) else tuple(holds))


def _head(runs: Sequence[ReportData]) -> Iterator[Block]:
    """The runs, by what they differ in: whom they asked what, who judged, and how."""
    rows: Iterator[Record] = (
        {
            message("run"): Cell(run.name, note="" if at else message("baseline")),
            message("Model under test"): models(run),
            message("Judge"): judges(run),
            message("Settings"): settings(run.config),
            message("What was asked"): joined(
                message("{name} ({of})", name=name, of=size) for name, size in sizes(run).items()
            ),
        }
        for at, run in enumerate(runs)
    )
    yield Table.of(rows, texts=5, look="runs")


def _answer(report: Report) -> Iterator[Block]:
    """Of each benchmark a sentence per run, and the overall statistics, a column per run."""
    scored = list(report.headlines())
    for benchmark, statistics in scored:
        sentences = zip(report.names, map(sentence, statistics), strict=True)
        table = Table(
            (Column(message("statistic")), *(Column(name, "number") for name in report.names)),
            tuple(
                (next(named(row) for row in of_runs if row), *map(stacked, of_runs))
                for of_runs in side_by_side(statistics).values()
            ),
            look="beside",
        )
        yield Section(
            benchmark, (Facts(tuple((name, text) for name, text in sentences if text)), table)
        )
    if not scored:
        yield nothing_scored()
    yield what_is_counted(gaps=any(has_gaps(run.scores) for run in report.runs))
    text = message(
        "Each run's own items, with 95 % intervals; what differs on the items that all runs have "
        "stands under Differences."
    )
    yield Paragraph(text, note=True)
