"""Units of work: fixed groups of rows, planned from the whole input, done whole or not at all.

What is done is kept in a journal: that of a run, or, for a task without one (judging a file,
measuring a judge), one of its own.
"""

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from contextvars import copy_context
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from ..errors import RunError
from ..files import hash_value, write_json
from ..progress import bar
from .integrity import JOURNAL
from .journal import Claimed, Hashes, Journal, Numbers, Unit
from .processes import locked

T = TypeVar("T")
R = TypeVar("R")

_LOOK_S = 0.5
"""How often is looked what other processes have done."""


def in_order(keys: Sequence[Any]) -> Numbers:
    """The numbers of the rows by their keys, and of equal keys by their number.

    >>> in_order(["b", "a", "b"]).tolist()
    [1, 0, 2]
    """
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def groups(order: Numbers, *, size: int) -> Iterator[Numbers]:
    """The rows of each unit, in this order of all: `size` of them, in the last one what is left.

    >>> [rows.tolist() for rows in groups(in_order(["b", "a", "c"]), size=2)]
    [[1, 0], [2]]
    """
    return (order[at : at + size] for at in range(0, len(order), size))


def row_hash(*parts: Any) -> int:
    """The hash of a row's content, of JSON values, in 64 bits."""
    return int(hash_value(parts)[:16], 16)


def hashes_of(rows: Iterable[Sequence[Any]]) -> Hashes:
    """The hash of each row's content."""
    return np.fromiter((row_hash(*row) for row in rows), np.uint64)


class Lanes(NamedTuple):
    """How many units are done at once, each in a thread; `end` makes those in progress fail.

    It is called when no more units come: after the last one, an error, or Ctrl-C.
    """

    number: int = 1
    end: Callable[[], None] = lambda: None


ONE_LANE = Lanes()


def each_done(
    units: Iterable[T], do: Callable[[T], R], *, lanes: Lanes = ONE_LANE
) -> Iterator[tuple[T, R]]:
    """The units as they come to be done, so many at once.

    An error ends the work when those in progress are done, so that what was paid for is kept.
    """
    if lanes.number == 1:
        for unit in units:
            yield unit, do(unit)
        return
    left, running, failed = iter(units), dict[Future[R], T](), list[BaseException]()
    pool = ThreadPoolExecutor(lanes.number)
    try:
        while True:
            for unit in islice(left, 0 if failed else lanes.number - len(running)):
                # a thread has no context of its own: what is hidden here is hidden there
                running[pool.submit(copy_context().run, do, unit)] = unit
            if not running:
                break
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                unit = running.pop(done)
                if error := done.exception():
                    failed.append(error)
                else:
                    yield unit, done.result()
        if failed:
            raise failed[0]
    finally:
        lanes.end()
        pool.shutdown(cancel_futures=True)


def claimed(journal: Journal, stage: str) -> Iterator[Claimed]:
    """The units that nobody is at, one after the other, each claimed for this process."""
    journal.free()
    return iter(lambda: journal.claim(stage), None)


def work_off(
    journal: Journal,
    stage: str,
    units: Iterable[Unit],
    do: Callable[[pa.Table], pa.Table],
    *,
    label: str,
    planned: Callable[[], None] = lambda: None,
    served: Callable[[], Sequence[str]] = tuple,
    lanes: Lanes = ONE_LANE,
) -> None:
    """Has every row of a stage done, by this process and others that claim units of the journal.

    `do` makes of a unit's inputs what is kept of it (`Journal.put`). `planned` is called when all
    of them are in the journal. `served` tells which models a server has answered with since it was
    last called; `lanes` is how many units are done at once. A progress bar shows how far it is.
    What failed before and fails again stays as it is.
    """
    total = journal.plan(stage, units)
    planned()
    with watched(journal, stage, total, label=label) as progress:
        while journal.due(stage):
            mine = each_done(claimed(journal, stage), lambda unit: do(unit.inputs), lanes=lanes)
            for unit, rows in mine:
                journal.put(stage, unit, rows, served=served())
                progress()
            if journal.due(stage):
                time.sleep(_LOOK_S)
                progress()


@contextmanager
def watched(
    journal: Journal, stage: str, total: int, *, label: str
) -> Iterator[Callable[[], None]]:
    """A progress bar over the rows of a stage, which a call brings up to date."""
    due, looked = journal.due(stage), time.monotonic()
    with bar(total, label=label, initial=total - due) as progress:

        def look(*, at_once: bool = False) -> None:
            nonlocal looked
            if at_once or time.monotonic() > looked + _LOOK_S:
                progress.update(total - journal.due(stage) - progress.n)
                looked = time.monotonic()

        try:
            yield look
        finally:
            look(at_once=True)


@contextmanager
def journal_of(
    settings: Mapping[str, Any], out: Path, *, folder: Path | None = None
) -> Iterator[Journal]:
    """The journal of this very task, in a hidden folder of `out` that goes when all is answered.

    It stays where calls have failed: the same task then asks those again. It lies in `folder`
    instead, where one is named.

    The folder is named by what was requested and not by where the result goes, so that a task whose
    result could not be written goes on under another name.
    """
    work = out / f".{hash_value(settings)[:16]}.work"
    work.mkdir(parents=True, exist_ok=True)
    path = journal_path(work, folder)
    with locked(work):
        write_json(work / "settings.json", settings)
        with closing(Journal(path)) as journal:
            yield journal
            keep = journal.has_failed
    if not keep:
        shutil.rmtree(work)
        if folder is not None:
            shutil.rmtree(path.parent)


def journal_path(work: Path, folder: Path | None) -> Path:
    """Where the journal of what is made in `work` lies: there, or below the `folder` that is named.

    A `RunError` where the folder cannot be made.
    """
    if folder is None:
        return work / JOURNAL
    # runs of one name may stand in several places
    place = folder / f"{work.name}-{hash_value(str(work.absolute()))[:8]}"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(
            f"{folder} cannot hold a journal ({error.strerror}): name another"
        ) from error
    return place / JOURNAL
