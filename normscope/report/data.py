"""What a report is made of."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from ..judges.trust.cards import KnownCards
from ..judges.trust.corrections import Correction
from ..metrics.estimate import Statistic
from ..records.config import RunConfig
from ..records.items import Items
from ..records.judgements import Judgements, read_judgements
from ..records.judging import Judging
from ..records.ratings import Rating

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
    config: RunConfig
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
