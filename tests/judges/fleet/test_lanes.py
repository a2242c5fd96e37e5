"""Units at once, as a stage has them done: what is said at the end, and how it is ended before."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from time import monotonic

import pytest
import scripted_server as s
from fleets import ask

from normscope.judges.engine import lanes_of
from normscope.judges.engines.fleet import FleetEngine
from normscope.progress import hidden
from normscope.records.journal import Journal
from normscope.records.units import Unit, in_order, in_rows, plan, work_off

Fleet = Callable[..., FleetEngine]


def work(engine: FleetEngine, rows: int) -> list[dict[str, object]]:
    """So many questions in units of three, as a stage does them."""

    def do(unit: Unit) -> list[dict[str, object]]:
        results = engine.labels([ask(f"question {row}") for row in unit.rows.tolist()])
        return [{"logprobs": result.logprobs} for result in results]

    planned = plan("stage", in_order(range(rows)), size=3)
    lanes = lanes_of(engine)
    assert lanes.number == 4
    return in_rows(work_off(Journal.open(None), planned, do, label="stage", lanes=lanes), rows)


def test_a_stage_says_at_its_end_how_many_requests_each_server_has_answered(
    fleet_of: Fleet, capsys: pytest.CaptureFixture[str]
) -> None:
    with s.serve(s.Script()) as a, s.serve(s.Script()) as b:
        engine = fleet_of(a, b)
        rows = work(engine, 30)
        assert len({str(row) for row in rows}) == 1
        shares = [f"http://127.0.0.1:{each.port}/v1 {len(each.bodies)}" for each in (a, b)]
        assert f"requests answered: {', '.join(shares)}\n" in capsys.readouterr().err
        assert len(a.bodies) + len(b.bodies) == 30
        work(engine, 3)
        said = capsys.readouterr().err
        assert re.search(r"answered: \S+ (3, \S+ 0|0, \S+ 3)\n", said)  # of this stage alone
        with hidden():
            work(engine, 3)
        assert "answered" not in capsys.readouterr().err


@pytest.fixture
def heeds_ctrl_c() -> Iterator[None]:
    """A shell starts what runs in the background with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_ends_what_all_servers_are_doing(fleet_of: Fleet) -> None:
    def interrupt(handler: s.Handler) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        s.hang(handler)

    with s.serve(s.Script()) as a, s.serve(s.Script()) as b:
        engine = fleet_of(a, b)
        a.trouble = s.first(1, interrupt, after=len(a.asked))
        b.trouble = s.first(99, s.hang, after=len(b.asked))
        begun = monotonic()
        with pytest.raises(KeyboardInterrupt):
            work(engine, 30)
        assert monotonic() - begun < 5
