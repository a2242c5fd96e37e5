"""The journal of a task that has no run folder: judging a file, measuring a judge."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ..errors import RunError
from ..files import hash_value, write_json
from .journal import Journal
from .units import call_failed


@contextmanager
def journal_of(settings: Mapping[str, Any], out: Path) -> Iterator[Journal]:
    """The journal of this very task, in a hidden folder of `out` that goes when all is answered.

    It stays where calls have failed: the same task then asks those again.

    The folder is named by what was asked and not by where the result goes, so that a task whose
    result could not be written goes on under another name.
    """
    work = _folder(settings, out)
    work.mkdir(parents=True, exist_ok=True)
    lock = FileLock(work / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(f"{work} is in use by another process: wait for it or stop it") from None
    try:
        write_json(work / "settings.json", settings)
        journal = Journal.open(work / "journal.jsonl")
        yield journal
    finally:
        lock.release()
    if not any(map(call_failed, journal.every())):
        shutil.rmtree(work)


def is_begun(settings: Mapping[str, Any], out: Path) -> bool:
    """Whether this very task was begun and has not all of its answers yet."""
    return _folder(settings, out).is_dir()


def _folder(settings: Mapping[str, Any], out: Path) -> Path:
    return out / f".{hash_value(settings)[:16]}.work"
