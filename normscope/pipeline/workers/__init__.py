"""Where the units of a stage are done: by this process and those of a launch, or by a cluster."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import pyarrow as pa

from ...errors import RunError
from ...extras import packages
from ...files import canonical_json, typed
from ...judges.engine import Engine
from ...progress import say
from ...records.folder import RunFolder
from ...records.journal import Journal
from ...records.model_spec import ModelSpec
from ...records.reproduction import serving_notes
from ..inputs import Inputs
from ..tasks import AnyTask

LoadEngine = Callable[[ModelSpec], Engine]


@dataclass(frozen=True, slots=True)
class StageWork:
    """All that is to be done in a stage: what, and of which inputs."""

    task: AnyTask
    inputs: Inputs


class Workers(Protocol):
    """What does units of work. An error of theirs ends the stage; what is done is kept."""

    def engine(self, spec: ModelSpec) -> Engine:
        """The engine of the model, at least its name and identity."""

    def work(
        self, work: StageWork, engine: Engine, journal: Journal, *, label: str, retry: bool
    ) -> None:
        """Has every row of the work done and kept in the journal."""


def worked_off(
    workers: Workers,
    work: StageWork,
    engine: Engine,
    journal: Journal,
    *,
    label: str,
    retry: bool = True,
) -> Iterator[pa.Table]:
    """What came out of each unit, done now or taken from the journal."""
    workers.work(work, engine, journal, label=label, retry=retry)
    return journal.tables(work.task.stage)


def end_stage(run: RunFolder, stage: str, engine: Engine | None) -> None:
    """Seals what the stage has written, and says where a server was not one model all the time."""
    run.seal(stage, served=run.journal.served(stage) if engine else ())
    for note in serving_notes(run.config.provenance, of=[stage]):
        say(f"warning: {note}")


@dataclass(frozen=True, slots=True)
class Order:
    """What another process is told of a stage, as JSON values.

    `identity` and `packages` are the first process's engine and versions: with others, a unit would
    not come out as that one would have done it.
    """

    task: Mapping[str, Any]
    identity: Mapping[str, Any]
    packages: Mapping[str, str]

    @classmethod
    def of(cls, work: StageWork, engine: Engine) -> "Order":
        """What the process with this engine tells of the work."""
        return cls(asdict(work.task), engine.identity, packages())

    def taken(self, load: LoadEngine) -> tuple[AnyTask, Engine]:
        """The task, and the engine, which does as the first process's would.

        A `RunError` where it would not.
        """
        # a driver that only leads may lack some, and a build for a CPU has another name
        here, there = (
            {name: version.partition("+")[0] for name, version in of.items()}
            for of in (packages(), self.packages)
        )
        both = here.keys() & there.keys()
        if told := _differences(here, there, both):
            raise RunError(
                f"this process has other versions than the first one ({told}): install the same "
                "on every machine"
            )
        # read only here: another version may have other fields
        task: AnyTask = typed(AnyTask, self.task)  # type: ignore[arg-type]  # a union is a type
        engine = load(task.spec)
        if told := _differences(engine.identity, self.identity, {*engine.identity, *self.identity}):
            raise RunError(
                f"this process would compute otherwise than the first one ({told}): give every "
                "process the same kind of device, model files and settings"
            )
        return task, engine


def _differences(here: Mapping[str, Any], there: Mapping[str, Any], names: set[str]) -> str:
    return ", ".join(
        f"{name}: {h} here, {t} there"
        for name in sorted(names)
        for h, t in [(here.get(name), there.get(name))]
        # as JSON, in which a tuple is a list
        if canonical_json(h) != canonical_json(t)
    )
