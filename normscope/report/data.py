"""What a report is made of."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ..judges.trust.cards import Known
from ..judges.trust.corrections import Correction
from ..judges.trust.probe import ProbeResult
from ..metrics.estimate import Statistic
from ..records.item import Item


@dataclass(frozen=True, slots=True)
class BenchmarkScores:
    """One benchmark's rows of `scores.json`."""

    benchmark: str
    statistics: tuple[Statistic, ...]


NO_CARDS = Known(())


@dataclass(frozen=True, slots=True)
class ReportData:
    """A run, read from its folder.

    `config` is the resolved configuration as nested plain values and `config_text` the YAML that
    was written of it. `responses` and `judgements` have the columns of `normscope.records.tables`.
    `warnings` are shown before any number, `slices` (benchmarks of which some items were asked)
    after them. `command` repeats the run. `files` maps the name of
    each file of the run folder to its SHA-256. `judging` is what `judging.json` holds, and
    `known_cards` are the cards of judges that may say how far this run's can be believed;
    `corrections` are people's of these judgements, and `stale` counts those of earlier ones;
    `probes` is what `normscope probe` wrote of the run's judge.
    """

    name: str
    config: dict[str, Any]
    config_text: str
    scores: tuple[BenchmarkScores, ...]
    items: list[Item]
    responses: pa.Table
    judgements: pa.Table
    warnings: tuple[str, ...]
    command: str
    files: dict[str, str]
    judging: dict[str, Any] | None = None
    known_cards: Known = NO_CARDS
    corrections: tuple[Correction, ...] = ()
    stale: int = 0
    slices: tuple[str, ...] = ()
    probes: tuple[ProbeResult, ...] = ()
