"""Units of work: fixed groups of rows, planned from the whole input, done whole or not at all.

What is done is kept in a journal: that of a run's folder, or, for a task without one (judging a
file, measuring a judge), one of its own.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from itertools import compress, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import RunError
from ..files import hash_value, write_json
from ..progress import bar
from .journal import HASH, Entry, Hashes, Journal, Numbers, Row, call_failed
from .locks import held

LOCK = ".lock"

_READ = 2048
"""How many rows are read from a journal at a time."""


class Unit(NamedTuple):
    """The rows of a unit by their numbers, and a name that tells their contents."""

    name: str
    rows: Numbers


class UnitPlan(NamedTuple):
    """A stage's whole work: its units, and the hash of each row's content.

    A row that is asked again counts as another where its hash has changed.
    """

    stage: str
    units: Sequence[Unit]
    hashes: Hashes

    @property
    def total(self) -> int:
        """How many rows there are."""
        return len(self.hashes)

    def hashes_of(self, unit: Unit) -> list[str]:
        """The hashes of the unit's rows; none where their numbers say enough."""
        hashes = [each.decode() for each in self.hashes[unit.rows].tolist()]
        return hashes if any(hashes) else []


def in_order(keys: Sequence[Any]) -> Numbers:
    """The numbers of the rows by their keys, and of equal keys by their number.

    >>> in_order(["b", "a", "b"]).tolist()
    [1, 0, 2]
    """
    # the plan must be the same whenever it is made
    return np.array(sorted(range(len(keys)), key=lambda index: (keys[index], index)), np.int64)


def row_hash(*parts: Any) -> str:
    """The hash of a row's content, of JSON values."""
    return hash_value(parts)[:HASH]


def plan(
    stage: str, order: Numbers, *, size: int, hashes: Sequence[str] | Hashes | None = None
) -> UnitPlan:
    """Units of at most `size` rows each, in this order of the rows.

    The plan depends on the whole input, never on what remains of it, so that a resumed run does
    exactly the units that an uninterrupted one would have done.

    >>> [unit.rows.tolist() for unit in plan("s", in_order(["b", "a", "c"]), size=2).units]
    [[1, 0], [2]]
    """
    known = np.array([""] * len(order) if hashes is None else hashes, f"S{HASH}")
    starts = range(0, len(order), size)
    return UnitPlan(stage, [unit_of(order[at : at + size], known) for at in starts], known)


def unit_of(rows: Numbers, hashes: Hashes) -> Unit:
    """The unit of these rows."""
    content = b"".join([rows.astype("<i8").tobytes(), hashes[rows].tobytes()])
    return Unit(hashlib.sha256(content).hexdigest()[:HASH], rows)


def entry_of(
    planned: UnitPlan, unit: Unit, rows: Sequence[Row], served: Sequence[str] = ()
) -> Entry:
    """What is kept of a unit that is done."""
    return Entry(
        planned.stage,
        unit.name,
        unit.rows.tolist(),
        planned.hashes_of(unit),
        list(rows),
        list(served),
    )


def lacking(journal: Journal, planned: UnitPlan, *, retry: bool = True) -> list[Unit]:
    """The units that are to be done, of each only the rows that are not there.

    A row whose call failed is not final: with `retry` it is done again, without the rest of its
    unit.
    """
    kept = journal.kept(planned.stage, planned.hashes)
    absent = ~kept.there | kept.failed if retry else ~kept.there
    result = []
    for unit in planned.units:
        of_unit = absent[unit.rows]
        if of_unit.all():
            result.append(unit)
        elif of_unit.any():
            result.append(unit_of(unit.rows[of_unit], planned.hashes))
    return result


@contextmanager
def keeping(
    journal: Journal, planned: UnitPlan, units: Sequence[Unit], *, label: str
) -> Iterator[Callable[[Iterable[Entry]], None]]:
    """How entries of units that are done are kept, behind a progress bar over the rows.

    What failed before and fails again stays as it is.
    """
    failed = journal.kept(planned.stage, planned.hashes).failed
    open_rows = sum(len(unit.rows) for unit in units)
    with bar(planned.total, label=label, initial=planned.total - open_rows) as progress:

        def keep(entries: Iterable[Entry]) -> None:
            several = list(entries)
            new = [_anew(entry, failed) for entry in several]
            journal.append(*(entry for entry in new if entry.numbers))
            progress.update(sum(len(entry.numbers) for entry in several))

        try:
            yield keep
        finally:
            journal.sync()


class Lanes(NamedTuple):
    """How many units are done at once, each in a thread; `end` makes those in progress fail.

    It is called when no more units come: after the last one, an error, or Ctrl-C.
    """

    number: int = 1
    end: Callable[[], None] = lambda: None


ONE_LANE = Lanes()


