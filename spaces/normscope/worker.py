"""One thread for one model: what it is asked is answered in turn, within a time or not at all."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from typing import TypeVar

from .words import Told

Answer = TypeVar("Answer")


class Worker:
    """A queue of one thread, whose waiting visitors are told when it takes too long."""

    def __init__(self, name: str, *, too_slow: str) -> None:
        """`too_slow` is the message for an answer that was begun and not finished in time."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._too_slow = too_slow

    def begin(self, work: Callable[[], Answer]) -> "Future[Answer]":
        """The work's future, without waiting for it."""
        return self._thread.submit(work)

    def ask(self, work: Callable[[], Answer], *, timeout: float) -> Answer:
        """What the work returns; a `Told` after `timeout` seconds: busy, if others came first."""
        begun: list[bool] = []

        def noted() -> Answer:
            begun.append(True)
            return work()

        future = self._thread.submit(noted)
        try:
            return future.result(timeout=timeout)
        except Late:
            future.cancel()
            if begun:
                raise Told(self._too_slow, seconds=round(timeout)) from None
            raise Told("common_busy") from None
