"""A judge that others call over HTTP.

What waits at the same time is judged together (`judges.batching`), as one unit of the judge's work.
"""

import os

from ..api.judge import Judge
from ..errors import UsageError
from ..extras import require

KEY = "NORMSCOPE_SERVER_KEY"
"""The variable with the key that clients send."""

PORT = 8000


def serve(judge: Judge, *, host: str = "127.0.0.1", port: int | None = None) -> None:
    """Loads the judge, then answers until the process is told to end.

    What was accepted is judged and answered first; a second Ctrl-C ends it at once. Others than
    this machine are let in with a key only.
    """
    uvicorn = require("uvicorn", extra="api")
    require("starlette", extra="api")
    from .routes import THIS_MACHINE, JudgeService, application

    local, key = host in THIS_MACHINE, os.environ.get(KEY, "").strip()
    if not local and not key:
        raise UsageError(f"--host {host} lets other machines ask: put a key into {KEY}")
    service = JudgeService(judge)
    uvicorn.run(
        application(service, key=key or None, local=local),
        host=host,
        port=port or PORT,
        limit_concurrency=512,
    )
    service.close()
