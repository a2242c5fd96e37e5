"""Who plans and merges the units of a store: one process at a time."""

import errno
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NoReturn
from uuid import uuid4

from ..errors import RunError
from ..files import is_alive
from .locks import held
from .storage import Storage

_NAME = "driver.json"
_LOCK = "driver.lock"


@contextmanager
def driving(storage: Storage, who: str, *, take_over: bool = False) -> Iterator[None]:
    """Notes this process as the driver until the block ends; a `RunError` where there is one.

    On a disk a lock tells, which the system frees when a process dies. Elsewhere a file does, and
    it stays when its process dies: on this machine that is seen, on another `take_over` says it.
    """
    note = {
        "who": who,
        "host": socket.gethostname(),
        "process": os.getpid(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "id": uuid4().hex,
    }
    content = json.dumps(note).encode()
    if storage.folder is not None:
        # a worker that looks whether there is a driver holds it for a moment, too
        storage.folder.mkdir(parents=True, exist_ok=True)
        with held(storage.folder / _LOCK, wait_s=1) as is_free:
            if not is_free:
                _refuse(storage)
            storage.write(_NAME, content)
            yield
        return
    there = _driver(storage)
    if take_over or (there is not None and _is_gone(there)):
        storage.remove(_NAME)
    try:
        storage.write(_NAME, content, new=True)
    except FileExistsError:
        _refuse(storage)
    # of two that began at once, where the storage cannot refuse the second: the later one stays
    if (_driver(storage) or note)["id"] != note["id"]:
        _refuse(storage)
    try:
        yield
    finally:
        # after a take-over it is another's
        if (_driver(storage) or {}).get("id") == note["id"]:
            storage.remove(_NAME)


def is_driven(storage: Storage) -> bool:
    """Whether a driver is at work: its workers end where it is gone."""
    if storage.folder is None:
        return _driver(storage) is not None
    try:
        with (storage.folder / _LOCK).open("rb") as file:
            # shared: of many that look at once none takes another for the driver
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK}:
            return True
        raise
    return False


def driver_id(storage: Storage) -> str | None:
    """What tells the driver that was noted last from every other one; null where there was none."""
    known = _driver(storage)
    return None if known is None else str(known.get("id"))


def _driver(storage: Storage) -> dict[str, Any] | None:
    for content in storage.read([_NAME]):
        try:
            note = json.loads(content)
        except (ValueError, RecursionError):
            return None
        return note if isinstance(note, dict) else None
    return None


def _is_gone(driver: dict[str, Any]) -> bool:
    here = driver.get("host") == socket.gethostname()
    process = driver.get("process")
    return here and isinstance(process, int) and not is_alive(process)


def _refuse(storage: Storage) -> NoReturn:
    known = _driver(storage) or {}
    raise RunError(
        f"{storage.where} is being worked on by process {known.get('process')} of "
        f"{known.get('host')}, for {known.get('who')}, since {known.get('since')}: wait for it or "
        "stop it; if it is gone for good, --take-over"
    )
