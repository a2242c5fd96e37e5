"""Units done in this process, one after the other, or as many at once as the engine takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...judges.engine import Engine, lanes_of, served_by
from ...records.journal import Row
from ...records.model_spec import ModelSpec
from ...records.units import Unit, each_done, entry_of
from . import Keep, StageWork


@dataclass(frozen=True, slots=True)
class Here:
    """This process, with what loads an engine."""

    load: Callable[[ModelSpec], Engine]

    def engine(self, spec: ModelSpec) -> Engine:
        """The engine of the model, loaded."""
        return self.load(spec)

    def work(self, work: StageWork, engine: Engine, units: Sequence[Unit], keep: Keep) -> None:
        """Does the units."""
        served = served_by(engine)

        def do(unit: Unit) -> list[Row]:
            return work.task.do(engine, work.inputs.take(unit.rows))

        for unit, rows in each_done(units, do, lanes=lanes_of(engine)):
            keep([entry_of(work.planned, unit, rows, served())])
