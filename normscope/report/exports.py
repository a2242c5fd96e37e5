"""A report's scores for other programs: every statistic as tidy CSV, the headlines as LaTeX."""

from typing import Any

from ..format import estimate, shortened
from ..messages import Language, joined, message, translate
from ..metrics.estimate import Statistic
from ..untrusted import guarded_rows, visible
from .data import Report
from .estimates import side_by_side
from .provenance import judges, models, sizes

COLUMNS = (
    *("run", "model", "benchmark", "statistic", "group", "member", "unit"),
    *("value", "low", "high", "level", "n", "unscored", "lowest", "highest", "target", "method"),
)
"""The columns of a tidy table of statistics: of the CSV, and of data frames."""


def scores_csv(report: Report) -> str:
    """Every statistic of the runs, a row each, with its numbers as they are in `scores.json`.

    Shares are in [0, 1]; an empty cell is a number that there is not. No cell is taken for a
    formula by a spreadsheet.
    """
    import pandas as pd

    rows = guarded_rows(
        tidy_row(statistic, run=run.name, model=models(run), benchmark=benchmark)
        for run in report.runs
        for benchmark, statistics in run.scores.items()
        for statistic in statistics
    )
    text: str = pd.DataFrame(rows, columns=[*COLUMNS]).to_csv(index=False, lineterminator="\r\n")
    return text


def scores_tex(report: Report, language: Language) -> str:
    """A booktabs table per benchmark, a column per run: the headlines with their intervals.

    A comment above it names judge, rubric and items, so that they go wherever the table goes.
    """
    import pandas as pd

    def plain(text: str) -> str:
        # on one line, its minus a hyphen, which every LaTeX knows
        return " ".join(visible(translate(text, language)).split()).replace("−", "-")

    counts = (message("95 % interval"), "n", message("unscored"))
    titles = [message("statistic"), *(title for name in report.names for title in (name, *counts))]
    tables = []
    for benchmark, statistics in report.scores():
        rows = [
            [label, *(cell for row in of_runs for cell in _cells(row))]
            for label, of_runs in side_by_side(statistics).items()
        ]
        frame = pd.DataFrame(rows).map(plain).set_axis([plain(title) for title in titles], axis=1)
        kinds = "l" + "r" * (len(titles) - 1)
        table = frame.to_latex(index=False, escape=True, column_format=kinds)
        tables.append(f"% {plain(_about(benchmark, report))}\n{table}")
    return "\n".join(["% \\usepackage{booktabs}", "", *tables])


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


def _cells(statistic: Statistic | None) -> tuple[str, ...]:
    return ("",) * 4 if statistic is None else estimate(statistic.estimate, statistic.unit).cells


def _about(benchmark: str, report: Report) -> str:
    """What was measured by whom: what is the same of all runs stands once."""
    measured = [run for run in report.runs if benchmark in run.scores]
    rubrics = [run.config.provenance.rubrics.get(benchmark) for run in measured]
    named = [
        joined(filter(None, (rubric.name, shortened(rubric.hash))), " ")
        for rubric in rubrics
        if rubric
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
