"""A server as plain functions see it: work for it is handed over whole, and comes back whole."""

import asyncio
import weakref
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from functools import cache, partial
from ssl import SSLContext
from threading import Thread
from typing import Any, TypeVar

import httpx2

from ....records.model_spec import EndpointSettings
from .address import Address, authorization, key_in
from .client import ATTEMPTS, Caller, Gate, Spent, Waiting

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")


class Server:
    """What lasts between the calls to one server: its address, the calls in flight, the budget.

    Everything is called in one event loop, in a thread of its own: several threads may hand over
    work, also where an event loop is running already. Connections do not last: each piece of work
    opens its own and closes them, whatever happens.
    """

    def __init__(self, address: Address, settings: EndpointSettings, waiting: Waiting) -> None:
        """Takes the key from the environment; says nothing to the server yet."""
        self.address, self._spent = address, Spent(settings)
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
        most, timeout = self._spent.settings.concurrency, self._spent.settings.timeout_s
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
