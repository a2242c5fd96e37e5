"""A report as a page: the answer, what limits it, and folded away every number."""

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
    Code,
    Details,
    Facts,
    Listing,
    Page,
    Paragraph,
    Record,
    Section,
    Table,
    content,
    titled,
)
from .caveats import caveats, failures, of_judge, top_caveats
from .comparison.figures import score_figures
from .comparison.page import NOT_ALIKE, differences_section
from .comparison.page import caveats as compared_caveats
from .data import (
    Report,
    ReportData,
    judges,
    models,
    repeated,
    settings,
    sizes,
)
from .evidence import evidence_blocks
from .judge_caveats import drift_caveats
from .norms import norm_blocks
from .people import corrected_blocks, people_blocks
from .published import published_section
from .scores import answers, statistics_blocks


def page_of(report: Report) -> Page:
    """The page of a run, or of several beside each other; what there is nothing of is empty."""
    compared = report.compared
    rest = _of_run(report.runs[0]) if compared is None else _of_runs(report, compared)
    return Page(
        title=", ".join(report.names),
        kind=message("Normscope report"),
        blocks=(*first_screen(report), *rest),
    )


def first_screen(report: Report) -> tuple[Block, ...]:
    """The answer of each benchmark, behind what must be known before it, and what limits it."""
    return content(
        (
            *_merged(report.names, map(failures, report.runs)),
            *_not_alike(report),
            *answers(report),
            top_caveats(_limits(report)),
        )
    )


def _not_alike(report: Report) -> Iterator[Caveat]:
    """That a difference may come of the measuring, which nobody must pass by."""
    if report.compared is not None and report.compared.mismatches:
        yield Caveat(NOT_ALIKE, about=message("Warning"), warns=True)


def _limits(report: Report) -> list[Caveat]:
    """All that limits the numbers, the most serious first, the same once for all its runs."""
    compared = report.compared
    if compared is None:
        return [*caveats(report.runs[0])]
    listed = [
        *drift_caveats(report.names, [run.judging for run in report.runs]),
        *(Caveat(text, message("Comparing"), warns=True) for text in compared_caveats(compared)),
        *_merged(report.names, map(caveats, report.runs)),
    ]
    return sorted(listed, key=lambda caveat: not caveat.warns)


def _of_run(data: ReportData) -> Iterator[Section]:
    report, judgements = Report((data,)), data.judged
    yield _asked(report)
    yield _section(message("Corrected by people"), "corrected", corrected_blocks(data.corrections))
    yield published_section([data])
    yield _section(message("Norms"), "norms", norm_blocks(judgements, data.config))
    yield _section(message("Beside people"), "people", people_blocks(data, judgements))
    yield _section(message("Figures"), "figures", [Beside(tuple(_figures(data)))])
    yield _section(message("Every statistic"), "statistics", statistics_blocks(data))
    yield _section(message("What limits it"), "limits", _all_limits(report))
    about = message("Every answer, with search and filters:")
    view = Paragraph((about, " ", Code("normscope view RUN")))
    sheet = Details(message("Evidence sheet"), tuple(evidence_blocks(data)), printed=True)
    again = (*repeated(data), sheet, view)
    yield _section(message("Reproduce"), "reproduce", again)


def _of_runs(report: Report, compared: Compared) -> Iterator[Section]:
    yield _asked(report)
    yield differences_section(compared)
    yield published_section(report.runs, compared.norms)
    yield _section(message("Figures"), "figures", [Beside(tuple(map(titled, report.figures)))])
    every_run = (Details(run.name, tuple(statistics_blocks(run))) for run in report.runs)
    yield _section(message("Every run's own statistics"), "statistics", every_run)
    yield _section(message("What limits it"), "limits", _all_limits(report))
    command = Listing(report.command, command=True)
    again = (Details(run.name, tuple(repeated(run))) for run in report.runs)
    about = Paragraph(message("This command repeats the report:"))
    yield _section(message("Reproduce"), "reproduce", (about, command, *again))


def _section(title: str, name: str, blocks: Iterable[Block]) -> Section:
    return Section(title, tuple(blocks), id=name, folded=True)


def _all_limits(report: Report) -> Iterator[Block]:
    """All that limits the numbers, and folded away what speaks for the judge."""
    limits = _limits(report)
    yield from limits
    if not limits:
        text = message("Nothing is known that limits these numbers beyond their intervals.")
        yield Paragraph(text, note=True)
    listed = (caveat for caveat in _merged(report.names, map(of_judge, report.runs)))
    evidence = tuple(caveat for caveat in listed if not caveat.warns)
    yield Details(message("What speaks for the judge"), evidence)


def _figures(data: ReportData) -> Iterator[Chart]:
    """The ridges and answers of each benchmark."""
    for benchmark, plot in score_figures(data):
        yield replace(titled(plot), note=joined((benchmark, plot.caption), " · "))


def cell(data: ReportData) -> tuple[Block, ...]:
    """The first screen as a notebook shows it, and folded away what else limits it."""
    report = Report((data,))
    return (*first_screen(report), Details(message("What limits it"), tuple(_all_limits(report))))


def _merged(names: Sequence[str], of_runs: Iterable[Iterable[Caveat]]) -> Iterator[Caveat]:
    """Each caveat once, with the runs that it holds for if not for all; warnings first."""
    runs: dict[Caveat, list[str]] = {}
    for name, of_run in zip(names, of_runs, strict=True):
        for caveat in of_run:
            runs.setdefault(caveat, []).append(name)
    for caveat, holds in sorted(runs.items(), key=lambda pair: not pair[0].warns):
        yield replace(caveat, runs=() if len(holds) == len(names) else tuple(holds))


def _asked(report: Report) -> Section:
    """Whom they asked what, who judged, and how: of a run as facts, of several in a table."""
    title = message("What was asked of whom")
    rows: list[Record] = [
        {
            message("run"): Cell(run.name, note="" if at else message("baseline")),
            message("Model under test"): models(run),
            message("Judge"): judges(run),
            message("Settings"): settings(run.config),
            message("What was asked"): joined(
                message("{name} ({of})", name=name, of=size) for name, size in sizes(run).items()
            ),
        }
        for at, run in enumerate(report.runs)
    ]
    if report.compared is None:
        facts = [(name, value) for name, value in rows[0].items() if isinstance(value, str)]
        return _section(title, "asked", [Facts(tuple(facts))])
    return _section(title, "asked", [Table.of(rows, texts=5, look="runs")])
