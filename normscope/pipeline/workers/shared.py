"""A stage's units on shared storage, as their driver sees them: published, absorbed, removed."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Self

from ...errors import RunError
from ...judges.engine import Engine
from ...messages import message
from ...records.journal import Entry, read_line
from ...records.reproduction import asked_differences
from ...records.unit_store import Parcel, UnitStore
from ...records.units import Unit
from . import Keep, StageWork
from .worker import Published

_AT_ONCE = 256
"""How many finished units are merged together: their rows are in memory meanwhile."""


@dataclass(slots=True)
class SharedStage:
    """The units of a stage that are done by others; `open` are those not merged yet, by name."""

    store: UnitStore
    work: StageWork
    open: dict[str, Unit]
    keep: Keep

    @classmethod
    def published(
        cls,
        store: UnitStore,
        work: StageWork,
        engine: Engine,
        units: Sequence[Unit],
        keep: Keep,
    ) -> Self:
        """Publishes the units, less those that workers finished for a driver that was stopped.

        A `RunError` where the store holds another task's units.
        """
        stage = cls(store, work, {unit.name: unit for unit in units}, keep)
        told = asdict(Published.of(work.task, engine))
        if work.task.stage in store.stages():
            there = store.task(work.task.stage)
            if changed := asked_differences(there["task"], told["task"]):
                raise RunError(
                    message(
                        "{where} holds units of another task (the stage {stage!r}, {fields}): name "
                        "another place with --units, or finish that run, or remove what is there",
                        where=store.storage.where,
                        stage=work.task.stage,
                        fields=", ".join(each.field for each in changed[:3]),
                    )
                )
            stage.absorb()
        if stage.open:
            store.publish(work.task.stage, told, map(stage.parcel, stage.open.values()))
        return stage

    def parcel(self, unit: Unit) -> Parcel:
        """The unit as a worker gets it."""
        hashes = tuple(each.decode() for each in self.work.planned.hashes[unit.rows].tolist())
        return Parcel(
            unit.name, tuple(unit.rows.tolist()), hashes, self.work.inputs.take(unit.rows)
        )

    def absorb(self) -> int:
        """Hands what is finished and not merged yet to `keep`; how many units that were.

        A damaged one is taken away, so that it is done again.
        """
        stage = self.work.task.stage
        names = sorted(self.store.done(stage) & self.open.keys())
        for at in range(0, len(names), _AT_ONCE):
            several = names[at : at + _AT_ONCE]
            entries = self._entries(several)
            self.keep(entries.values())
            for name in several:
                if name in entries:
                    del self.open[name]
                else:
                    self.store.drop(stage, name)
        return len(names)

    def remove(self) -> None:
        """Takes the stage away: all is merged."""
        # what was merged is on the disk before it goes from here
        os.sync()
        self.store.remove(self.work.task.stage)

    def _entries(self, names: Iterable[str]) -> dict[str, Entry]:
        """The entries of these units, of which each is whole and has the unit's rows."""
        stage = self.work.task.stage
        entries = map(read_line, self.store.lines(stage, names))
        return {
            entry.unit: entry
            for entry in entries
            if entry is not None
            and entry.stage == stage
            and entry.unit in self.open
            and entry.numbers == self.open[entry.unit].rows.tolist()
        }
