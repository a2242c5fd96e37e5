"""What stands before the routes: who may ask, from where, and a line in the log of each request."""

import hashlib
import hmac
import json
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import asdict
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from . import limits
from .errors import ErrorReply, RequestError, too_large
from .listening import name_in

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

LOG = logging.getLogger("normscope.server")
REQUEST_ID = "normscope.request"
"""Where in its scope a request has its number, which the log and its reply name, too."""

_OPEN = frozenset({"/health"})


class Guard:
    """Lets a request through that names this server, has the key, and is JSON of known length.

    Neither an address's query nor any text of a request is written into the log. A body that was
    not read to its end closes its connection: nobody waits for the rest of it.
    """

    def __init__(self, app: App, *, key: str | None, hosts: frozenset[str] | None) -> None:
        """Without a key anybody may ask; `hosts` are the server's names (`listening.names_of`)."""
        self._app, self._hosts = app, hosts
        self._key = None if key is None else _digest(key)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers the request, or passes it on; says in the log what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name, begun, status = uuid4().hex, time.monotonic(), 0
        comes = _has_body(scope)

        async def received() -> Message:
            nonlocal comes
            message = await receive()
            comes = comes and bool(message.get("more_body"))
            return message

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", ()), (b"x-request-id", name.encode())]
                if comes:
                    headers.append((b"connection", b"close"))
                message = {**message, "headers": headers}
            await send(message)

        try:
            self._refuse(scope)
            await self._app({**scope, REQUEST_ID: name}, received, noted)
        except RequestError as error:
            await _answer(noted, error)
        # a fault of ours: its message may quote an answer, so that only its kind is told
        except Exception as error:  # noqa: BLE001
            LOG.error("%s failed: %s", name, type(error).__name__)
        finally:
            milliseconds = round(1000 * (time.monotonic() - begun))
            # quoted: a line break in it would begin a line of the client's own
            path = quote(scope["path"])[: limits.MAX_NAME]
            LOG.info("%s %s %s %s %s ms", name, scope["method"], path, status, milliseconds)

    def _refuse(self, scope: Message) -> None:
        headers = {name.lower(): value for name, value in scope["headers"]}
        if self._hosts is not None and name_in(headers.get(b"host", b"")) not in self._hosts:
            raise RequestError(421, "wrong_host", "the request is for another server than this one")
        if self._key is not None and scope["path"] not in _OPEN:
            kind, _, given = headers.get(b"authorization", b"").partition(b" ")
            # of equal length, so that the time tells nothing of the key
            right = hmac.compare_digest(_digest(given.strip().decode("latin-1")), self._key)
            if kind.lower() != b"bearer" or not right:
                raise RequestError(
                    401,
                    "invalid_api_key",
                    "the key is missing or wrong: send Authorization: Bearer KEY",
                    headers={"www-authenticate": "Bearer"},
                )
        if scope["method"] != "POST":
            return
        # a page of another site can send a form's kinds without being asked, but not JSON
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if kind != b"application/json":
            raise RequestError(415, "not_json", "send JSON, with Content-Type: application/json")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > limits.MAX_BODY_BYTES:
            raise too_large()


async def _answer(send: Send, error: RequestError) -> None:
    content = json.dumps(asdict(ErrorReply(error.body))).encode()
    headers = {"content-type": "application/json", "content-length": str(len(content))}
    raw = [(k.encode(), v.encode()) for k, v in {**headers, **error.headers}.items()]
    await send({"type": "http.response.start", "status": error.status, "headers": raw})
    await send({"type": "http.response.body", "body": content})


def _has_body(scope: Message) -> bool:
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
