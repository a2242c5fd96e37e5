"""Units that processes or machines have finished for a command that was stopped.

The one that goes on may do the rest by itself: what they have left is merged first, for it was paid
for.
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ...judges.engine import Engine
from ...records.model_spec import ModelSpec
from ...records.unit_store import UnitStore
from ...records.units import Unit
from . import Keep, StageWork, Workers
from .claims import Pause
from .shared import SharedStage
from .worker import Published

_LEFT_S = 5.0
"""How long is waited until no process has a file in the folder that goes."""


@dataclass(frozen=True, slots=True)
class WithLeft:
    """Workers that take over what lies in a store of a command that was stopped."""

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
    """The workers, with what lies in the folder if anything does; it goes when all is merged.

    A `RunError` where a driver is at work there.
    """
    if not folder.is_dir():
        yield workers
        return
    store = UnitStore(folder)
    with store.driving(str(folder.parent)):
        yield WithLeft(workers, store)
    if not store.has_units:
        clear(folder)


def clear(folder: Path) -> None:
    """Takes the folder away, once the last process has left it."""
    pause, until = Pause(), time.monotonic() + _LEFT_S
    while folder.exists() and time.monotonic() < until:
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            pause.wait()
    # where it was made for the units alone, as beside a file, it is empty
    with suppress(OSError):
        folder.parent.rmdir()
