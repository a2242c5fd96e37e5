"""The table of statistics: what `scores.json`, pages, CSV, LaTeX and data frames are made of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

from ..errors import UsageError, nearest
from ..frames import tidy_frame
from ..messages import translate
from .definitions import is_headline, statistic_name
from .estimate import Estimate, Statistic

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("run", "model", "benchmark", "statistic", "name", "group", "member", "unit"),
    *("value", "low", "high", "level", "n", "unscored", "lowest", "highest", "target", "method"),
)
"""The columns of a tidy table of statistics: of the CSV, and of data frames."""

_OF = ("run", "model", "benchmark")


@dataclass(frozen=True, repr=False)
class ScoreTable:
    """The statistics of each benchmark; `run` and `model` are what they are of, if that is known.

    >>> from normscope.metrics.rates import exact
    >>> import numpy as np
    >>> scores = ScoreTable.of([Statistic("hr", "rate", exact(np.array([1.0, 0.0])))], model="m")
    >>> scores["hr"].estimate.value
    0.5
    >>> scores.to_frame()[["model", "statistic", "name", "value", "n"]].to_dict("records")
    [{'model': 'm', 'statistic': 'hr', 'name': 'HR', 'value': 0.5, 'n': 2}]
    """

    by_benchmark: Mapping[str, tuple[Statistic, ...]]
    run: str = ""
    model: str = ""

    @classmethod
    def of(
        cls, statistics: Iterable[Statistic], *, benchmark: str = "", run: str = "", model: str = ""
    ) -> Self:
        """Return those of one benchmark, or of none."""
        return cls({benchmark: tuple(statistics)}, run, model)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Return those that `scores.json` has."""
        return cls(
            {
                name: tuple(
                    Statistic(**{**row, "estimate": Estimate(**row["estimate"])}) for row in rows
                )
                for name, rows in value.items()
            }
        )

    def to_json(self) -> dict[str, Any]:
        """Return what `scores.json` has of them."""
        return {name: [*map(asdict, rows)] for name, rows in self.by_benchmark.items()}

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

    def overall(self, benchmark: str) -> list[Statistic]:
        """Return the statistics of a benchmark that are of no group."""
        return [row for row in self.by_benchmark.get(benchmark, ()) if not row.group]

    def headlines(self, benchmark: str) -> list[Statistic]:
        """Return the overall statistics that the first screen shows; all if none is a headline."""
        overall = self.overall(benchmark)
        return [row for row in overall if is_headline(row.name)] or overall

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every statistic as a row of `COLUMNS`."""
        for benchmark, statistics in self.by_benchmark.items():
            for each in statistics:
                yield tidy_row(each, run=self.run, model=self.model, benchmark=benchmark)

    def to_frame(self) -> "pd.DataFrame":
        """Return a tidy data frame, a row per statistic: its name, group, value, interval, n.

        Its columns are those of the report's CSV; `run`, `model` and `benchmark` are left out
        where nothing is known of them. Shares are in [0, 1], and what there is not is NaN.
        """
        rows = [*self.rows()]
        columns = [name for name in COLUMNS if name not in _OF or any(row[name] for row in rows)]
        return tidy_frame(rows, columns)


def tidy_row(
    statistic: Statistic, *, run: str = "", model: str = "", benchmark: str = ""
) -> dict[str, Any]:
    """The statistic with what it is of, by `COLUMNS`; a number that there is not is null.

    `name` is what pages call the statistic, in English.
    """
    e = statistic.estimate
    name = translate(statistic_name(statistic.name), "en")
    cells: Sequence[Any] = (
        *(run, model, benchmark, statistic.name, name, statistic.group, statistic.member),
        *(statistic.unit, e.value, e.low, e.high, e.level, e.n, e.unscored, e.lowest, e.highest),
        *(e.target, e.method),
    )
    return dict(zip(COLUMNS, cells, strict=True))
