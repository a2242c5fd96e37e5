"""Where the units of a stage are done: in this process, in several, or on other machines."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...judges.engine import Engine
from ...records.journal import Entry, Journal, Numbers, Row
from ...records.model_spec import ModelSpec
from ...records.units import Unit, UnitPlan, keeping, lacking, results
from ..inputs import Inputs
from ..tasks import AnyTask

Keep = Callable[[Iterable[Entry]], None]
"""Takes entries of units that are done."""


@dataclass(frozen=True, slots=True)
class StageWork:
    """All that is to be done in a stage: what, in which units, of which inputs."""

    task: AnyTask
    planned: UnitPlan
    inputs: Inputs


class Workers(Protocol):
    """What does units of work. An error of theirs ends the stage; what is done is kept."""

    def engine(self, spec: ModelSpec) -> Engine:
        """The engine of the model, at least its name and identity."""

    def work(self, work: StageWork, engine: Engine, units: Sequence[Unit], keep: Keep) -> None:
        """Does these units of the work, and hands each to `keep` as it comes to be done."""


def worked_off(
    workers: Workers,
    work: StageWork,
    engine: Engine,
    journal: Journal,
    *,
    label: str,
    retry: bool = True,
) -> Iterator[tuple[Numbers, list[Row]]]:
    """All rows with their numbers, done now or taken from the journal."""
    units = lacking(journal, work.planned, retry=retry)
    if units:
        with keeping(journal, work.planned, units, label=label) as keep:
            workers.work(work, engine, units, keep)
    return results(journal, work.planned)
