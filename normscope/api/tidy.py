"""Statistics as one tidy table: a row per statistic with interval, n and unscored."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import UsageError, nearest
from ..format import count, estimate
from ..messages import message
from ..metrics.estimate import Statistic
from ..report.exports import COLUMNS, tidy_row
from ..report.names import name_of

if TYPE_CHECKING:
    import pandas as pd

_OF = ("run", "model", "benchmark")


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
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
            raise UsageError(
                message("there is no statistic {name!r}; {known}", name=name, known=known)
            )
        return overall[name]

    def __repr__(self) -> str:
        """The overall statistics, a line each, with interval, n and unscored."""
        overall = [each for each in self if not each.group]
        lines = []
        for each in overall:
            value, interval, n, unscored = estimate(each.estimate, each.unit).cells
            counts = f"n {n}, unscored {unscored}" if each.estimate.unscored else f"n {n}"
            of = f" ({each.member})" if each.member else ""
            lines.append(f"{name_of(each.name)}{of}: {value} {interval}, {counts}")
        more = len(self) - len(overall)
        return "\n".join([*lines, f"… {count(more)} by group: to_frame()"] if more else lines)

    def to_frame(self) -> "pd.DataFrame":
        """A tidy data frame, a row per statistic: its name, group, value, interval, n, unscored.

        Its columns are those of the report's CSV; `run`, `model` and `benchmark` are left out
        where nothing is known of them. Shares are in [0, 1], and what there is not is NaN.
        """
        import pandas as pd

        rows = [
            tidy_row(each, run=self.run, model=self.model, benchmark=benchmark)
            for benchmark, statistics in self.by_benchmark.items()
            for each in statistics
        ]
        known = [name for name in COLUMNS if name not in _OF or any(row[name] for row in rows)]
        numbers = ["value", "low", "high", "level", "worst", "best"]
        return pd.DataFrame(rows, columns=known).astype(dict.fromkeys(numbers, "float64"))
