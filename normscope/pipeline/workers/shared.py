"""A stage's units in a shared folder, as their driver sees them: published, absorbed, removed."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Self

from ...judges.engine import Engine
from ...records.journal import Entry, read_line
from ...records.unit_store import Parcel, Part, UnitStore
from ...records.units import Unit
from . import Keep, StageWork
from .worker import Published

_AT_ONCE = 256
"""How many finished units are merged together: their rows are in memory meanwhile."""


@dataclass(slots=True)
class SharedStage:
    """The units of a stage that are done by others; `open` are those not merged yet, by name."""

    part: Part
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

        They stand in a part of the store that is named by what is asked of which model about which
        inputs, since a unit is named by its rows alone: what a process or a machine is late with,
        of the same stage of another run, is never taken for one of these.
        """
        told = Published.of(work, engine)
        stage = cls(store.part(told.name), work, {unit.name: unit for unit in units}, keep)
        stage.absorb()
        if stage.open:
            units_there = map(stage.parcel, stage.open.values())
            stage.part.publish(asdict(told), units_there)
        return stage

    def parcel(self, unit: Unit) -> Parcel:
        """The unit as a worker gets it."""
        return Parcel(
            unit.name,
            tuple(unit.rows.tolist()),
            tuple(self.work.planned.hashes_of(unit)),
            self.work.inputs.take(unit.rows),
        )

    def absorb(self) -> int:
        """Hands what is finished and not merged yet to `keep`; how many units that were.

        A damaged one is taken away, so that it is done again.
        """
        names = sorted(self.part.done() & self.open.keys())
        for at in range(0, len(names), _AT_ONCE):
            several = names[at : at + _AT_ONCE]
            entries = self._entries(several)
            self.keep(entries.values())
            for name in several:
                if name in entries:
                    del self.open[name]
                else:
                    self.part.drop(name)
        return len(names)

    def remove(self) -> None:
        """Takes the part away: all is merged."""
        self.part.withdraw()
        # what was merged is on the disk before it goes from here
        os.sync()
        self.part.remove()

    def _entries(self, names: Iterable[str]) -> dict[str, Entry]:
        """The entries of these units, of which each is whole and has the unit's rows."""
        entries = map(read_line, self.part.lines(names))
        return {
            entry.unit: entry
            for entry in entries
            if entry is not None
            and entry.stage == self.work.task.stage
            and entry.unit in self.open
            and self._is_of(entry, self.open[entry.unit])
        }

    def _is_of(self, entry: Entry, unit: Unit) -> bool:
        """Whether the entry's rows are the unit's, of the contents that they have now."""
        expected = self.work.planned.hashes_of(unit)
        return (entry.numbers, entry.hashes) == (unit.rows.tolist(), expected)
