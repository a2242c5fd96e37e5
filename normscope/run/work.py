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


@contextmanager
def journal_of(settings: Mapping[str, Any], out: Path) -> Iterator[Journal]:
    """The journal of this very task, in a hidden folder of `out` that goes when all is done.

    The folder is named by what was asked and not by where the result goes, so that a task whose
    result could not be written goes on under another name.
    """
    work = out / f".{hash_value(settings)[:16]}.work"
    work.mkdir(parents=True, exist_ok=True)
    lock = FileLock(work / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(f"{work} is in use by another process: wait for it or stop it") from None
    try:
        write_json(work / "settings.json", settings)
        yield Journal.open(work / "journal.jsonl")
    finally:
        lock.release()
    shutil.rmtree(work)
