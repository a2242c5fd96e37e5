"""What a report is made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pyarrow as pa

from ..comparison.result import Compared
from ..judges.trust.cards import KnownCards
from ..judges.trust.corrections import Correction
from ..metrics.estimate import Statistic
from ..metrics.scores import Scores
from ..pipeline.score import read_scores
from ..records.integrity import JUDGEMENTS
from ..records.judgements import COLUMNS
from ..records.run import Run
from .charts import Plot

NO_CARDS = KnownCards(())


@dataclass(frozen=True, eq=False)
class ReportData(Run):
    """A run, and what its report says beside it.

    `caveats` are shown before any number, beside those that follow from `config`. `command` repeats
    the run. `files` maps the name of each of its files to its SHA-256. `known_cards` are the cards
    of judges that may say how far this run's can be believed; `corrections` are people's of these
    judgements, and `stale` counts those of earlier ones.
    """

    command: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    known_cards: KnownCards = NO_CARDS
    corrections: tuple[Correction, ...] = ()
    stale: int = 0

    @cached_property
    def scores(self) -> Scores:
        """The statistics of each benchmark."""
        return read_scores(self)

    @cached_property
    def judgements(self) -> pa.Table:
        """The columns of its judgements that a report reads."""
        return self.table(JUDGEMENTS, columns=[*COLUMNS, "judge", "rubric_hash"])


@dataclass(frozen=True, slots=True)
class Report:
    """A run, or several in one order with what they come to against one another.

    Of several the first is the baseline, their names tell them apart, and `command` repeats the
    report.
    """

    runs: tuple[ReportData, ...]
    compared: Compared | None = None
    command: str = ""
    figures: tuple[Plot, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the runs are called."""
        return tuple(run.name for run in self.runs)

    def headlines(self) -> Iterator[tuple[str, list[list[Statistic]]]]:
        """Each benchmark that any run has numbers of, with the headlines of every run."""
        # a benchmark that only a later run has is shown too, with dashes for the others
        for benchmark in dict.fromkeys(n for run in self.runs for n in run.scores.by_benchmark):
            statistics = [run.scores.headlines(benchmark) for run in self.runs]
            if any(statistics):
                yield benchmark, statistics
