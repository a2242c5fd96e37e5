"""Which process holds what: locks that the system frees, and whether a process is still there."""

import errno
import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from ..errors import RunError
from ..files import is_alive

LOCK = ".lock"

LAUNCH = ".launch"
"""The folder by which the processes of a launch find one another."""


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


class Process(NamedTuple):
    """A process: of which machine (a container is one of its own), its number, when it began."""

    host: str
    number: int
    began: int

    @classmethod
    def this(cls) -> "Process":
        """The process that asks."""
        return cls(_host(), os.getpid(), _began(os.getpid()))

    @property
    def is_gone(self) -> bool | None:
        """Whether it has ended; null of a process of another machine, which cannot be asked."""
        if self.host != _host():
            return None
        # another process may have got its number since
        return not is_alive(self.number) or _began(self.number) != self.began


def _host() -> str:
    """The name of this machine, with what tells containers apart that are called alike."""
    name = socket.gethostname()
    with suppress(OSError):
        name += f" {Path('/proc/self/ns/pid').readlink()}"
    return name


def _began(number: int) -> int:
    """When the process began, in ticks since the machine did; 0 where the system does not say."""
    try:
        status = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    # its name, in brackets, may hold anything
    state, *numbers = status.rpartition(")")[2].split()
    # one that has ended, and that its parent has not asked about yet
    return -1 if state == "Z" else int(numbers[18])
