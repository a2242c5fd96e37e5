"""A run's scores for other programs: every statistic as tidy CSV, the headlines as LaTeX tables."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..format import estimate, shortened
from ..messages import Language, joined, message, translate
from ..metrics.estimate import Statistic
from ..untrusted import guarded_rows, visible
from .data import ReportData
from .estimates import headlines, label_of
from .provenance import judges, models, sizes

COLUMNS = (
    *("run", "model", "benchmark", "statistic", "group", "member", "unit"),
    *("value", "low", "high", "level", "n", "unscored", "lowest", "highest", "target", "method"),
)
"""The columns of a tidy table of statistics: of the CSV, and of data frames."""


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
    import pandas as pd

    text: str = pd.DataFrame(rows, columns=[*COLUMNS]).to_csv(index=False, lineterminator="\r\n")
    return text


def scores_tex(names: Sequence[str], runs: Sequence[ReportData], language: Language) -> str:
    """A booktabs table per benchmark, a column per run: the headlines with their intervals.

    A comment above it names judge, rubric and items, so that they go wherever the table goes.
    """
    import pandas as pd

    tables = []
    for about, columns, rows in _tables(names, runs):
        shown = [[_plain(cell, language) for cell in row] for row in rows]
        frame = pd.DataFrame(shown, columns=[_plain(name, language) for name in columns])
        kinds = "l" + "r" * (len(columns) - 1)
        table = frame.to_latex(index=False, escape=True, column_format=kinds)
        tables.append(f"% {_plain(about, language)}\n{table}")
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


def _tables(
    names: Sequence[str], runs: Sequence[ReportData]
) -> Iterator[tuple[str, list[str], list[tuple[str, ...]]]]:
    """What the table of each benchmark is of, its columns, and its rows."""
    for benchmark in dict.fromkeys(each for run in runs for each in run.scores):
        of_runs = [
            {label_of(row): row for row in headlines(run.scores.get(benchmark, ()))} for run in runs
        ]
        labels = dict.fromkeys(label for of_run in of_runs for label in of_run)
        titles = [
            title
            for name in names
            for title in (name, message("95 % interval"), "n", message("unscored"))
        ]
        rows = [
            (label, *(cell for of in of_runs for cell in _cells(of.get(label)))) for label in labels
        ]
        if rows:
            yield _about(benchmark, runs), [message("statistic"), *titles], rows


def _cells(statistic: Statistic | None) -> tuple[str, ...]:
    return ("",) * 4 if statistic is None else estimate(statistic.estimate, statistic.unit).cells


def _plain(text: str, language: Language) -> str:
    """The text in the language on one line, its minus a hyphen, which every LaTeX knows."""
    return " ".join(visible(translate(text, language)).split()).replace("−", "-")


def _about(benchmark: str, runs: Sequence[ReportData]) -> str:
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
