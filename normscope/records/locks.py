"""Locks between processes, which the system frees when a process dies."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def held(path: Path, *, wait_s: float = 0) -> Iterator[bool]:
    """Whether the lock at the path was free; if so, this process holds it until the block ends.

    It is waited for so many seconds.
    """
    lock, is_free = FileLock(path), True
    try:
        lock.acquire(timeout=wait_s)
    except Timeout:
        is_free = False
    try:
        yield is_free
    finally:
        if is_free:
            lock.release()


def is_held(path: Path) -> bool:
    """Whether a process holds the lock; nothing is written, also where nothing can be written."""
    try:
        file = os.open(path, os.O_RDONLY)
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
