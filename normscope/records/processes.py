"""Which process holds what, by locks that the system frees when a process ends."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import RunError

LOCK = ".lock"

LAUNCH = ".launch"
"""The folder by which the processes of a launch find one another."""

_GLANCE_S = 0.2
"""Longer than `is_locked` holds a lock."""


def hold(file: Path, *, wait_s: float = 0) -> FileLock | None:
    """Return the lock of the file, held until it is released; null where another holds it."""
    lock = FileLock(file, thread_local=False)
    try:
        lock.acquire(timeout=wait_s)
    except Timeout:
        return None
    return lock


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder until the block ends. Raise RunError where another process does."""
    # no longer: the other process may be at it for hours
    lock = hold(folder / LOCK, wait_s=_GLANCE_S)
    if lock is None:
        raise RunError(f"{folder} is in use by another process: wait for it or stop it")
    try:
        yield
    finally:
        lock.release()


def is_locked(folder: Path) -> bool:
    """Whether a process holds the folder; nothing is written, also where nothing can be written."""
    try:
        file = os.open(folder / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        # shared, and for a moment: those who only look do not see one another
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:  # of another kind on a file system without locks
        return error.errno in {errno.EACCES, errno.EAGAIN}
    finally:
        os.close(file)
    return False
