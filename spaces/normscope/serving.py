"""The server in front of the page: whose request it is, and how much of anything is taken.

gradio's `launch` leaves no say in how uvicorn is set up: it takes a client's word for its address
where the connection comes from this machine, and waits for ever for the rest of a header. So the
page is mounted, as gradio documents it, and served from here.
"""

import asyncio
import os
import sys
import time
import webbrowser
from collections.abc import MutableMapping
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Thread
from typing import Any, TextIO

from uvicorn import Config, Server

from ...errors import UsageError
from ...messages import marked, message, translate
from . import limits
from .connections import Bounded, PerPeer
from .frame import App, Message, Receive, Send
from .listening import link, listening, name_in, names_of
from .texts import first_language

PROXIES = "NORMSCOPE_PROXIES"


def run(
    app: App,
    *,
    host: str | None = None,
    port: int | None = None,
    quiet: bool = False,
    address: str = "/",
    opens: bool = False,
) -> None:
    """Serves the app until the process is told to end.

    Without a host this machine only, on the Hub everybody; without a port the first free one. The
    `address` within the app is the one that is printed, and with `opens` a browser opens on it.
    """
    anybody = "0.0.0.0" if "SPACE_ID" in os.environ else "127.0.0.1"  # noqa: S104 - its purpose
    name = host or os.environ.get("GRADIO_SERVER_NAME") or anybody
    number = port if port is not None else os.environ.get("GRADIO_SERVER_PORT")
    socket = listening(name, None if number is None else int(number))
    # before the loggers are set up: they hold on to the stream
    sys.stderr, sys.stdout = Sparing(sys.stderr), Sparing(sys.stdout)
    proxies = trusted_proxies()
    config = Config(
        # a proxy may call the Space by whatever name it has
        Gate(app, proxies=proxies, hosts=names_of(name) if proxies == 0 else None),
        http=_PerPeer if proxies == 0 else _Bounded,
        ws="none",
        log_level="warning",
        access_log=False,
        # what a proxy says of the client is read by the gate
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=limits.MAX_HEADER_BYTES,
        timeout_keep_alive=limits.IDLE_S,
        timeout_graceful_shutdown=5,
    )
    url = link(socket, address)
    if not quiet:
        print(f"* Running on {url}", flush=True)  # noqa: T201
    # whoever connects from now on waits until the server takes it
    if opens:
        Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    Server(config).run(sockets=[socket])


def trusted_proxies() -> int:
    """How many proxies stand before the Space and note whom they got a request from.

    `NORMSCOPE_PROXIES` says so; without it one on the Hub, and none elsewhere.
    """
    count = os.environ.get(PROXIES, "").strip() or ("1" if "SPACE_ID" in os.environ else "0")
    if not count.isdecimal() or int(count) > 9:  # noqa: PLR2004 - no request passes ten
        raise UsageError(f"{PROXIES} is {count!r}: it has to be a number of proxies from 0 to 9")
    return int(count)


def client_of(scope: Message, proxies: int) -> str:
    """The address of whom the request is from; of version 6 the network, which is one household's.

    Each proxy adds, at the right, whom it got the request from. What stands left of the entries of
    our own proxies is what the client wrote.

    >>> forged = [(b"x-forwarded-for", b"9.9.9.9, 1.2.3.4")]
    >>> client_of({"client": ("10.0.0.1", 80), "headers": forged}, 1)
    '1.2.3.4'
    >>> client_of({"client": ("10.0.0.1", 80), "headers": forged}, 0)
    '10.0.0.1'
    """
    peer = str((scope.get("client") or ("unknown",))[0])
    forwarded = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
    entries = [entry.strip() for entry in forwarded.decode("latin-1").split(",") if entry.strip()]
    client = entries[-proxies] if 0 < proxies <= len(entries) else peer
    return _network(client) or _network(peer) or peer


