"""Whether every unit of a run was asked, answered, judged and merged, exactly once.

The plan of each stage is made again from what the run keeps (the items that were asked, and the
responses), and held against the journal: each planned row is there under the hash of its content.
That the tables have each row once and are the files that the stages wrote, is `records.integrity`'s
to tell. Nothing is written, and no model loaded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..files import named, read_parquet
from ..judges.judge import STAGE
from ..records.integrity import (
    CONFIG,
    ITEMS,
    JOURNAL,
    MOST_KEYS,
    RESPONSES,
    Finding,
    check,
    refuse_no_run,
    remedies,
)
from ..records.items import Items
from ..records.journal import Journal
from ..records.locks import is_held
from ..records.settings import Settings, read
from ..records.units import LOCK, UnitPlan
from .judge import once, planned_of
from .respond import CHANNELS, requested_of, work_of


@dataclass(frozen=True, slots=True)
class StageCounts:
    """What a stage planned, and what of it the journal holds.

    `failed` rows are absent because a call failed. `again` counts rows that were done more than
    once, of which the first counts.
    """

    stage: str
    units: int
    units_done: int
    rows: int
    rows_done: int
    failed: int = 0
    again: int = 0


@dataclass(frozen=True, slots=True)
class Verification:
    """What came out: `proven` where nothing is amiss; `in_use`: a process works on the run."""

    run: Path
    stages: tuple[StageCounts, ...]
    findings: tuple[Finding, ...]
    in_use: bool
    imported: bool

    @property
    def proven(self) -> bool:
        """Whether every unit is there exactly once, from the question to the tables."""
        return not self.findings

    @property
    def remedies(self) -> tuple[str, ...]:
        """What finishes or mends the run; what comes first stands first."""
        return remedies(self.run, self.findings)


def verify(run: Path) -> Verification:
    """Holds the run's plan against its journal, its tables and its hashes; writes nothing.

    A run that is being worked on is verified as far as it is. Raises what `Run.open` does where
    there is no run.
    """
    path = named(run)
    refuse_no_run(path)
    config = read(path / CONFIG)
    # first: what is finished meanwhile is then missing at most
    in_use = is_held(path / LOCK)
    findings = [*check(path, config, whole=True)]
    journal = Journal.read(path / JOURNAL) if (path / JOURNAL).is_file() else Journal(None)
    # of a line that is being written, a part may stand there
    if journal.damaged and not (in_use and journal.is_torn):
        findings.append(Finding(JOURNAL, "damaged", journal.damaged))
    stages: list[StageCounts] = []
    for planned in _plans(path, config, findings):
        counts, undone = _counted(planned, journal)
        stages.append(counts)
        if undone:
            keys = tuple(f"{planned.stage} {name}" for name in undone[:MOST_KEYS])
            findings.append(Finding(JOURNAL, "undone", len(undone), keys))
    imported = config.provenance.imported is not None
    return Verification(path, tuple(stages), tuple(findings), in_use, imported)


def _plans(run: Path, config: Settings, findings: Sequence[Finding]) -> Iterator[UnitPlan]:
    """The plan of each stage, of those whose inputs are as they were left."""
    # a stage that is not at its end has written its items whole
    amiss = {each.file for each in findings if each.problem != "unfinished"}
    if amiss & {CONFIG, ITEMS}:
        return
    table, taken = read_parquet(run / ITEMS).combine_chunks(), config.provenance.benchmarks
    items = Items(table)
    for name in items.column("benchmark").names:
        config.asked(name)
    # of imported answers nobody was asked
    if config.provenance.imported is None:
        requested = requested_of(items, taken, config)
        for channel in CHANNELS:
            if work := work_of(channel, items, requested, taken, config):
                yield work.planned
    judged = any(about.rubric is not None for about in taken.values())
    if judged and RESPONSES not in amiss:
        responses = read_parquet(run / RESPONSES)
        yield planned_of(table, responses, taken, size=config.unit_items)[0]
        yield once(f"{STAGE}:facts")


def _counted(planned: UnitPlan, journal: Journal) -> tuple[StageCounts, Sequence[str]]:
    """What the journal holds of the plan, and the units of which it lacks a row."""
    kept = journal.kept(planned.stage, planned.hashes)
    undone = [unit.name for unit in planned.units if not kept.there[unit.rows].all()]
    counts = StageCounts(
        planned.stage,
        units=len(planned.units),
        units_done=len(planned.units) - len(undone),
        rows=planned.total,
        rows_done=int(kept.there.sum()),
        failed=int(kept.failed.sum()),
        again=kept.again,
    )
    return counts, undone
