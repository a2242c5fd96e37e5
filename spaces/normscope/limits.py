"""How much the Space takes at once, and whose turn it is.

The numbers suit two free processors and the bundled judge; every tab tells its own before one
begins.
"""

import math
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Literal

from .texts import VisitorError

Kind = Literal["answer", "file", "other"]

MAX_FILE_BYTES = 10_000_000
MAX_TABLE_BYTES = 100_000_000
"""Of memory that a file's cells take, counted while it is read."""
MAX_ROWS = 2_000
MAX_LONG_BYTES, MAX_LONG_ROWS = 40_000_000, 100_000
"""Of a table that is only looked at: the largest context has 76,032 prompts."""
MAX_COLUMNS = 200
MAX_QUESTION = 4_000
MAX_ANSWER = 16_000
"""Characters. A longer cell of a file is left unscored, and said to be too long."""


ROWS_SHOWN = 100
CHUNK = 16
"""Rows between two looks at the clock and at whether the visitor is still there."""

ANSWER_S = 60.0
FILE_S = 900.0
KEEP_S, SWEEP_S = 1800, 600
"""Files of visitors are deleted after half an hour, looked for every ten minutes."""

SESSIONS = 400
"""Visitors of whom gradio remembers what their page shows: half a megabyte each before they have
done anything, and a call of the API without a session is a visitor of its own. Beyond it the one
who has been away for longest begins anew."""
READ_ONCE = 4
"""Of visitors' long tables, the latest used, that are not read again for every choice."""

QUEUE = 40
AT_ONCE: dict[Kind, int] = {"answer": 4, "file": 2, "other": 4}
PER_USER: dict[Kind, int] = {"answer": 2, "file": 1, "other": 2}

UPLOADS, UPLOADED_BYTES, UPLOADS_S = 600, 500_000_000, 3600
"""Of one user in an hour, each up to the size of four files, as a run's tables are."""
MAX_UPLOAD_BYTES = 4 * MAX_FILE_BYTES + 1_000_000
_USERS = 10_000
"""Of whom it is remembered what they uploaded."""

CONNECTIONS, CONNECTIONS_PER_USER = 512, 64
MAX_HEADER_BYTES = 32_768
HEADER_S, IDLE_S = 10.0, 5
"""For the whole header of a request, and between two requests."""
BODY_S, SLOWEST = 30.0, 50_000
"""For a body: these seconds, and one more for so many bytes."""
LOG_CHARACTERS, LOG_S = 20_000, 60.0


def at_once(kind: Kind) -> dict[str, Any]:
    """What says to an event of gradio how many of its kind run at once."""
    return {"concurrency_limit": AT_ONCE[kind], "concurrency_id": kind}


class Turns:
    """Who is being served: nobody may hold more than their share of what runs at once."""

    def __init__(self) -> None:
        """Nobody is being served."""
        self._running: Counter[tuple[Kind, str]] = Counter()
        self._lock = Lock()

    @contextmanager
    def turn(self, kind: Kind, user: str) -> Iterator[None]:
        """The user's turn until the block ends; an error if they hold their share already."""
        key = (kind, user)
        with self._lock:
            if self._running[key] >= PER_USER[kind]:
                raise VisitorError(
                    "{most} of your requests are running already. Please wait for one of them "
                    "to finish, then try again.",
                    most=PER_USER[kind],
                )
            self._running[key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._running[key] -= 1
                if not self._running[key]:
                    del self._running[key]


class Quota:
    """How often and how much each user may in a time: beyond it they wait until that is over."""

    def __init__(self, count: int, size: int, seconds: float) -> None:
        """So many times and bytes in so many seconds."""
        self._count, self._size, self._seconds = count, size, seconds
        self._used: dict[str, tuple[float, int, int]] = {}

    def take(self, user: str, size: int) -> int:
        """Counts one more of this size and returns 0, or the seconds that the user has to wait."""
        now = time.monotonic()
        begun, count, used = self._used.pop(user, (now, 0, 0))
        if now - begun >= self._seconds:
            begun, count, used = now, 0, 0
        fits = count < self._count and used + size <= self._size
        # at the end again, so that the first is who has been away for longest
        self._used[user] = (begun, count + fits, used + size * fits)
        while len(self._used) > _USERS:
            del self._used[next(iter(self._used))]
        return 0 if fits else math.ceil(begun + self._seconds - now)


def user_of(request: Any) -> str:
    """Whose request it is: the address that the server's gate found (`serving.client_of`)."""
    client = getattr(request, "client", None)
    return str(getattr(client, "host", None) or "unknown")
