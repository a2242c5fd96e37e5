"""A server as plain functions see it: its address and key, and work that comes back whole.

What is secret in an address is refused or hidden.
"""

import asyncio
import os
import re
import weakref
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache, partial
from ssl import SSLContext
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2

from ....errors import ModelError, UsageError
from ....records.model_spec import EndpointSettings
from .client import ATTEMPTS, Caller, Gate, Spent, Waiting

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")

_CREDENTIALS = re.compile(r"(?<=//).*@", re.DOTALL)
_SCHEMES = ("Bearer ", "Basic ")


@dataclass(frozen=True, slots=True)
class Address:
    """The root of an OpenAI-compatible API, and the model's name if the user gave one."""

    base: str
    model: str | None

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine, where a proxy has no business."""
        return urlsplit(self.base).hostname in {"localhost", "127.0.0.1", "::1"}


def parse(text: str) -> Address:
    """The parts of `http://host:8000/v1#model`; the model is null without a fragment.

    A user name, password or query is refused, since the address is written into run folders, and
    so are several addresses.

    >>> parse("http://localhost:8000/v1#qwen")
    Address(base='http://localhost:8000/v1', model='qwen')
    """
    shown = hide(text)
    if re.search(r",\s*https?://", text):
        raise UsageError(
            f"{shown} are several servers: put a router in front of them (vLLM's, LiteLLM, nginx) "
            "and give its address"
        )
    try:
        split = urlsplit(text.strip())
        # a port that is no number is an error only when it is read
        host, _ = split.hostname, split.port
    except ValueError:
        host, split = None, urlsplit("")
    if host is None or split.scheme not in {"http", "https"}:
        raise UsageError(f"{shown} is no address of a server: write http://host:8000/v1#model")
    if "@" in split.netloc or split.query:
        what = "a query" if split.query else "a user name or password"
        raise UsageError(
            f"{shown} carries {what}, which would be written into the run folder: take it out; "
            "a key goes into the environment variable api_key_env (default NORMSCOPE_API_KEY), "
            "'Basic …' for a user name and password"
        )
    base = f"{split.scheme}://{split.netloc}{split.path.rstrip('/')}"
    return Address(base, split.fragment or None)


def hide(text: str) -> str:
    """The address without what may be secret in it.

    >>> hide("https://me:secret@host/v1?key=1#m")
    'https://…@host/v1?…#m'
    """
    return re.sub(r"\?[^#]*", "?…", _CREDENTIALS.sub("…@", text))


def authorization(variable: str) -> str | None:
    """The Authorization header from the environment variable, null if that is unset or empty.

    A value that begins with `Bearer ` or `Basic ` is the whole header; any other is a bearer key.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        return None
    if not (value.isascii() and value.isprintable()):
        raise ModelError(
            f"the key in the environment variable {variable} has a line break or another "
            "character that no key has: set it again"
        )
    return value if value.startswith(_SCHEMES) else f"Bearer {value}"


def key_in(header: str | None) -> str | None:
    """What must never be shown: the header without its scheme."""
    return None if header is None else header.partition(" ")[2] or header


class Server:
    """What lasts between the calls to one server: its address, the calls in flight, the budget.

    Everything is called in one event loop, in a thread of its own: several threads may hand over
    work, also where an event loop is running already. Connections do not last: each piece of work
    opens its own and closes them, whatever happens.
    """

    def __init__(self, address: Address, settings: EndpointSettings, waiting: Waiting) -> None:
        """Takes the key from the environment; says nothing to the server yet."""
        self.address, self._settings = address, settings
        self._spent = Spent(settings.max_requests)
        self._authorization = authorization(settings.api_key_env)
        self._caller = partial(
            Caller,
            where=address.base,
            secret=key_in(self._authorization),
            settings=settings,
            gate=Gate(settings.concurrency, waiting),
            spent=self._spent,
            waiting=waiting,
        )
        self._running: set[Future[Any]] = set()
        self._loop = asyncio.new_event_loop()
        Thread(target=_serve, args=(self._loop,), name="endpoint", daemon=True).start()
        weakref.finalize(self, self._loop.call_soon_threadsafe, self._loop.stop)

    def served(self) -> tuple[str, ...]:
        """The models that have answered since this was last asked, in their order."""
        names, self._spent.served = self._spent.served, {}
        return tuple(names)

    def stop(self) -> None:
        """Cancels what is in progress, whichever thread waits for it."""
        for future in list(self._running):
            future.cancel()

    def run(
        self, work: Callable[[Caller], Coroutine[Any, Any, T]], *, attempts: int = ATTEMPTS
    ) -> T:
        """What the work returns; what ends the wait (Ctrl-C) also ends the work."""

        async def whole() -> T:
            async with self._connected() as http:
                return await work(self._caller(http=http, attempts=attempts))

        future = asyncio.run_coroutine_threadsafe(whole(), self._loop)
        self._running.add(future)
        try:
            return future.result()
        finally:
            future.cancel()
            self._running.discard(future)

    def _connected(self) -> httpx2.AsyncClient:
        most, timeout = self._settings.concurrency, self._settings.timeout_s
        return httpx2.AsyncClient(
            base_url=self.address.base,
            headers={"Authorization": self._authorization} if self._authorization else {},
            timeout=timeout,
            limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
            verify=_tls(),
            trust_env=not self.address.is_local,
        )


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@cache
def _tls() -> SSLContext:
    """Once, and not for every piece of work or server: it reads all certificates."""
    return httpx2.create_ssl_context()


async def all_answers(
    questions: Sequence[Q], answer: Callable[[Q], Coroutine[Any, Any, A]]
) -> list[A]:
    """The answers in order; the first error ends all that are still on their way."""
    tasks = [asyncio.ensure_future(answer(question)) for question in questions]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            # what is still on its way would spend the budget for nothing
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