def each_done(
    units: Iterable[Unit], do: Callable[[Unit], Sequence[Row]], *, lanes: Lanes = ONE_LANE
) -> Iterator[tuple[Unit, Sequence[Row]]]:
    """The units as they come to be done, so many at once.

    An error ends the work when those in progress are done, so that what was paid for is kept.
    """
    if lanes.number == 1:
        for unit in units:
            yield unit, do(unit)
        return
    left = iter(units)

    def begun(unit: Unit) -> Future[Sequence[Row]]:
        # a thread has no context of its own: what is hidden here is hidden there
        return pool.submit(copy_context().run, do, unit)

    failed: list[BaseException] = []
    pool = ThreadPoolExecutor(lanes.number)
    try:
        running: dict[Future[Sequence[Row]], Unit] = {
            begun(unit): unit for unit in islice(left, lanes.number)
        }
        while running:
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                unit = running.pop(done)
                if error := done.exception():
                    failed.append(error)
                    continue
                yield unit, done.result()
                if not failed:
                    running |= {begun(unit): unit for unit in islice(left, 1)}
        if failed:
            raise failed[0]
    finally:
        lanes.end()
        pool.shutdown(cancel_futures=True)


def work_off(
    journal: Journal,
    planned: UnitPlan,
    do: Callable[[Unit], Sequence[Row]],
    *,
    label: str,
    retry: bool = True,
    served: Callable[[], Sequence[str]] = tuple,
    lanes: Lanes = ONE_LANE,
) -> Iterator[tuple[Numbers, list[Row]]]:
    """The rows with their numbers, done now or taken from the journal.

    `served` tells which models a server has answered with since it was last asked; `lanes` is how
    many units are done at once. A progress bar shows how far it is.
    """
    units = lacking(journal, planned, retry=retry)
    with keeping(journal, planned, units, label=label) as keep:
        for unit, rows in each_done(units, do, lanes=lanes):
            keep([entry_of(planned, unit, rows, served())])
    return results(journal, planned)


def results(journal: Journal, planned: UnitPlan) -> Iterator[tuple[Numbers, list[Row]]]:
    """All rows with their numbers, in the order of the plan, those of several units at a time.

    They are read from their JSON: a resumed run sees the very values that an uninterrupted one
    does. A `RunError` where one is not there.
    """
    kept = journal.kept(planned.stage, planned.hashes)
    if not kept.there.all():
        raise RunError(f"{planned.stage}: rows that nobody has done: {int((~kept.there).sum()):,}")
    size = max((len(unit.rows) for unit in planned.units), default=1)
    # a table of few rows takes ten times as long for each
    several = max(1, _READ // size)
    starts = range(0, len(planned.units), several)
    numbers = (
        np.concatenate([unit.rows for unit in planned.units[at : at + several]]) for at in starts
    )
    return ((rows, journal.rows(planned.stage, rows, kept)) for rows in numbers)


def in_rows(results: Iterable[tuple[Numbers, list[Row]]], total: int) -> list[Row]:
    """The rows in the order of their numbers."""
    rows: list[Row] = [{}] * total
    for numbers, of_unit in results:
        for number, row in zip(numbers.tolist(), of_unit, strict=True):
            rows[number] = row
    return rows


def _anew(entry: Entry, failed: np.ndarray[Any, np.dtype[np.bool_]]) -> Entry:
    """The entry without what failed before and has failed again."""
    keep = [
        not (failed[number] and call_failed(row))
        for number, row in zip(entry.numbers, entry.rows, strict=True)
    ]
    if all(keep):
        return entry
    return entry._replace(
        numbers=[*compress(entry.numbers, keep)],
        hashes=[*compress(entry.hashes, keep)],
        rows=[*compress(entry.rows, keep)],
    )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder until the block ends; a `RunError` where another process does."""
    # not waited for: the other process may be at it for hours
    with held(folder / LOCK) as is_free:
        if not is_free:
            raise RunError(f"{folder} is in use by another process: wait for it or stop it")
        yield


@contextmanager
def journal_of(settings: Mapping[str, Any], out: Path) -> Iterator[Journal]:
    """The journal of this very task, in a hidden folder of `out` that goes when all is answered.

    It stays where calls have failed: the same task then asks those again.

    The folder is named by what was requested and not by where the result goes, so that a task whose
    result could not be written goes on under another name.
    """
    work = work_folder(settings, out)
    work.mkdir(parents=True, exist_ok=True)
    with locked(work):
        write_json(work / "settings.json", settings)
        journal = Journal.open(work / "journal.jsonl")
        yield journal
    if not journal.has_failed:
        shutil.rmtree(work)


def is_begun(settings: Mapping[str, Any], out: Path) -> bool:
    """Whether this very task was begun and has not all of its answers yet."""
    return work_folder(settings, out).is_dir()


def work_folder(settings: Mapping[str, Any], out: Path) -> Path:
    """Where the task keeps what it has done."""
    return out / f".{hash_value(settings)[:16]}.work"
