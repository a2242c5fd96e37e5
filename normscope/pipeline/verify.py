"""Whether every unit of a run was asked, answered, judged and merged, exactly once.

The plan of each stage is made again from what the run keeps (the items that were asked, and the
responses), and held against the journal: each planned row is there under the hash of its content.
That the tables have each row once and are the files that the stages wrote, is `records.integrity`'s
to tell. Nothing is written, and no model loaded.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
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
    is_whole,
    refuse_no_run,
    remedies,
)
from ..records.item import Item
from ..records.journal import Journal, StageCounts
from ..records.processes import is_locked
from ..records.settings import Settings, read
from ..records.tables import from_table
from .inputs import ONE_ROW, Units, responses_beside
from .judge import judged_items
from .respond import requested_of, works_of


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
    in_use = is_locked(path)
    findings = [*check(path, config, whole=True)]
    stages: list[StageCounts] = []
    journal_path = path / JOURNAL
    # a finished run stands without it
    if journal_path.is_file() or not is_whole(path):
        is_there = journal_path.is_file()
        with closing(Journal(journal_path if is_there else None, reads=is_there)) as journal:
            for stage, rows, units in _plans(path, config, findings):
                order = journal.order(stage, rows)
                planned = [unit._replace(inputs=None) for unit in units(order)]
                undone = journal.lacking(stage, planned)
                counts = replace(
                    journal.counts(stage),
                    units=len(planned),
                    units_done=len(planned) - len(undone),
                    rows=rows,
                    rows_done=rows - sum(undone.values()),
                )
                stages.append(counts)
                if undone:
                    keys = tuple(f"{stage} {number}" for number in [*undone][:MOST_KEYS])
                    findings.append(Finding(JOURNAL, "undone", len(undone), keys))
    imported = config.provenance.imported is not None
    return Verification(path, tuple(stages), tuple(findings), in_use, imported)


def _plans(
    run: Path, config: Settings, findings: Sequence[Finding]
) -> Iterator[tuple[str, int, Units]]:
    """What is planned in each stage, of those whose inputs are as they were left."""
    # a stage that is not at its end has written its items whole
    amiss = {each.file for each in findings if each.problem != "unfinished"}
    if amiss & {CONFIG, ITEMS}:
        return
    table, benchmarks = read_parquet(run / ITEMS).combine_chunks(), config.provenance.benchmarks
    items = from_table(table, Item)
    for name in dict.fromkeys(item.benchmark for item in items):
        config.asked(name)
    # of imported answers nobody was asked
    if config.provenance.imported is None:
        for work in works_of(items, requested_of(items, benchmarks, config), benchmarks, config):
            yield work.task.stage, work.rows, work.units
    if any(about.rubric is not None for about in benchmarks.values()) and RESPONSES not in amiss:
        judged = judged_items(table, benchmarks)
        yield STAGE, *responses_beside(judged, run / RESPONSES, size=config.unit_items)
        yield f"{STAGE}:facts", *ONE_ROW
