"""What a report is made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from ..comparison.result import Compared
from ..judges.trust.cards import KnownCards
from ..judges.trust.corrections import Correction
from ..metrics.estimate import Statistic
from ..records.items import Items
from ..records.judgements import Judgements, read_judgements
from ..records.judging import Judging
from ..records.ratings import Rating
from ..records.settings import Settings
from .charts import Plot
from .estimates import headlines

NO_CARDS = KnownCards(())


@dataclass(frozen=True, slots=True)
class ReportData:
    """A run, read from its folder.

    `responses` and `judgements` have the columns of `normscope.records`. `caveats` are shown before
    any number, beside those that follow from `config`. `command` repeats the run. `files` maps the
    name of each file of the run folder to its SHA-256. `judging` is what `judging.json` holds, and
    `known_cards` are the cards of judges that may say how far this run's can be believed;
    `corrections` are people's of these judgements, and `stale` counts those of earlier ones;
    `ratings` are what people said of the items.
    """

    name: str
    config: Settings
    scores: Mapping[str, tuple[Statistic, ...]]
    items: Items
    responses: pa.Table
    judgements: pa.Table
    command: str
    files: Mapping[str, str]
    caveats: tuple[str, ...] = ()
    judging: Judging | None = None
    known_cards: KnownCards = NO_CARDS
    corrections: tuple[Correction, ...] = ()
    stale: int = 0
    ratings: tuple[Rating, ...] = ()


def judgements_of(data: ReportData) -> Judgements:
    """The judgements beside their items."""
    return read_judgements(data.judgements, data.items)


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

    def scores(self) -> Iterator[tuple[str, list[list[Statistic]]]]:
        """Each benchmark that any run has numbers of, with the headlines of every run."""
        # a benchmark that only a later run has is shown too, with dashes for the others
        for benchmark in dict.fromkeys(name for run in self.runs for name in run.scores):
            statistics = [headlines(run.scores.get(benchmark, ())) for run in self.runs]
            if any(statistics):
                yield benchmark, statistics
