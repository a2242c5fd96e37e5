"""Units of work: fixed groups of rows, planned from the whole input, done whole or not at all.

What is done is kept in a journal: that of a run's folder, or, for a task without one (judging a
file, measuring a judge), one of its own.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ..errors import RunError
from ..files import hash_value, write_json
from ..progress import bar
from ..reasons import Reason
from .journal import Journal, Row

LOCK = ".lock"

Unit = tuple[int, ...]


def plan(keys: Sequence[Any], *, size: int) -> list[Unit]:
    """Groups of at most `size` row numbers, rows with near keys together.

    The plan depends on the whole input, never on what remains of it, so that a resumed run does
    exactly the units that an uninterrupted one would have done.

    >>> plan(["b", "a", "c"], size=2)
    [(1, 0), (2,)]
    """
    # equal keys by their number: the plan must be the same whenever it is made
    order = sorted(range(len(keys)), key=lambda index: (keys[index], index))
    return [tuple(order[start : start + size]) for start in range(0, len(order), size)]


def work_off(
    journal: Journal | None,
    stage: str,
    units: Sequence[Unit],
    do: Callable[[Unit], Sequence[Row]],
    *,
    label: str,
    names: Sequence[str] | None = None,
    retry: bool = True,
    served: Callable[[], Sequence[str]] = tuple,
) -> list[Row]:
    """The rows in the order of their numbers, done now or taken from the journal, if there is one.

    `names` are the rows' names in the journal, where their numbers do not tell them from those of
    another time. A row whose call failed is not final: with `retry` it is done again, without the
    rest of its unit. `served` tells which models a server has answered with since it was last
    asked. A progress bar shows how far it is.
    """
    total = sum(map(len, units))
    known = names or [str(number) for number in range(total)]
    kept = journal.rows(stage) if journal else {}
    rows = [kept.get(name, {}) for name in known]
    lacking = [
        tuple(i for i in unit if not rows[i] or (retry and call_failed(rows[i]))) for unit in units
    ]
    done = total - sum(map(len, lacking))
    with bar(total, label=label, initial=done) as progress:
        for unit in filter(None, lacking):
            results = zip(unit, do(unit), strict=True)
            # what failed and fails again stays as it is
            new = {i: row for i, row in results if not (rows[i] and call_failed(row))}
            if new:
                their_names = [known[i] for i in new]
                kept_rows = [*new.values()]
                if journal:
                    kept_rows = journal.append(stage, their_names, kept_rows, served=served())
                for i, row in zip(new, kept_rows, strict=True):
                    rows[i] = row
            progress.update(len(unit))
    return rows


def call_failed(row: Row) -> bool:
    """Whether the row, or one of the judgements in it, is absent because a call failed."""
    return any(each.get("reason") == Reason.CALL_FAILED for each in row.get("criteria", [row]))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder until the block ends; a `RunError` where another process does."""
    lock = FileLock(folder / LOCK)
    try:
        # not waited for: the other process may be at it for hours
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(f"{folder} is in use by another process: wait for it or stop it") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def journal_of(settings: Mapping[str, Any], out: Path) -> Iterator[Journal]:
    """The journal of this very task, in a hidden folder of `out` that goes when all is answered.

    It stays where calls have failed: the same task then asks those again.

    The folder is named by what was requested and not by where the result goes, so that a task whose
    result could not be written goes on under another name.
    """
    work = _folder(settings, out)
    work.mkdir(parents=True, exist_ok=True)
    with locked(work):
        write_json(work / "settings.json", settings)
        journal = Journal.open(work / "journal.jsonl")
        yield journal
    if not any(map(call_failed, journal.all_rows())):
        shutil.rmtree(work)


def is_begun(settings: Mapping[str, Any], out: Path) -> bool:
    """Whether this very task was begun and has not all of its answers yet."""
    return _folder(settings, out).is_dir()


def _folder(settings: Mapping[str, Any], out: Path) -> Path:
    return out / f".{hash_value(settings)[:16]}.work"
