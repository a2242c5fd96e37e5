"""The scores of a report for other programs: every statistic as CSV, the headlines as LaTeX."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..format import estimate, shortened
from ..frames import tidy_frame
from ..judges.trust.card import Card
from ..messages import Language, joined, message, translate
from ..metrics.estimate import Statistic
from ..metrics.scores import COLUMNS, tidy_row
from ..untrusted import guarded_rows, visible
from .data import Report, judges, models, sizes
from .estimates import has_gaps, label_of

if TYPE_CHECKING:
    import pandas as pd


def scores_csv(report: Report) -> str:
    """Every statistic of the runs, a row each, with its numbers as they are in `scores.json`.

    Shares are in [0, 1]; an empty cell is a number that there is not. No cell is taken for a
    formula by a spreadsheet.
    """
    import pandas as pd

    of_runs = (replace(run.scores, run=run.name, model=models(run)) for run in report.runs)
    rows = guarded_rows(row for scores in of_runs for row in scores.rows())
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

    tables = []
    for benchmark, statistics in report.headlines():
        frames = [_cells(*pair) for pair in zip(report.names, statistics, strict=True)]
        frame = pd.concat(frames, axis="columns").fillna("").rename_axis(message("statistic"))
        frame = frame.reset_index().map(plain).rename(columns=plain)
        kinds = "l" + "r" * (len(frame.columns) - 1)
        table = frame.to_latex(index=False, escape=True, column_format=kinds)
        tables.append(f"% {plain(_about(benchmark, report))}\n{table}")
    return "\n".join(["% \\usepackage{booktabs}", "", *tables])


def _cells(run: str, statistics: Sequence[Statistic]) -> "pd.DataFrame":
    """The statistics of a run as text, by what they are called, as a page has them."""
    import pandas as pd

    cells = [estimate(row.estimate, row.unit) for row in statistics]
    columns = [run, message("95 % interval"), "n", message("unscored"), message("lowest – highest")]
    frame = pd.DataFrame(cells, index=[*map(label_of, statistics)], columns=columns)
    return frame if has_gaps(statistics) else frame[columns[:-1]]


def _about(benchmark: str, report: Report) -> str:
    """What was measured by whom: what is the same of all runs stands once."""
    measured = [run for run in report.runs if benchmark in run.scores.by_benchmark]
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


def card_frame(card: Card) -> "pd.DataFrame":
    """A judge's card as a tidy data frame: a row per statistic, group and predictor.

    A row with `over` is what the judge has over that predictor, which reads nothing.
    """
    about = {
        "model": card.judge.model,
        "benchmark": card.source.benchmark,
        "criterion": card.rubric.criterion,
    }
    first = (*about, "predictor", "over")
    rows = [
        tidy_row(each) | about | {"group": part.group, "member": part.member} | of
        for part in card.slices
        for of, statistics in (
            ({"predictor": "judge", "over": ""}, part.statistics),
            *(({"predictor": x, "over": ""}, each) for x, each in part.baselines.items()),
            *(({"predictor": "judge", "over": x}, each) for x, each in part.gains.items()),
        )
        for each in statistics
    ]
    rest = [name for name in COLUMNS if name not in {*first, "run"}]
    return tidy_frame(rows, [*first, *rest])
