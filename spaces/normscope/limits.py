"""How much the Space takes at once, and whose turn it is.

The numbers suit two free processors and the bundled judge; every tab tells its own before one
begins.
"""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Literal

from .words import Told

Kind = Literal["answer", "file", "other"]

MAX_FILE_BYTES = 10_000_000
MAX_TABLE_BYTES = 100_000_000
"""Of memory that a file's cells take, counted while it is read."""
MAX_ROWS = 2_000
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

QUEUE = 40
AT_ONCE: dict[Kind, int] = {"answer": 4, "file": 2, "other": 4}
PER_USER: dict[Kind, int] = {"answer": 2, "file": 1, "other": 2}


class Turns:
    """Who is being served: nobody may hold more than their share of what runs at once."""

    def __init__(self) -> None:
        """Nobody is being served."""
        self._held: Counter[tuple[Kind, str]] = Counter()
        self._lock = Lock()

    @contextmanager
    def turn(self, kind: Kind, user: str) -> Iterator[None]:
        """The user's turn until the block ends; a `Told` if they hold their share already."""
        key = (kind, user)
        with self._lock:
            if self._held[key] >= PER_USER[kind]:
                raise Told("common_your_turn", most=PER_USER[kind])
            self._held[key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._held[key] -= 1
                if not self._held[key]:
                    del self._held[key]


def user_of(request: Any) -> str:
    """Whose request it is: the address, on the Hub the one before its proxy."""
    headers = getattr(request, "headers", None) or {}
    forwarded = str(headers.get("x-forwarded-for") or "").split(",")[0].strip()
    if forwarded and os.environ.get("SPACE_ID"):
        return forwarded
    client = getattr(request, "client", None)
    return str(getattr(client, "host", None) or "unknown")
