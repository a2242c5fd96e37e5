"""Statistics as one tidy table: a row per statistic with interval, n and unscored."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import UsageError, nearest
from ..frames import tidy_frame
from ..messages import message
from ..metrics.estimate import Statistic
from ..report.exports import COLUMNS, tidy_row
from ..report.notebook import Shown

if TYPE_CHECKING:
    import pandas as pd

    from ..report.blocks import Block

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
        for statistics in self.by_benchmark.values():
            yield from statistics

    def __getitem__(self, name: str) -> Statistic:
        """The overall statistic of the name, of the first benchmark that has it."""
        overall: dict[str, Statistic] = {
            each.name: each for each in reversed([*self]) if not each.group
        }
        if name not in overall:
            known = nearest(name, list(dict.fromkeys(each.name for each in self if not each.group)))
            raise UsageError(f"there is no statistic {name!r}; {known}")
        return overall[name]

    def _shown(self) -> "Sequence[Block]":
        """The overall statistics of each benchmark with their intervals; folded away, by group."""
        from ..report.blocks import Details
        from ..report.estimates import has_gaps
        from ..report.scores import statistics_table, what_is_counted

        by_group = (
            Details(benchmark or message("Details"), (statistics_table(statistics),))
            for benchmark, statistics in self.by_benchmark.items()
            if any(each.group for each in statistics)
        )
        return (*self._brief(), what_is_counted(gaps=has_gaps(self)), *by_group)

    def _brief(self) -> "Sequence[Block]":
        from ..report.scores import overall_scores

        return overall_scores(dict(self.by_benchmark))

    def to_frame(self) -> "pd.DataFrame":
        """A tidy data frame, a row per statistic: its name, group, value, interval, n, unscored.

        Its columns are those of the report's CSV; `run`, `model` and `benchmark` are left out
        where nothing is known of them. Shares are in [0, 1], and what there is not is NaN.
        """
        rows = [
            tidy_row(each, run=self.run, model=self.model, benchmark=benchmark)
            for benchmark, statistics in self.by_benchmark.items()
            for each in statistics
        ]
        known = [name for name in COLUMNS if name not in _OF or any(row[name] for row in rows)]
        return tidy_frame(rows, known)
