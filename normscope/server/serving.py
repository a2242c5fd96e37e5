"""The server as a process: where it listens, with which key, and how it ends."""

import logging
import os
import sys
from pathlib import Path

from ..api.judge import Judge
from ..errors import UsageError
from ..extras import require
from ..judges.batching import BATCH
from . import limits
from .guard import LOG, App, Guard
from .listening import link, listening, names_of
from .service import JudgeService

KEY = "NORMSCOPE_SERVER_KEY"
"""The variable with the key that clients send.

`NORMSCOPE_API_KEY` is the one that Normscope itself sends, to a judge that is another server: that
is nobody else's.
"""

EXTRA = "api"
_SHORTEST = 16


def key_from(file: Path | None) -> str | None:
    """The key that clients have to send: the file's, else the environment's; null for none."""
    if file is not None:
        try:
            key = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{file} cannot be read as a key: {error}") from error
        if not key:
            raise UsageError(
                f"{file} is empty: write a key into it, as `openssl rand -hex 32` does"
            )
    else:
        key = os.environ.get(KEY, "").strip()
    # a key that can be guessed is none; it is said without the key
    if key and (len(key) < _SHORTEST or not key.isascii() or not key.isprintable()):
        raise UsageError(
            f"the key has {len(key)} characters: it has to have at least {_SHORTEST}, and no other "
            "than those of ASCII (`openssl rand -hex 32` makes one)"
        )
    return key or None


def application(service: JudgeService, *, key: str | None, host: str) -> App:
    """The routes with their guard, for a server that listens at the host."""
    require("starlette", extra=EXTRA)
    from .routes import Routes

    return Guard(Routes(service).app(), key=key, hosts=names_of(host))


def serve(
    judge: Judge,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    key: str | None = None,
    most_waiting: int = limits.MAX_WAITING,
    batch: int = BATCH,
) -> None:
    """Loads the judge, then answers until the process is told to end.

    What was accepted is judged and answered first; a second Ctrl-C ends it at once. Others than
    this machine are let in with a key only.
    """
    if key is None and names_of(host) is None:
        raise UsageError(
            f"--host {host} lets other machines ask: name a key, --key-file FILE or {KEY}"
        )
    uvicorn = require("uvicorn", extra=EXTRA)
    require("starlette", extra=EXTRA)
    from .connections import PerPeer

    socket = listening(host, port)
    # a judge that cannot be loaded is told here, and not to the first client
    _ = judge.loaded
    app = application(
        JudgeService(judge, most_waiting=most_waiting, batch=batch), key=key, host=host
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    config = uvicorn.Config(
        app,
        http=PerPeer,
        h11_max_incomplete_event_size=limits.MAX_HEADER_BYTES,
        timeout_keep_alive=limits.IDLE_S,
        ws="none",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        # no end to the wait: what was accepted is answered
        timeout_graceful_shutdown=None,
    )
    print(f"* Judging at {link(socket, '/v1/judge')}", flush=True)  # noqa: T201
    uvicorn.Server(config).run(sockets=[socket])
