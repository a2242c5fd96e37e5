"""How much the Space takes at once; every tab tells its own before one begins.

The numbers suit two free processors and the bundled judge. How many come, how fast and with how
much, is bounded by a proxy in front.
"""

from typing import Any, Literal

Kind = Literal["answer", "file", "other"]

MAX_FILE_BYTES = 10_000_000
MAX_TABLE_BYTES = 100_000_000
"""Of memory that a file's cells take, counted while it is read."""
MAX_ROWS = 2_000
MAX_LONG_BYTES, MAX_LONG_ROWS, MAX_LONG_MEMORY = 40_000_000, 300_000, 600_000_000
"""Of a run's table, which is only looked at: a model's published answers are 228,096."""
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

QUEUE = 40
AT_ONCE: dict[Kind, int] = {"answer": 4, "file": 2, "other": 4}


def at_once(kind: Kind) -> dict[str, Any]:
    """What says to an event of gradio how many of its kind run at once."""
    return {"concurrency_limit": AT_ONCE[kind], "concurrency_id": kind}
