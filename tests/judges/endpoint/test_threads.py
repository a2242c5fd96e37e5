"""One server asked by several threads: what it bears and what may be spent is of all together."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import sleep
from typing import Any, TypeVar

import pytest
import scripted_server as s
from scripted_server import ask

from normscope.errors import ModelError
from normscope.judges.engines.endpoint.pace import Gate, Pace, Waiting

T = TypeVar("T")


def at_once(work: Sequence[Callable[[], T]]) -> list[T]:
    """All of it, begun in the same moment, each in a thread of its own."""
    start = threading.Barrier(len(work), timeout=10)

    def begin(do: Callable[[], T]) -> T:
        start.wait()
        return do()

    with ThreadPoolExecutor(len(work)) as pool:
        return list(pool.map(begin, work))


def test_units_at_once_come_out_as_one_after_the_other_within_the_same_number_of_calls(
    engine_for: Any,
) -> None:
    def top(prompt: str) -> s.Top:
        sleep(0.003)
        return {"0": -0.01 * len(prompt), "1": -5.0}

    units = [[ask("x" * (9 * unit + n)) for n in range(9)] for unit in range(4)]
    with s.serve(s.Script(top=top)) as server:
        engine = engine_for(server, concurrency=6)
        expected = [engine.labels(unit) for unit in units]
        before = len(server.bodies)
        assert at_once([partial(engine.labels, unit) for unit in units]) == expected
        assert len(server.bodies) - before == 36
        assert 1 < server.most_at_once <= 6
        assert engine.served() == ("tiny-2026 (fp_1)",)


def test_the_budget_is_of_all_threads_together(engine_for: Any) -> None:
    with s.serve(s.Script()) as server:
        engine = engine_for(server, max_requests=11)  # the greeting is two calls of them

        def work() -> str:
            with pytest.raises(ModelError) as spent:
                engine.labels([ask(str(n)) for n in range(10)])
            return str(spent.value)

        told = at_once([work] * 3)
        assert all("max_requests = 11 is spent (11 requests" in text for text in told)
        # counted before they are sent, and what was on its way when it was spent is called off
        assert len(server.asked) <= 11


def test_a_place_that_is_given_up_in_one_thread_is_another_threads() -> None:
    """Half of the calls of every thread are cancelled, before or while they are inside."""
    gate, lock = Gate(Pace(3), Waiting()), threading.Lock()
    inside = most = 0

    async def call() -> None:
        nonlocal inside, most
        async with gate.place():
            with lock:
                inside += 1
                most = max(most, inside)
            try:
                await asyncio.sleep(0.001)
            finally:
                with lock:
                    inside -= 1

    async def thread() -> int:
        calls = [asyncio.ensure_future(call()) for _ in range(40)]
        await asyncio.sleep(0.002)
        for given_up in calls[::2]:
            given_up.cancel()
        results = await asyncio.gather(*calls, return_exceptions=True)
        return sum(result is None for result in results)

    let_through = at_once([lambda: asyncio.run(thread())] * 4)
    assert all(many >= 20 for many in let_through)
    assert (inside, most) == (0, 3)
    # every place was given back: as many as before get in
    asyncio.run(asyncio.wait_for(thread(), 10))
