"""The processes that a launcher (accelerate, torchrun) started together share the units of a stage.

The first one drives: it publishes the units in a folder that all of them see, and merges what is
finished. Every one, the first too, claims units and does them, beginning at a share of its own and
going round: whoever is faster does more, and what a process leaves that dies, another one does.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from ...errors import NormscopeError, RunError
from ...files import canonical_json, typed_json
from ...judges.engine import Engine
from ...launch import Launch
from ...records.model_spec import ModelSpec
from ...records.unit_store import Parcel, Part, UnitStore, contents, names, write
from ...records.units import Unit
from . import Keep, StageWork, Workers
from .shared import Pause, SharedStage, WithLeft, driving
from .worker import LoadEngine, begun, finish

APPEARS_S = 300.0
"""How long processes that were started together wait for one another to appear."""

_FUTILE = 3
"""How often in a row nothing may come of doing what is left: finished units may be damaged."""

_MERGE_S = 1.0
"""How often what others have finished is looked for while there are units to do."""

_LIST_S = 1.0
"""How old a list of the finished units may be: it may be long."""

_ENGINE, _PRESENT = "engine.json", "present"


class Processes:
    """All the processes of a launch, as the first one has them."""

    def __init__(self, store: UnitStore, load: LoadEngine, launch: Launch) -> None:
        """`load` makes the engine of this process."""
        self._store, self._load, self._launch = store, load, launch

    def engine(self, spec: ModelSpec) -> Engine:
        """The engine of this process; the others load theirs, which must be like it, meanwhile."""
        write(self._store.folder / _ENGINE, canonical_json(asdict(spec)).encode())
        return self._load(spec)

    def work(self, work: StageWork, engine: Engine, units: Sequence[Unit], keep: Keep) -> None:
        """Has the units done, by this process or another, and hands each to `keep`."""
        shared = SharedStage.published(self._store, work, engine, units, keep)
        try:
            # a second time where a finished unit turns out to be damaged
            futile = 0
            while shared.open:
                before = len(shared.open)
                self._do(shared, engine)
                futile = futile + 1 if len(shared.open) == before else 0
                if futile == _FUTILE:
                    raise _lost(shared)
        except Exception:
            # what the others have finished meanwhile is not lost, and they do no more of it
            with suppress(NormscopeError, OSError):
                shared.absorb()
                shared.remove()
            raise
        shared.remove()

    def _do(self, shared: SharedStage, engine: Engine) -> None:
        """Does what is left of the stage, and merges what others do, until nothing is left."""
        pause, merge_at = Pause(), 0.0
        part, task = shared.part, shared.work.task
        for parcel in claimed_parcels(part, start=self._launch.share):
            if parcel is None:
                pause.wait()
            else:
                finish(part, task, engine, parcel)
                pause.reset()
            if parcel is None or time.monotonic() > merge_at:
                shared.absorb()
                merge_at = time.monotonic() + _MERGE_S
        shared.absorb()


def _lost(shared: SharedStage) -> RunError:
    return RunError(
        f"{shared.part.folder}: the disk loses or damages units: {len(shared.open):,} were "
        "published and do not come back; what is finished is kept, start the same command again"
    )


@contextmanager
def sharing(folder: Path, load: LoadEngine, launch: Launch) -> Iterator[Workers]:
    """The processes of the launch for the first of them, until the block ends.

    The units stand in the folder, which goes when all is merged. A `RunError` where another driver
    is at work there.
    """
    with driving(folder) as store:
        yield WithLeft(Processes(store, load, launch), store)
        _await_others(store, launch)


def work_for(folder: Path, load: LoadEngine, launch: Launch) -> None:
    """Does units in the folder from when its driver appears until it is gone.

    A `RunError` where it does not appear, and where this process would do a unit otherwise.
    """
    store = UnitStore(folder)
    pause, appears = Pause(), time.monotonic() + APPEARS_S
    while not store.is_driven():
        if time.monotonic() > appears:
            raise RunError(
                f"the first process has not begun in {folder} for {round(APPEARS_S)} s: all "
                "processes must see one folder and its locks"
            )
        pause.wait()
    _Worker(store, load, launch).work()


class _Worker:
    """A process beside the first; it holds the engine that the last stage needed."""

    def __init__(self, store: UnitStore, load: LoadEngine, launch: Launch) -> None:
        self._store, self._load, self._launch = store, load, launch
        self._engine: Engine | None = None
        self._spec: ModelSpec | None = None
        self._announced: ModelSpec | None = None
        self._known_to: str | None = None

    def work(self) -> None:
        pause = Pause()
        while self._store.is_driven():
            self._sign_in()
            did = self._prepare()
            for part in self._store.parts():
                did = (part.is_published and self._work_on(part)) or did
            if did:
                pause.reset()
            else:
                pause.wait()

    def _sign_in(self) -> None:
        driver = self._store.driver()
        if driver is not None and driver != self._known_to:
            write(self._store.folder / _PRESENT / _present(driver, self._launch.rank), b"")
            self._known_to = driver

    def _prepare(self) -> bool:
        """Loads the engine that the driver loads meanwhile, if it is another one than before."""
        for content in contents([self._store.folder / _ENGINE]):
            spec = typed_json(ModelSpec, content)
            if spec != self._announced:
                self._announced = spec
                # one that cannot be loaded is an error where there are units for it
                with suppress(NormscopeError):
                    self._engine_of(spec)
                return True
        return False

    def _work_on(self, part: Part) -> bool:
        """Does what is left of the part; whether there was anything."""
        try:
            return self._has_worked_on(part)
        except RunError:
            if part.is_published:
                raise
            return False  # the driver has merged it meanwhile, and taken it away

    def _has_worked_on(self, part: Part) -> bool:
        if len(part.done()) >= sum(units for _, units in part.files()):
            return False
        task, engine = begun(part, self._engine_of)
        pause = Pause()
        for parcel in claimed_parcels(part, start=self._launch.share):
            if parcel is not None:
                finish(part, task, engine, parcel)
                pause.reset()
            else:
                pause.wait()
            if not self._store.is_driven():
                break
        return True

    def _engine_of(self, spec: ModelSpec) -> Engine:
        if self._engine is None or spec != self._spec:
            # let go of first: two models may not fit beside each other
            self._engine = None
            self._engine, self._spec = self._load(spec), spec
        return self._engine


def _present(driver: str, rank: int) -> str:
    """The name by which a process tells this driver that it is there."""
    return f"{driver}.{rank}"


def _await_others(store: UnitStore, launch: Launch) -> None:
    """Waits until every process has seen this one: a late one would look for it in vain."""
    driver = store.driver() or ""
    expected = {_present(driver, rank) for rank in range(1, launch.count)}
    pause, until = Pause(), time.monotonic() + APPEARS_S
    while not expected <= {*names(store.folder / _PRESENT)} and time.monotonic() < until:
        pause.wait()


def claimed_parcels(part: Part, *, start: float) -> Iterator[Parcel | None]:
    """The units that are left, one after the other, each claimed until the next one is requested.

    They begin at the share `start` of all and go round. Null where all that is left is in the hands
    of others: it comes again until they have finished it, or have died and freed it. A claim is a
    lock of the system's, which frees it when its process dies.
    """
    others: list[Parcel] = []
    done, old_at = part.done(), time.monotonic() + _LIST_S
    for parcel in part.parcels(start=start):
        if time.monotonic() > old_at:
            done, old_at = part.done(), time.monotonic() + _LIST_S
        if parcel.name not in done:
            yield from _claimed(part, parcel, others)
    while others:
        done = part.done()
        waiting, others = [parcel for parcel in others if parcel.name not in done], []
        for parcel in waiting:
            yield from _claimed(part, parcel, others)
        if others:
            yield None


def _claimed(part: Part, parcel: Parcel, others: list[Parcel]) -> Iterator[Parcel]:
    """The parcel if it is free; else it is one of the others', or merged with all of the part."""
    if not part.is_published:
        return
    with part.claimed(parcel.name) as is_free:
        if is_free:
            yield parcel
        else:
            others.append(parcel)
