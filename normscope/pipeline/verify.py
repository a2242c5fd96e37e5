"""Whether every unit of a run was asked, answered, judged and merged, exactly once.

The plan of each stage is made again from what the run keeps (the items that were asked, and the
responses), and held against the journal: each planned row is there under the hash of its content.
That the tables have each row once and are the files that the stages wrote, is `records.integrity`'s
to tell; that they follow from the units, `rebuild` shows. Nothing is written, and no model loaded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ..files import read_parquet
from ..judges.judge import STAGE as JUDGE
from ..records.config import RunConfig
from ..records.folder import read_only
from ..records.integrity import (
    CONFIG,
    ITEMS,
    JOURNAL,
    MOST_KEYS,
    RESPONSES,
    UNITS,
    Finding,
    check,
    remedies,
)
from ..records.items import Items
from ..records.journal import Journal
from ..records.unit_store import UnitStore
from ..records.units import UnitPlan, is_locked
from .judge import once, planned_of
from .respond import CHANNELS, ChannelWork, requested_of
from .respond import work_of as respond_work

FACTS = f"{JUDGE}:facts"


@dataclass(frozen=True, slots=True)
class StageCounts:
    """What a stage planned, and what of it the journal holds.

    `failed` rows are absent because a call failed. `again` counts rows that were done more than
    once, of which the first counts; `other` are rows of other contents, as an answer that was
    asked again leaves of what was judged before. `unmerged` units are finished and lie in the store
    of the workers.
    """

    stage: str
    units: int
    units_done: int
    rows: int
    rows_done: int
    failed: int = 0
    again: int = 0
    other: int = 0
    unmerged: int = 0


@dataclass(frozen=True, slots=True)
class Verification:
    """What came out: `proven` where nothing is amiss.

    `in_use`: a process is working on the run. `rebuilt` names the files that were made again from
    the units and are the run's, byte for byte, or row for row where another version of Arrow wrote
    them; null where that was not requested. `restored` were put back.
    """

    run: Path
    stages: tuple[StageCounts, ...]
    findings: tuple[Finding, ...]
    in_use: bool
    imported: bool
    rebuilt: tuple[str, ...] | None = None
    restored: tuple[str, ...] = ()

    @property
    def proven(self) -> bool:
        """Whether every unit is there exactly once, from the question to the tables."""
        return not self.findings

    @property
    def remedies(self) -> tuple[str, ...]:
        """What finishes or mends the run; what comes first stands first."""
        return remedies(self.run, self.findings)


@dataclass(frozen=True)
class Planned:
    """The work of a run's stages as it follows from the tables that the run keeps."""

    run: Path
    config: RunConfig

    @cached_property
    def items(self) -> Items:
        """The items that were asked; a `RunError` where nothing was noted of their benchmark."""
        items = Items(read_parquet(self.run / ITEMS).combine_chunks())
        for name in items.column("benchmark").names:
            self.config.asked(name)
        return items

    @cached_property
    def responses(self) -> tuple[ChannelWork, ...]:
        """What was asked of the model under test, by channel; nothing where nobody was asked."""
        config, taken = self.config, self.config.provenance.benchmarks
        if config.provenance.imported is not None:
            return ()
        requested = requested_of(self.items, taken, config)
        works = (respond_work(name, self.items, requested, taken, config) for name in CHANNELS)
        return tuple(filter(None, works))

    @property
    def judged(self) -> tuple[UnitPlan, ...]:
        """What was asked of the judge; nothing where there was none."""
        benchmarks = self.config.provenance.benchmarks
        if not any(about.rubric is not None for about in benchmarks.values()):
            return ()
        tables = self.items.table, read_parquet(self.run / RESPONSES)
        planned, _, _ = planned_of(*tables, benchmarks, size=self.config.unit_items)
        return planned, once(FACTS)


def verify(run: Path) -> Verification:
    """Holds the run's plan against its journal, its tables and its hashes; writes nothing.

    A run that is being worked on is verified as far as it is. Raises what `read_only` does where
    there is no run.
    """
    folder = read_only(run)
    path, config = folder.path, folder.config
    # first: what is finished meanwhile is then missing at most
    in_use = is_locked(path)
    findings = [*check(path, config, whole=True)]
    journal = Journal.read(path / JOURNAL) if (path / JOURNAL).is_file() else Journal(None)
    # of a line that is being written, a part may stand there
    if journal.damaged and not (in_use and journal.is_torn):
        findings.append(Finding(JOURNAL, "damaged", journal.damaged))
    store = UnitStore.open(str(path / UNITS)) if (path / UNITS).is_dir() else None
    stages: list[StageCounts] = []
    for planned in _plans(Planned(path, config), findings):
        unmerged = () if store is None else _unmerged(planned, journal, store)
        counts, undone = _counted(planned, journal)
        stages.append(replace(counts, unmerged=len(unmerged)))
        named = [f"{planned.stage} {name}" for name in undone]
        waiting = [f"{planned.stage} {name}" for name in unmerged]
        if exchanged := _exchanged(planned, journal):
            findings.append(Finding(JOURNAL, "exchanged", exchanged))
        if named:
            findings.append(Finding(JOURNAL, "undone", len(named), (*named[:MOST_KEYS],)))
        if waiting:
            findings.append(Finding(UNITS, "unmerged", len(waiting), (*waiting[:MOST_KEYS],)))
    imported = config.provenance.imported is not None
    return Verification(path, tuple(stages), tuple(findings), in_use, imported)


def _plans(planned: Planned, findings: Sequence[Finding]) -> Iterator[UnitPlan]:
    """The plan of each stage, of those whose inputs are as they were left."""
    # a stage that is not at its end has written its items whole
    amiss = {each.file for each in findings if each.problem != "unfinished"}
    if amiss & {CONFIG, ITEMS}:
        return
    yield from (work.planned for work in planned.responses)
    if RESPONSES not in amiss:
        yield from planned.judged


def _counted(planned: UnitPlan, journal: Journal) -> tuple[StageCounts, Sequence[str]]:
    """What the journal holds of the plan, and the units of which it lacks a row."""
    kept = journal.kept(planned.stage, planned.hashes)
    undone = [unit.name for unit in planned.units if not kept.there[unit.rows].all()]
    other = 0
    for line in journal.lines(planned.stage):
        inside = line.numbers < planned.total
        alike = planned.hashes[line.numbers[inside]] == line.hashes[inside]
        other += len(line.numbers) - int(alike.sum())
    counts = StageCounts(
        planned.stage,
        units=len(planned.units),
        units_done=len(planned.units) - len(undone),
        rows=planned.total,
        rows_done=int(kept.there.sum()),
        failed=int(kept.failed.sum()),
        again=kept.again,
        other=other,
    )
    return counts, undone


def _exchanged(planned: UnitPlan, journal: Journal) -> int:
    """How many rows the journal holds of other contents alone than those that are planned."""
    there = journal.kept(planned.stage, planned.hashes).there
    held = np.zeros(planned.total, dtype=np.bool_)
    for line in journal.lines(planned.stage):
        held[line.numbers[line.numbers < planned.total]] = True
    return int((held & ~there).sum())


def _unmerged(planned: UnitPlan, journal: Journal, store: UnitStore) -> Sequence[str]:
    """The units that workers have finished, and that no line of the journal holds."""
    merged = {line.unit for line in journal.lines(planned.stage)}
    finished = (each.done(planned.stage) for each in (store, *store.parts().values()))
    return sorted(set().union(*finished) - merged)
