"""The server as a process: with which key, within which limits, and how it ends."""

import os

from ..api.judge import Judge
from ..errors import UsageError
from ..extras import require

KEY = "NORMSCOPE_SERVER_KEY"
"""The variable with the key that clients send."""

PORT = 8000
_SHORTEST_KEY = 16
_MAX_CONNECTIONS, _IDLE_S, _MAX_HEADER_BYTES = 512, 30, 32_768


def serve(judge: Judge, *, host: str = "127.0.0.1", port: int | None = None) -> None:
    """Loads the judge, then answers until the process is told to end.

    What was accepted is judged and answered first; a second Ctrl-C ends it at once. Others than
    this machine are let in with a key only.
    """
    uvicorn = require("uvicorn", extra="api")
    require("starlette", extra="api")
    from .routes import THIS_MACHINE, application
    from .service import JudgeService

    local, key = host in THIS_MACHINE, os.environ.get(KEY, "").strip()
    if not local and not key:
        raise UsageError(f"--host {host} lets other machines ask: put a key into {KEY}")
    # a key that can be guessed is none; it is said without the key
    if key and (len(key) < _SHORTEST_KEY or not key.isascii()):
        raise UsageError(f"{KEY} has to have at least {_SHORTEST_KEY} characters, all of ASCII")
    uvicorn.run(
        application(JudgeService(judge), key=key or None, local=local),
        host=host,
        port=port or PORT,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_keep_alive=_IDLE_S,
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        http="h11",
        ws="none",
        proxy_headers=False,
        server_header=False,
    )
