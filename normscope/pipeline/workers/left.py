"""Units that processes or machines have finished for a command that was stopped.

The one that goes on may do the rest by itself: what they have left is merged first, for it was paid
for.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from ...judges.engine import Engine
from ...records.model_spec import ModelSpec
from ...records.reproduction import asked_differences
from ...records.unit_store import UnitStore
from ...records.units import Unit
from . import Keep, StageWork, Workers
from .shared import SharedStage
from .worker import Published


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
        told = asdict(Published.of(work.task, engine))["task"]
        for store in (self.store, *self.store.parts().values()):
            if stage in store.stages():
                if not asked_differences(store.task(stage)["task"], told):
                    SharedStage(store, work, left, keep).absorb()
                store.remove(stage)
        self.workers.work(work, engine, [unit for unit in units if unit.name in left], keep)


@contextmanager
def with_left(folder: Path, workers: Workers) -> Iterator[Workers]:
    """The workers, with what lies in the folder if anything does; it goes when all is merged."""
    if not folder.is_dir():
        yield workers
        return
    store = UnitStore.open(str(folder))
    yield WithLeft(workers, store)
    if not any(each.stages() for each in (store, *store.parts().values())):
        shutil.rmtree(folder, ignore_errors=True)
