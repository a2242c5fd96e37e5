"""How many calls are in flight, without a server and without time."""

import asyncio
from itertools import pairwise

import pytest

from normscope.judges.engines.endpoint.pace import Gate, Pace, Waiting


def reset_rope(pace: Pace, rounds: int) -> None:
    """So many rounds, each of as many answers as may be in flight."""
    for _ in range(rounds):
        for _ in range(pace.places):
            pace.answered(sent=pace.cuts)


def test_it_grows_by_one_a_round_up_to_the_most() -> None:
    pace = Pace(9)
    seen = [pace.places]
    for _ in range(7):
        reset_rope(pace, 1)
        seen.append(pace.places)
    # 1/4 + 1/4.25 + 1/4.49 + 1/4.71 is a little less than 1: a round may add none, never two
    assert seen[0] == 4
    assert all(after - before in {0, 1} for before, after in pairwise(seen))
    reset_rope(pace, 5)
    assert pace.places == 9


def test_a_refusal_halves_and_a_round_of_refusals_halves_once() -> None:
    pace = Pace(64)
    reset_rope(pace, 40)
    before, sent = pace.places, pace.cuts
    for _ in range(before):
        pace.refused(sent=sent)
    assert pace.places == pytest.approx(before / 2, abs=1)
    pace.refused(sent=pace.cuts)
    assert pace.places == pytest.approx(before / 4, abs=1)


def test_answers_to_calls_from_before_a_cut_do_not_undo_it() -> None:
    pace = Pace(64)
    sent = pace.cuts
    pace.refused(sent=sent)
    for _ in range(100):
        pace.answered(sent=sent)
    assert pace.places == 2


def test_there_is_always_a_place() -> None:
    pace = Pace(8)
    for _ in range(20):
        pace.refused(sent=pace.cuts)
    assert pace.places == 1


def test_the_gate_keeps_the_order_pauses_and_survives_those_who_give_up() -> None:
    now, inside, most, order = 0.0, 0, 0, []

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        await asyncio.sleep(0)

    async def call(gate: Gate, name: int) -> None:
        nonlocal inside, most
        async with gate.place():
            inside += 1
            most = max(most, inside)
            order.append(name)
            await asyncio.sleep(0)
            inside -= 1

    async def all_of_them() -> None:
        gate = Gate(Pace(2), Waiting(sleep=sleep, clock=lambda: now))
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