def _network(text: str) -> str | None:
    """The address, of version 6 its first half; null where it is none."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        # a household has so many addresses and changes between them at will
        return str(ip_network((address, 64), strict=False))
    return str(address)


class Gate:
    """Lets a request through to the page if it says how long it is, and that is not too long."""

    def __init__(self, app: App, *, proxies: int, hosts: frozenset[str] | None = None) -> None:
        """`proxies` of our own stand before the Space; `hosts` are its names (`names_of`)."""
        self._app, self._proxies, self._hosts = app, proxies, hosts
        self._uploads = limits.Quota(limits.UPLOADS, limits.UPLOADED_BYTES, limits.UPLOADS_S)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers the request, or passes it on with the address of whom it is from."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        user = client_of(scope, self._proxies)
        refused, headers = self._refused(scope, user)
        if refused:
            await _answer(scope, send, refused, headers)
            return
        late = asyncio.Event()
        passed = {**scope, "client": (user, 0)}
        await self._app(passed, _in_time(receive, _length(scope), late), _unless(send, late))
        if late.is_set():
            await _answer(scope, send, 408)

    def _refused(self, scope: Message, user: str) -> tuple[int, dict[str, str]]:
        """The status with which the request is refused, and its headers; 0 for none."""
        called = name_in(dict(scope["headers"]).get(b"host", b""))
        if self._hosts is not None and called not in self._hosts:
            return 421, {}
        upload = scope["method"] == "POST" and scope["path"].rstrip("/").endswith("/upload")
        length = _length(scope)
        if length is None:
            return 411, {}
        if length > (limits.MAX_UPLOAD_BYTES if upload else limits.MAX_FILE_BYTES):
            return 413, {}
        if upload and (seconds := self._uploads.take(user, length)):
            return 429, {"retry-after": str(seconds)}
        return 0, {}


_SAYS = {
    408: marked("The request came too slowly."),
    411: marked("The request does not say how long it is."),
    413: marked("The request is too large."),
    421: marked(
        "The request is for another server than this one: call it localhost, or set "
        "NORMSCOPE_PROXIES where a proxy stands before it."
    ),
    429: marked("So much has been uploaded from here that no more is taken for a while."),
}


async def _answer(
    scope: Message, send: Send, status: int, headers: MutableMapping[str, str] | None = None
) -> None:
    """Says why the request is refused, in the language that it asks for."""
    accepted = dict(scope["headers"]).get(b"accept-language", b"").decode("latin-1")
    language = first_language(accepted)
    fields = {
        "content-type": "text/plain; charset=utf-8",
        "content-language": language,
        "connection": "close",
        **(headers or {}),
    }
    raw = [(name.encode(), value.encode()) for name, value in fields.items()]
    text = translate(message(_SAYS[status]), language)
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": text.encode()})


def _length(scope: Message) -> int | None:
    """How many bytes the request's body says that it has; null if it does not say."""
    headers = dict(scope["headers"])
    # sent in chunks, a body has no length before its end
    if b"transfer-encoding" in headers:
        return None
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() else None


def _in_time(receive: Receive, length: int | None, late: asyncio.Event) -> Receive:
    """The same, as if the client had left when the body does not come in time."""
    until = time.monotonic() + limits.BODY_S + (length or 0) / limits.SLOWEST
    whole = not length

    async def bounded() -> Message:
        nonlocal whole
        if whole:
            # what is waited for now is that the client leaves
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), until - time.monotonic())
        except TimeoutError:
            late.set()
            return {"type": "http.disconnect"}
        whole = not message.get("more_body", False)
        return message

    return bounded


def _unless(send: Send, late: asyncio.Event) -> Send:
    """The same, but nothing is sent once the body came too late."""

    async def bounded(message: Message) -> None:
        if not late.is_set():
            await send(message)

    return bounded


class _Bounded(Bounded):
    bounds = limits


class _PerPeer(PerPeer):
    """Where no proxy stands before the Space."""

    bounds = limits


class Sparing:
    """A stream of text that passes on so much in a minute, and then says how much it left out.

    gradio prints a traceback for every request that it cannot make sense of, uvicorn a line.
    """

    def __init__(self, stream: TextIO) -> None:
        """What is written goes to this stream."""
        self._stream = stream
        self._begun, self._written, self._left = time.monotonic(), 0, 0

    def write(self, text: str) -> int:
        """Writes the text, or counts it."""
        if time.monotonic() - self._begun > limits.LOG_S:
            if self._left:
                self._stream.write(f"… {self._left:,} characters were left out here\n")
            self._begun, self._written, self._left = time.monotonic(), 0, 0
        if self._written + len(text) > limits.LOG_CHARACTERS:
            self._left += len(text)
        else:
            self._written += len(text)
            self._stream.write(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the stream's own."""
        return getattr(self._stream, name)
