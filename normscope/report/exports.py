"""A report's scores for other programs: every statistic as tidy CSV, the headlines as LaTeX."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, nearest
from ..format import estimate, shortened
from ..frames import tidy_frame
from ..judges.trust.card import Card
from ..messages import Language, joined, message, translate
from ..metrics.estimate import Statistic
from ..untrusted import guarded_rows, visible
from .blocks import Block, Details
from .data import Report
from .estimates import has_gaps, side_by_side
from .notebook import Shown
from .provenance import judges, models, sizes
from .scores import overall_scores, statistics_table, what_is_counted

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("run", "model", "benchmark", "statistic", "group", "member", "unit"),
    *("value", "low", "high", "level", "n", "unscored", "lowest", "highest", "target", "method"),
)
"""The columns of a tidy table of statistics: of the CSV, and of data frames."""

_OF = ("run", "model", "benchmark")


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Shown):
    """The statistics of each benchmark; `run` and `model` are what they are of, if that is known.

    >>> from normscope.metrics.rates import exact
    >>> import numpy as np
    >>> scores = Scores.of([Statistic("hr", "rate", exact(np.array([1.0, 0.0])))], model="m")
    >>> scores["hr"].estimate.value
    0.5
    >>> scores.to_frame()[["model", "statistic", "value", "n", "unscored"]].to_dict("records")
    [{'model': 'm', 'statistic': 'hr', 'value': 0.5, 'n': 2, 'unscored': 0}]
    """

    by_benchmark: Mapping[str, tuple[Statistic, ...]]
    run: str = ""
    model: str = ""

    @classmethod
    def of(
        cls, statistics: Iterable[Statistic], *, benchmark: str = "", run: str = "", model: str = ""
    ) -> "Scores":
        """Those of one benchmark, or of none."""
        return cls({benchmark: tuple(statistics)}, run, model)

    def __len__(self) -> int:
        """How many statistics there are."""
        return sum(map(len, self.by_benchmark.values()))

    def __iter__(self) -> Iterator[Statistic]:
        """Every statistic, benchmark by benchmark."""
        return chain.from_iterable(self.by_benchmark.values())

    def __getitem__(self, name: str) -> Statistic:
        """The overall statistic of the name, of the first benchmark that has it."""
        overall: dict[str, Statistic] = {
            each.name: each for each in reversed([*self]) if not each.group
        }
        if name not in overall:
            text = nearest(name, [*reversed(overall)])
            raise UsageError(f"there is no statistic {name!r}; {text}")
        return overall[name]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every statistic as a row of `COLUMNS`."""
        for benchmark, statistics in self.by_benchmark.items():
            for each in statistics:
                yield tidy_row(each, run=self.run, model=self.model, benchmark=benchmark)

    def to_frame(self) -> "pd.DataFrame":
        """A tidy data frame, a row per statistic: its name, group, value, interval, n, unscored.

        Its columns are those of the report's CSV; `run`, `model` and `benchmark` are left out
        where nothing is known of them. Shares are in [0, 1], and what there is not is NaN.
        """
        rows = [*self.rows()]
        known = [name for name in COLUMNS if name not in _OF or any(row[name] for row in rows)]
        return tidy_frame(rows, known)

    def _shown(self) -> Sequence[Block]:
        """The overall statistics of each benchmark with their intervals; folded away, by group."""
        by_group = (
            Details(benchmark or message("Details"), (statistics_table(statistics),))
            for benchmark, statistics in self.by_benchmark.items()
            if any(each.group for each in statistics)
        )
        return (*self._brief(), what_is_counted(gaps=has_gaps(self)), *by_group)

    def _brief(self) -> Sequence[Block]:
        return overall_scores(self.by_benchmark)


class Scored(Shown):
    """A result that has statistics, and shows these."""

    __slots__ = ()

    @property
    @abstractmethod
    def scores(self) -> Scores:
        """The statistics."""

    def to_frame(self) -> "pd.DataFrame":
        """The statistics as a tidy data frame (`Scores.to_frame`)."""
        return self.scores.to_frame()

    def _shown(self) -> Sequence[Block]:
        return self.scores._shown()


def scores_csv(report: Report) -> str:
    """Every statistic of the runs, a row each, with its numbers as they are in `scores.json`.

    Shares are in [0, 1]; an empty cell is a number that there is not. No cell is taken for a
    formula by a spreadsheet.
    """
    import pandas as pd

    rows = guarded_rows(
        row for run in report.runs for row in Scores(run.scores, run.name, models(run)).rows()
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
