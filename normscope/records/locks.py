"""Locks between processes, which the system frees when a process dies."""

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
