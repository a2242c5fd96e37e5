"""Units done on this machine: by this process, and by those that a launcher started with it.

The first process of a launch (accelerate, torchrun) plans the units in the journal, and tells the
others by a small file what is asked. All of them, the first too, claim units there and do them:
whoever is faster does more, and what a process leaves that dies, another one does.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from uuid import uuid4

from ...errors import RunError
from ...files import typed_json, write_json
from ...judges.engine import Engine, lanes_of, served_by
from ...launch import Launch
from ...records.journal import Journal
from ...records.model_spec import ModelSpec
from ...records.processes import LAUNCH, is_locked, locked
from ...records.units import claimed, work_off
from ..stage import LoadEngine, Order, StageWork

APPEARS_S = 300.0
"""How long processes that were started together wait for one another to appear."""

_NOTE = "first.json"
_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class Note:
    """What the first process tells: of which launch, and what is asked where.

    It holds the folder of the note for as long as it is there.
    """

    launch: str
    journal: str | None = None
    stage: str = ""
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class Here:
    """This process, with what loads an engine, and what tells others of a launch."""

    load: LoadEngine
    tell: Callable[..., None] = lambda **_: None

    def engine(self, spec: ModelSpec) -> Engine:
        """The engine of the model, loaded."""
        return self.load(spec)

    def work(self, work: StageWork, engine: Engine, journal: Journal) -> None:
        """Does the units, one after the other, or as many at once as the engine takes."""
        stage = work.task.stage

        def planned() -> None:
            path = str(journal.path and journal.path.absolute())
            self.tell(journal=path, stage=stage, order=Order.of(work, engine))

        try:
            work_off(
                journal,
                stage,
                work.planned(journal),
                lambda inputs: work.task.do(engine, inputs),
                label=work.label,
                planned=planned,
                served=served_by(engine),
                lanes=lanes_of(engine),
            )
        finally:
            self.tell(journal=None, order=None)


@contextmanager
def sharing(folder: Path, load: LoadEngine, launch: Launch) -> Iterator[Here]:
    """The processes of the launch as the first of them has them, until the block ends."""
    place = folder / LAUNCH
    # of a command that was killed
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    note = Note(uuid4().hex)

    def tell(**changes: object) -> None:
        nonlocal note
        note = replace(note, **changes)  # type: ignore[arg-type]  # they are fields of it
        write_json(place / _NOTE, asdict(note))

    try:
        with locked(place):
            tell()
            yield Here(load, tell)
            # one that comes late would look for it in vain
            until = time.monotonic() + APPEARS_S
            while len(list(place.glob("rank-*"))) < launch.count - 1 and time.monotonic() < until:
                time.sleep(_PAUSE_S)
    finally:
        shutil.rmtree(place, ignore_errors=True)
        with suppress(OSError):
            # beside a file it was made for this alone
            folder.rmdir()


def work_for(folder: Path, load: LoadEngine, launch: Launch) -> None:
    """Does units of the first process's from when it appears until it is gone.

    A `RunError` where it does not appear, and where this process would do a unit otherwise.
    """
    place, until = folder / LAUNCH, time.monotonic() + APPEARS_S
    while (first := _note(place)) is None:
        if time.monotonic() > until:
            raise RunError(
                f"the first process has not begun in {folder} for {round(APPEARS_S)} s: all "
                "processes are to run on one machine, and see one folder"
            )
        time.sleep(_PAUSE_S)
    with suppress(FileNotFoundError):
        (place / f"rank-{launch.rank}").touch()
    helper = _Helper(load, place)
    try:
        while (note := _note(place)) is not None and note.launch == first.launch:
            helper.help(note)
            time.sleep(_PAUSE_S)
    finally:
        helper.close()


class _Helper:
    """A process beside the first; it holds the engine that the last stage needed."""

    def __init__(self, load: LoadEngine, place: Path) -> None:
        self._load, self._place = load, place
        self._spec: ModelSpec | None = None
        self._engine: Engine | None = None
        self._journal: Journal | None = None

    def help(self, note: Note) -> None:
        """Does units, as long as there are any and the first process is there."""
        if note.journal is None or note.order is None:
            return
        journal = self._opened(Path(note.journal))
        if not journal.due(note.stage):
            return
        task, engine = note.order.taken(self._engine_of)
        for unit in claimed(journal, note.stage):
            rows = task.do(engine, unit.inputs)
            journal.put(note.stage, unit, rows, served=served_by(engine)())
            if not is_locked(self._place):
                break

    def close(self) -> None:
        """Leaves the journal."""
        if self._journal is not None:
            self._journal.close()

    def _opened(self, path: Path) -> Journal:
        if self._journal is None or self._journal.path != path:
            self.close()
            self._journal = Journal(path)
        return self._journal

    def _engine_of(self, spec: ModelSpec) -> Engine:
        if self._engine is None or spec != self._spec:
            # let go of first: two models may not fit beside each other
            self._engine, self._spec = None, spec
            self._engine = self._load(spec)
        return self._engine


def _note(place: Path) -> Note | None:
    """What the first process tells; null where there is none, or it is gone."""
    try:
        note = typed_json(Note, (place / _NOTE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return note if is_locked(place) else None
