"""Servers that die, come back, hang or were never there: nothing is lost and nothing is doubled."""

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
import scripted_server as s
from fleets import Clock, ask, units, worked_off

from normscope.errors import ModelError
from normscope.judges.engines import load
from normscope.judges.engines.fleet import FleetEngine
from normscope.judges.engines.fleet.roster import FIRST_PAUSE
from normscope.records.model_spec import ModelSpec

Fleet = Callable[..., FleetEngine]
SCRIPT = s.Script(top=lambda prompt: {"0": -0.01 * len(prompt), "1": -5.0})
DEATHS = {
    "hangs up": s.close,
    "fails": s.status(500),
    "says nothing": s.hang,
    "wants another key": s.status(401),
    "is gone": s.status(404),
    "wants to be paid": s.status(402),
    "wants an hour": s.status(429, Retry_After="3600"),
}


def after(answered: int, trouble: s.Trouble) -> Callable[[int, Any], s.Trouble | None]:
    return lambda call, _: trouble if call >= answered else None


@pytest.mark.parametrize("death", DEATHS)
def test_the_units_of_a_server_that_dies_are_done_whole_by_another(
    death: str, fleet_of: Fleet, capsys: pytest.CaptureFixture[str]
) -> None:
    work = units(10)
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        expected = [load(ModelSpec(a.address)).labels(unit) for unit in work]
        before = len(a.bodies)
        engine = fleet_of(a, b, timeout_s=1 if death == "says nothing" else 20)
        b.trouble = after(len(b.asked) + 9, DEATHS[death])
        assert worked_off(engine, work) == expected
        # every unit that b did not do whole is a's, every prompt of it
        shares = engine.shares()
        assert sum(shares.values()) == 60
        assert len(a.bodies) - before == shares[a.address.partition("#")[0]]
        assert shares[b.address.partition("#")[0]] in {0, 6}
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1
        assert f":{b.port}/v1" in lines[0]
        assert lines[0].endswith("its work goes to the others, and it is tried again in 5 s")


def test_a_server_that_comes_back_is_used_again_after_a_pause(
    fleet_of: Fleet, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        engine = fleet_of(a, b)
        b.trouble = after(0, s.close)
        worked_off(engine, units(6))
        b.trouble = after(0, s.close)
        met = len(b.asked)
        clock.now += FIRST_PAUSE - 1
        engine.labels(units(1)[0])
        assert len(b.asked) == met  # left alone until the pause is over
        clock.now += 1
        engine.labels(units(1)[0])
        settle()
        assert len(b.asked) > met  # greeted, and still away
        met = len(b.asked)
        b.trouble = after(10**9, s.close)
        clock.now += FIRST_PAUSE
        engine.labels(units(1)[0])
        settle()
        assert len(b.asked) == met  # the pause has doubled
        clock.now += FIRST_PAUSE
        engine.labels(units(1)[0])
        settle()
        assert f"{b.address.partition('#')[0]} is back" in capsys.readouterr().err
        worked_off(engine, units(6))
        assert engine.shares()[b.address.partition("#")[0]] > 0


def settle() -> None:
    """Waits for the greetings that go on beside the work."""
    for thread in threading.enumerate():
        if "_greet_again" in thread.name:
            thread.join(10)


def test_a_server_that_comes_back_with_another_model_stays_out(
    fleet_of: Fleet, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with s.serve(SCRIPT, context=4096) as a, s.serve(SCRIPT, context=4096) as b:
        engine = fleet_of(a, b)
        b.trouble = after(0, s.close)
        worked_off(engine, units(4))
        b.trouble, b.context = after(10**9, s.close), 512
        for _ in range(3):
            clock.now += 1000
            engine.labels(units(1)[0])
            settle()
        assert engine.shares()[b.address.partition("#")[0]] == 0
        (line,) = [text for text in capsys.readouterr().err.splitlines() if "stays out" in text]
        assert "context is 4096 at the first and 512 at the other" in line


def test_a_server_that_is_not_there_at_the_start_may_come_later(
    fleet_of: Fleet, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        b.trouble = after(0, s.status(503))
        engine = fleet_of(a, b)
        (line,) = capsys.readouterr().err.splitlines()
        assert re.search(rf":{b.port}/v1 does not answer .*; the others do its work$", line)
        b.trouble = after(10**9, s.close)
        worked_off(engine, units(6))
        assert engine.shares()[b.address.partition("#")[0]] == 0
        clock.now += FIRST_PAUSE
        engine.labels(units(1)[0])
        settle()
        worked_off(engine, units(6))
        assert engine.shares()[b.address.partition("#")[0]] > 0


def test_a_server_that_says_nothing_at_the_start_holds_the_others_up_for_one_call(
    fleet_of: Fleet, capsys: pytest.CaptureFixture[str]
) -> None:
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        b.trouble = after(0, s.hang)
        engine = fleet_of(a, b, timeout_s=0.4)
        assert len(b.asked) == 1
        assert f":{b.port}/v1 cannot be reached (no answer within 0.4 s)" in capsys.readouterr().err
        worked_off(engine, units(2))


def test_a_fleet_of_which_no_server_answers_says_what_each_said(fleet_of: Fleet) -> None:
    nowhere = ("http://127.0.0.1:9/v1#tiny", "http://127.0.0.1:8/v1#tiny")
    with pytest.raises(ModelError, match="none of the servers answers") as failed:
        fleet_of(*nowhere)
    assert all(
        f"{address.partition('#')[0]} cannot be reached" in str(failed.value) for address in nowhere
    )
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        engine = fleet_of(a, b)
        a.trouble, b.trouble = after(0, s.close), after(0, s.status(402, "no credit"))
        with pytest.raises(ModelError, match="none of the servers answers") as failed:
            worked_off(engine, units(4))
        assert f":{a.port}/v1" in str(failed.value)
        assert "wants to be paid first (no credit)" in str(failed.value)
        # one that is well again when the last one dies is found though its pause is not over
        a.trouble = after(10**9, s.close)
        assert len(engine.labels(units(1)[0])) == 6


def test_a_unit_that_no_server_bears_ends_the_work(fleet_of: Fleet) -> None:
    """All are well again as soon as they are greeted: it must not go round for ever."""
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        engine = fleet_of(a, b)
        for server in (a, b):
            server.trouble = s.whenever("poison", s.status(402))
        with pytest.raises(ModelError, match="wants to be paid first"):
            engine.labels([ask("poison")])
        assert len(a.bodies) + len(b.bodies) == 3
        assert len(engine.labels(units(1)[0])) == 6
