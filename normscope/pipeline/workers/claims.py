"""Which units a process takes of those that several share: each is claimed while it is done.

A claim is a lock of the system's, which frees it when its process dies.
"""

import time
from collections.abc import Iterator

from ...records.unit_store import Parcel, Part

_SOON_S, _LATER_S = 0.02, 0.5
"""After how long is looked again whether there is something to do, at first and at last."""

_LIST_S = 1.0
"""How old a list of the finished units may be: it may be long."""


class Pause:
    """A wait that grows as long as nothing comes of it."""

    def __init__(self) -> None:
        """The first wait is short."""
        self._seconds = _SOON_S

    def wait(self) -> None:
        """Waits, twice as long as the last time."""
        time.sleep(self._seconds)
        self._seconds = min(self._seconds * 2, _LATER_S)

    def reset(self) -> None:
        """Makes the next wait short again: something came."""
        self._seconds = _SOON_S


class Finished:
    """The names of a part's finished units, listed again when the list is old."""

    def __init__(self, part: Part) -> None:
        """None is listed yet."""
        self._part = part
        self._names: set[str] = set()
        self._old_at = 0.0

    def names(self, *, now: bool = False) -> set[str]:
        """The names, as they are `now` or were a moment ago."""
        if now or time.monotonic() >= self._old_at:
            self._names = self._part.done()
            self._old_at = time.monotonic() + _LIST_S
        return self._names


def claimed_parcels(part: Part, *, start: float) -> Iterator[Parcel | None]:
    """The units that are left, one after the other, each claimed until the next one is requested.

    They begin at the share `start` of all and go round. Null where all that is left is in the hands
    of others: it comes again until they have finished it, or have died and freed it.
    """
    finished = Finished(part)
    others: list[Parcel] = []
    for parcel in part.parcels(start=start):
        if parcel.name not in finished.names():
            yield from _claimed(part, parcel, others)
    while others:
        done = finished.names(now=True)
        waiting, others = [parcel for parcel in others if parcel.name not in done], []
        for parcel in waiting:
            yield from _claimed(part, parcel, others)
        if others:
            yield None


def _claimed(part: Part, parcel: Parcel, others: list[Parcel]) -> Iterator[Parcel]:
    """The parcel if it is free; else it is one of the others', or merged with all of the part."""
    if not part.is_published:
        return
    with part.claimed(parcel.name) as is_free:
        if is_free:
            yield parcel
        else:
            others.append(parcel)
