"""A server as plain functions see it: work for it is handed over whole, and comes back whole."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import asynccontextmanager, suppress
from functools import cache
from ssl import SSLContext
from typing import Any, TypeVar

import httpx2

from ....records.model_spec import EndpointSettings
from .address import Address, authorization, key_in
from .client import ATTEMPTS, Caller, Purse, Served
from .pace import Gate, Pace, Waiting

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")

_LOOK = 0.2  # seconds between looks at whether the wait is to end


class Server:
    """What lasts between the calls to one server: its address, the pace it bears, the budget.

    Connections do not last: each piece of work opens its own and closes them, whatever happens.
    Several threads may work at once, within the same pace and budget.
    """

    def __init__(self, address: Address, settings: EndpointSettings, waiting: Waiting) -> None:
        """Takes the key from the environment; says nothing to the server yet."""
        self.address, self.settings = address, settings
        self.pace, self.purse = Pace(settings.concurrency), Purse(settings)
        self._gate = Gate(self.pace, waiting)
        self._waiting = waiting
        self._served = Served()
        self._running: dict[asyncio.Task[Any], asyncio.AbstractEventLoop] = {}
        self._authorization = authorization(settings.api_key_env)

    def served(self) -> tuple[str, ...]:
        """The models that have answered since this was last asked, in their order."""
        return self._served.taken()

    def stop(self) -> None:
        """Cancels what is in progress, in whatever thread."""
        for task, loop in list(self._running.items()):
            # one that has just come to its end has closed its loop
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)

    def run(
        self, work: Callable[[Caller], Coroutine[Any, Any, T]], *, attempts: int = ATTEMPTS
    ) -> T:
        """What the work returns, from any thread, also where an event loop is running already."""

        async def whole() -> T:
            task = asyncio.current_task()
            if task is not None:
                self._running[task] = asyncio.get_running_loop()
            try:
                async with self._caller(attempts) as caller:
                    return await work(caller)
            finally:
                if task is not None:
                    del self._running[task]

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(whole())
        # in a notebook a loop runs already, and `asyncio.run` would refuse
        return _run_beside(whole)

    @asynccontextmanager
    async def _caller(self, attempts: int) -> AsyncIterator[Caller]:
        headers = {"Authorization": self._authorization} if self._authorization else {}
        most = self.settings.concurrency
        async with httpx2.AsyncClient(
            base_url=self.address.base,
            headers=headers,
            timeout=self.settings.timeout_s,
            limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
            verify=_tls(),
            trust_env=not self.address.is_local,
        ) as http:
            yield Caller(
                where=self.address.base,
                secret=key_in(self._authorization),
                settings=self.settings,
                http=http,
                pace=self.pace,
                gate=self._gate,
                purse=self.purse,
                waiting=self._waiting,
                served=self._served,
                attempts=attempts,
            )


@cache
def _tls() -> SSLContext:
    """Once, and not for every piece of work or server: it reads all certificates."""
    return httpx2.create_ssl_context()


async def each(questions: Sequence[Q], answer: Callable[[Q], Coroutine[Any, Any, A]]) -> list[A]:
    """The answers in order; the first error ends all that are still on their way."""
    tasks = [asyncio.ensure_future(answer(question)) for question in questions]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            # what is still on its way would spend the budget for nothing
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _run_beside(whole: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs in a thread of its own; what ends the wait (Ctrl-C) also ends the work."""
    outer = asyncio.current_task()
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = Future()

    async def main() -> T:
        begun.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        return await whole()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(lambda: asyncio.run(main()))
        try:
            while not wait([done], timeout=_LOOK).done:
                # under asyncio.run the first Ctrl-C only cancels the task that waits here
                if outer is not None and outer.cancelling():
                    raise asyncio.CancelledError
            return done.result()
        except BaseException:
            if not done.done():
                loop, task = begun.result()
                if task is not None:
                    loop.call_soon_threadsafe(task.cancel)
            raise
