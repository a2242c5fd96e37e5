"""What is made once and looked at often: a few of a kind, the latest used, and not for ever."""

import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock, Timer
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class _Entry(Generic[Value]):
    """A value that is or will be there, and since when."""

    future: "Future[Value]" = field(default_factory=Future)
    since: float = field(default_factory=time.monotonic)


class Held(Generic[Value]):
    """At most so many values by their keys, each for no longer than some seconds; null: no end.

    >>> held = Held(1)
    >>> held.get("a", lambda: 1), held.get("a", lambda: 2), held.get("b", lambda: 3), len(held)
    (1, 1, 3, 1)
    """

    def __init__(self, most: int, seconds: float | None = None) -> None:
        """Nothing is held yet."""
        self._most, self._seconds = most, seconds
        self._entries: dict[Hashable, _Entry[Value]] = {}
        self._lock = Lock()
        self._sweeping = False

    def __len__(self) -> int:
        """How many values are held or being made."""
        return len(self._entries)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of the key, made where there is none; who comes meanwhile waits for it.

        What goes wrong in the making is raised for all of them, and not held.
        """
        with self._lock:
            entry = self._entries.pop(key, None)
            begins = entry is None
            entry = entry or _Entry()
            # at the end again, so that the first is the one not used for longest
            self._entries[key] = entry
            while len(self._entries) > self._most:
                del self._entries[next(iter(self._entries))]
        if begins:
            try:
                entry.future.set_result(make())
            # handed on to everybody who waits, whatever it is
            except BaseException as error:  # noqa: BLE001
                entry.future.set_exception(error)
                with self._lock:
                    self._entries = {k: e for k, e in self._entries.items() if e is not entry}
            self._sweep_later()
        return entry.future.result()

    def _sweep_later(self) -> None:
        """Nobody may ask again, so a clock has to see to what is too old: one for all values."""
        with self._lock:
            if self._seconds is None or self._sweeping or not self._entries:
                return
            self._sweeping = True
            oldest = min(entry.since for entry in self._entries.values())
        timer = Timer(max(oldest + self._seconds - time.monotonic(), 0), self._sweep)
        timer.daemon = True
        timer.start()

    def _sweep(self) -> None:
        now = time.monotonic()
        with self._lock:
            self._sweeping = False
            self._entries = {
                key: entry
                for key, entry in self._entries.items()
                if now - entry.since < (self._seconds or 0)
            }
        self._sweep_later()
