"""A process that works for another: it does the units that the driver has published.

All that passes between them are files: what is asked, the units with their inputs, and what is
finished.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import RunError
from ...extras import packages
from ...files import canonical_json, typed
from ...judges.engine import Engine, served_by
from ...records.journal import Entry
from ...records.model_spec import ModelSpec
from ...records.reproduction import asked_differences, asked_hash
from ...records.unit_store import Parcel, Part
from ..tasks import AnyTask, task_json, task_of
from . import StageWork

LoadEngine = Callable[[ModelSpec], Engine]


@dataclass(frozen=True, slots=True)
class Published:
    """What a worker is told of a stage beside its units, as JSON values.

    `identity` and `packages` are the driver's engine and versions: with others, a unit would not
    come out as the driver would have done it. `inputs` is the hash of all inputs of the stage.
    """

    stage: str
    task: Mapping[str, Any]
    identity: Mapping[str, Any]
    packages: Mapping[str, str]
    inputs: str

    @classmethod
    def of(cls, work: StageWork, engine: Engine) -> "Published":
        """What the process with this engine publishes of the work."""
        task, inputs = task_json(work.task), work.inputs.content()
        return cls(work.task.stage, task, engine.identity, packages(), inputs)

    @property
    def name(self) -> str:
        """A name for the work: what is asked of which model about which inputs."""
        asked = {"task": self.task, "identity": self.identity, "inputs": self.inputs}
        return asked_hash(asked)[:16]

    def is_of(self, there: Mapping[str, Any]) -> bool:
        """Whether the same is asked about the same in what was published there."""
        before, now = (
            {name: of.get(name) for name in ("task", "inputs")} for of in (there, asdict(self))
        )
        return not asked_differences(before, now)


def begun(part: Part, load: LoadEngine) -> tuple[AnyTask, Engine]:
    """What is asked in the part, and the engine, which does as the driver's would.

    A `RunError` where it would not.
    """
    published = typed(Published, part.task())
    check_versions(published.packages)
    task = task_of(published.task)
    engine = load(task.spec)
    _check_identity(published.identity, engine.identity)
    return task, engine


def finish(part: Part, task: AnyTask, engine: Engine, parcel: Parcel) -> None:
    """Does the unit and keeps it in the part, unless somebody has."""
    # in this order: when all is merged, it is taken back before what is finished is removed
    if part.is_done(parcel.name) or not part.is_published:
        return
    rows = task.do(engine, parcel.inputs)
    served = list(served_by(engine)())
    numbers, hashes = list(parcel.numbers), list(parcel.hashes)
    entry = Entry(task.stage, parcel.name, numbers, hashes, rows, served)
    part.put(parcel.name, entry.line())


def check_versions(expected: Mapping[str, str]) -> None:
    """A `RunError` where this process has other versions than the driver."""
    # a driver that only leads may lack some, and a build for a CPU has another name
    here = {name: version.partition("+")[0] for name, version in packages().items()}
    expected = {name: version.partition("+")[0] for name, version in expected.items()}
    both = here.keys() & expected.keys()
    if any(here[name] != expected[name] for name in both):
        raise RunError(
            "this process has other versions than the first one "
            f"({_differences(expected, here, both)}): install the same on every machine"
        )


def _check_identity(expected: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """A `RunError` where this process's engine would compute otherwise than the driver's."""
    # as JSON, in which a tuple is a list
    if canonical_json(here) != canonical_json(expected):
        raise RunError(
            "this process would compute otherwise than the first one "
            f"({_differences(expected, here, {*expected, *here})}): give every process the same "
            "kind of device, model files and settings"
        )


def _differences(expected: Mapping[str, Any], here: Mapping[str, Any], names: set[str]) -> str:
    return ", ".join(
        f"{name}: {h} here, {t} there"
        for name in sorted(names)
        for h, t in [(here.get(name), expected.get(name))]
        if canonical_json(h) != canonical_json(t)
    )
