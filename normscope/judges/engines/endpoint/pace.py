"""How many calls may be in flight: more while all goes well, fewer when the server complains."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock

_FIRST = 4


@dataclass(frozen=True, slots=True)
class Waiting:
    """How time passes: the real one, or a test's."""

    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic


class Pace:
    """The number of calls in flight: + 1 per round of answers, × 1/2 on a refusal.

    A call carries the number of cuts before it was sent, so that the calls of one round, which
    all met the same overload, cut once. Several threads may share it.
    """

    def __init__(self, most: int) -> None:
        """Starts at four calls, or at `most` if that is fewer."""
        self._most = max(1, most)
        self._limit = float(min(_FIRST, self._most))
        self._lock = Lock()
        self.cuts = 0

    @property
    def places(self) -> int:
        """How many calls may be in flight now; at least one.

        >>> Pace(32).places, Pace(2).places
        (4, 2)
        """
        return int(self._limit)

    def answered(self, *, sent: int) -> None:
        """An answer came."""
        with self._lock:
            if sent == self.cuts:
                self._limit = min(float(self._most), self._limit + 1 / self._limit)

    def refused(self, *, sent: int) -> None:
        """The server said that it is too much (429, 503), or did not answer in time."""
        with self._lock:
            if sent == self.cuts:
                self._limit = max(1.0, self._limit / 2)
                self.cuts += 1


@dataclass(eq=False, slots=True)
class _Turn:
    """A call that waits to be let in, in the event loop of its thread."""

    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    is_inside: bool = False
    opened: asyncio.Future[None] = field(init=False)

    def __post_init__(self) -> None:
        self.opened = self.loop.create_future()

    def open(self) -> None:
        """Wakes the call, unless it has been given up."""
        if not self.opened.done():
            self.opened.set_result(None)


class Gate:
    """Lets calls through in their order, as many at once as the pace allows, none in a pause.

    The calls may come from several threads, each with an event loop of its own: what the server
    bears, it bears of all of them together.
    """

    def __init__(self, pace: Pace, waiting: Waiting) -> None:
        """Nobody is inside yet."""
        self._pace, self._waiting = pace, waiting
        self._lock = Lock()
        self._inside = 0
        # before any clock's beginning
        self._opens = -1e18
        self._queue: deque[_Turn] = deque()

    def pause(self, seconds: float) -> None:
        """Lets nobody through for so long."""
        self._opens = max(self._opens, self._waiting.clock() + seconds)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """One call's place, kept until the block ends."""
        await self._enter()
        try:
            while (wait := self._opens - self._waiting.clock()) > 0:
                await self._waiting.sleep(wait)
            yield
        finally:
            with self._lock:
                self._inside -= 1
            self._admit()

    async def _enter(self) -> None:
        turn = _Turn()
        with self._lock:
            self._queue.append(turn)
        self._admit()
        try:
            await turn.opened
        except asyncio.CancelledError:
            with self._lock:
                # let in and cancelled at once: the place must be given back
                if turn.is_inside:
                    self._inside -= 1
                else:
                    self._queue.remove(turn)
            self._admit()
            raise

    def _admit(self) -> None:
        here = asyncio.get_running_loop()
        for turn in self._let_in():
            if turn.loop is here:
                turn.open()
                continue
            # a loop that has ended gave its places back when its calls were cancelled
            with suppress(RuntimeError):
                turn.loop.call_soon_threadsafe(turn.open)

    def _let_in(self) -> list[_Turn]:
        turns = []
        with self._lock:
            while self._queue and self._inside < self._pace.places:
                turns.append(self._queue.popleft())
                turns[-1].is_inside = True
                self._inside += 1
        return turns
