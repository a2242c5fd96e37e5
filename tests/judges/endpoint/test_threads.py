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
from normscope.judges.engines.endpoint.client import Gate, Waiting

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
        assert all("max_requests = 11 is spent" in text for text in told)
        # counted before they are sent, and what was on its way when it was spent is called off
        assert len(server.asked) <= 11


def test_the_gate_keeps_the_order_pauses_and_survives_those_who_give_up() -> None:
    now, inside, most, order = 0.0, 0, 0, []

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        await asyncio.sleep(0)

    async def call(gate: Gate, name: int) -> None:
        nonlocal inside, most
        async with gate:
            inside += 1
            most = max(most, inside)
            order.append(name)
            await asyncio.sleep(0)
            inside -= 1

    async def all_of_them() -> None:
        gate = Gate(2, Waiting(sleep=sleep, clock=lambda: now))
        gate.pause(5.0)
        calls = [asyncio.ensure_future(call(gate, n)) for n in range(10)]
        await asyncio.sleep(0)
        for given_up in (3, 7):
            calls[given_up].cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(all_of_them())
    assert sorted(order[:2]) == [0, 1]
    assert order[2:] == [2, 4, 5, 6, 8, 9]
    assert (most, now >= 5.0) == (2, True)
