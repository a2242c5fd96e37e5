"""A stage's units in a shared folder, as their driver sees them: published, absorbed, removed."""

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from ...judges.engine import Engine
from ...records.journal import Entry, read_line
from ...records.model_spec import ModelSpec
from ...records.unit_store import Parcel, Part, UnitStore
from ...records.units import Unit
from . import Keep, StageWork, Workers
from .worker import Published

_AT_ONCE = 256
"""How many finished units are merged together: their rows are in memory meanwhile."""

_SOON_S, _LATER_S = 0.02, 0.5
"""After how long is looked again whether there is something to do, at first and at last."""

_LEFT_S = 5.0
"""How long is waited until no process has a file in the folder that goes."""


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


@dataclass(frozen=True, slots=True)
class WithLeft:
    """Workers that take over what lies in a store of a command that was stopped.

    The one that goes on may do the rest by itself: what others have finished is merged first, for
    it was paid for.
    """

    workers: Workers
    store: UnitStore

    def engine(self, spec: ModelSpec) -> Engine:
        """The engine of the model, as the workers have it."""
        return self.workers.engine(spec)

    def work(self, work: StageWork, engine: Engine, units: Sequence[Unit], keep: Keep) -> None:
        """Merges what is finished of these units, and has the others done."""
        stage, left = work.task.stage, {unit.name: unit for unit in units}
        for part in self.store.parts():
            task = part.task() if part.is_published else {}
            if task.get("stage") == stage:
                shared = SharedStage(part, work, left, keep)
                if Published.of(work, engine).is_of(task):
                    shared.absorb()
                # of another task: it is of a command that has not been given again
                shared.remove()
        self.workers.work(work, engine, [unit for unit in units if unit.name in left], keep)


@contextmanager
def with_left(folder: Path, workers: Workers) -> Iterator[Workers]:
    """The workers, with what lies in the folder if anything does.

    A `RunError` where a driver is at work there.
    """
    if not folder.is_dir():
        yield workers
        return
    with driving(folder) as store:
        yield WithLeft(workers, store)


@contextmanager
def driving(folder: Path) -> Iterator[UnitStore]:
    """The units in a run's folder, of which this process is the driver until the block ends.

    The folder goes then, if all is merged; what is not stays, for the same command.
    """
    store = UnitStore(folder)
    with store.driving(str(folder.parent)):
        try:
            yield store
        finally:
            if not store.has_units:
                _clear(folder)


def _clear(folder: Path) -> None:
    """Takes the folder away, once the last process has left it."""
    pause, until = Pause(), time.monotonic() + _LEFT_S
    while folder.exists() and time.monotonic() < until:
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            pause.wait()
    # where it was made for the units alone, as beside a file, it is empty
    with suppress(OSError):
        folder.parent.rmdir()


class Pause:
    """A wait that grows as long as nothing comes of it."""

    def __init__(self) -> None:
        """The first wait is short."""
        self._seconds = _SOON_S

    def wait(self) -> None:
        """Waits, twice as long as the last time."""
        time.sleep(self._seconds)
        self._seconds = min(self._seconds * 2, _LATER_S)

    def reset(self) -> None:
        """Makes the next wait short again: something came."""
        self._seconds = _SOON_S
