"""A run's scores for other programs: every statistic as tidy CSV, the headlines as LaTeX tables."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from ..format import estimate, shortened
from ..messages import Language, joined, message
from ..metrics.estimate import Statistic
from ..untrusted import guarded_rows
from .blocks import AnyCell, Column, Table
from .data import ReportData
from .estimates import headlines, label_of
from .requested import judges, models, sizes
from .writers import tex

COLUMNS = (
    *("run", "model", "benchmark", "statistic", "group", "member", "unit"),
    *("value", "low", "high", "level", "n", "unscored", "lowest", "highest", "target", "method"),
)
"""The columns of a tidy table of statistics: of the CSV, and of data frames."""

_PREAMBLE = "% \\usepackage{booktabs}"


def scores_csv(names: Sequence[str], runs: Sequence[ReportData]) -> str:
    """Every statistic of the runs, a row each, with its numbers as they are in `scores.json`.

    Shares are in [0, 1]; an empty cell is a number that there is not. No cell is taken for a
    formula by a spreadsheet.
    """
    rows = guarded_rows(
        tidy_row(statistic, run=name, model=models(run), benchmark=benchmark)
        for name, run in zip(names, runs, strict=True)
        for benchmark, statistics in run.scores.items()
        for statistic in statistics
    )
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def scores_tex(names: Sequence[str], runs: Sequence[ReportData], language: Language) -> str:
    """A booktabs table per benchmark, a column per run: the headlines with their intervals.

    The caption names judge, rubric and items, so that it goes wherever the table goes.
    """
    tables = (tex.table(each, language) for each in _tables(names, runs))
    return "\n".join([_PREAMBLE, "", *tables])


def tidy_row(
    statistic: Statistic, *, run: str = "", model: str = "", benchmark: str = ""
) -> dict[str, Any]:
    """The statistic with what it is of, by `COLUMNS`; a number that there is not is null."""
    e = statistic.estimate
    cells = (
        *(run, model, benchmark, statistic.name, statistic.group, statistic.member),
        *(statistic.unit, e.value, e.low, e.high, e.level, e.n, e.unscored, e.lowest, e.highest),
        *(e.target, e.method),
    )
    return dict(zip(COLUMNS, cells, strict=True))


def _tables(names: Sequence[str], runs: Sequence[ReportData]) -> Iterator[Table]:
    """The headlines of each benchmark, of each run its value, interval and n."""
    for benchmark in dict.fromkeys(each for run in runs for each in run.scores):
        of_runs = [
            {label_of(row): row for row in headlines(run.scores.get(benchmark, ()))[0]}
            for run in runs
        ]
        labels = dict.fromkeys(label for of_run in of_runs for label in of_run)
        if not labels:
            continue
        gaps = any(row.estimate.unscored for of in of_runs for row in of.values())
        counts = ("n", message("unscored")) if gaps else ("n",)
        yield Table(
            (
                Column(message("statistic")),
                *(
                    Column(title, "number")
                    for name in names
                    for title in (name, message("95 % interval"), *counts)
                ),
            ),
            tuple(
                (label, *(cell for of in of_runs for cell in _cells(of.get(label), gaps=gaps)))
                for label in labels
            ),
            title=_caption(benchmark, runs),
        )


def _cells(statistic: Statistic | None, *, gaps: bool) -> tuple[AnyCell, ...]:
    if statistic is None:
        return ("",) * (4 if gaps else 3)
    value, interval, n, unscored = estimate(statistic.estimate, statistic.unit).cells
    return (value, interval, n, unscored) if gaps else (value, interval, n)


def _caption(benchmark: str, runs: Sequence[ReportData]) -> str:
    """What was measured by whom: what is the same of all runs stands once."""
    measured = [run for run in runs if benchmark in run.scores]
    rubrics = [run.config.provenance.rubrics.get(benchmark) for run in measured]
    named = [
        joined(filter(None, (each.name, shortened(each.hash))), " ") for each in rubrics if each
    ]
    return message(
        "{benchmark}: {items}. Model: {models}. Judge: {judges}. Rubric: {rubrics}. n counts "
        "scored items.",
        benchmark=benchmark,
        items=joined(dict.fromkeys(sizes(run).get(benchmark, "–") for run in measured)),
        models=joined(dict.fromkeys(map(models, measured))),
        judges=joined(dict.fromkeys(judges(run, benchmark) for run in measured)),
        rubrics=joined(dict.fromkeys(named)) if named else message("none"),
    )
