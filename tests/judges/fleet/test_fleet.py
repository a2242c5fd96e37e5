"""Several servers of one model as one engine: what comes out, and what each of them is asked."""

from collections import Counter
from collections.abc import Callable
from time import sleep
from typing import Any

import pytest
import scripted_server as s
from fleets import ask, units, worked_off

from normscope.errors import ModelError, UsageError
from normscope.judges.engine import TextRequest
from normscope.judges.engines import load
from normscope.judges.engines.endpoint import EndpointEngine
from normscope.judges.engines.fleet import FleetEngine
from normscope.records.model_spec import ModelSpec

Fleet = Callable[..., FleetEngine]
SCRIPT = s.Script(
    top=lambda prompt: {"0": -0.01 * len(prompt), "1": -5.0},
    text=lambda body: str(body["seed"]),
)


def questions(*servers: s.Server) -> Counter[str]:
    """How often each prompt was asked, of any of the servers."""
    bodies = [body for server in servers for body in server.bodies]
    return Counter(body["messages"][0]["content"] for body in bodies)


def test_several_addresses_are_loaded_as_a_fleet_that_is_called_as_one_server_is() -> None:
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        for addresses in (
            f"{a.address},{b.address}",
            f"{a.address.partition('#')[0]}, {b.address}",
        ):
            engine = load(ModelSpec(addresses))
            assert isinstance(engine, FleetEngine)
            single = load(ModelSpec(a.address))
            assert isinstance(single, EndpointEngine)
            assert engine.name == single.name == "tiny"
            assert engine.identity == single.identity
            assert engine.lanes == 4


@pytest.mark.parametrize(
    ("addresses", "message"),
    [
        ("http://a/v1#m,http://a/v1/", "http://a/v1 is named twice"),
        ("http://127.0.0.1:9/v1#m,http://me:hunter2@b/v1", "http://…@b/v1#m carries a user name"),
        ("http://me:hunter2@b/v1#m,http://me:hunter2@b/v1", "http://…@b/v1#m carries a user name"),
    ],
)
def test_addresses_that_cannot_be_meant_are_refused(addresses: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        load(ModelSpec(addresses))
    assert "hunter2" not in str(refused.value)


def test_the_results_are_those_of_a_single_server_and_every_prompt_is_asked_once(
    fleet_of: Fleet,
) -> None:
    work = units(12)
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b, s.serve(SCRIPT) as c:
        engine = fleet_of(a, b, c)
        single = load(ModelSpec(a.address))
        expected = [single.labels(unit) for unit in work]
        a.asked.clear()
        assert worked_off(engine, work) == expected
        assert set(questions(a, b, c).values()) == {1}
        assert len(questions(a, b, c)) == 72
        assert all(server.bodies for server in (a, b, c))
        assert sum(engine.shares().values()) == 72
        assert engine.served() == ("tiny-2026 (fp_1)",)
        written = [TextRequest((("user", text),), 9, 1.0, seed=3) for text in ("one", "two")]
        assert engine.texts(written) == single.texts(written)
        assert engine.labels([]) == []


def test_what_is_asked_at_once_stays_on_one_server_and_so_does_what_begins_like_it(
    fleet_of: Fleet,
) -> None:
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        engine = fleet_of(a, b)
        for unit in units(9):
            engine.labels(unit)
        begun = [{text.partition("\n")[0] for text in questions(server)} for server in (a, b)]
        assert not begun[0] & begun[1]
        assert begun[0] | begun[1] == {"Rule 0.", "Rule 1.", "Rule 2."}


def test_a_slow_server_is_given_less(fleet_of: Fleet) -> None:
    def slowly(prompt: str) -> s.Top:
        sleep(0.02)
        return SCRIPT.top(prompt)

    with s.serve(SCRIPT) as fast, s.serve(s.Script(top=slowly)) as slow:
        engine = fleet_of(fast, slow)
        worked_off(engine, units(24))
        shares = engine.shares()
        assert sum(shares.values()) == 144
        quick, late = (shares[server.address.partition("#")[0]] for server in (fast, slow))
        assert quick > late > 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"context": 512}, "context is 4096 at the first and 512 at the other"),
        ({"top": 5}, "top_logprobs is 20 at the first and 5 at the other"),
        ({"apis": ["completions"]}, "api is 'chat' at the first and 'completions' at the other"),
        ({"models": ["small"]}, "has no model 'tiny'"),
    ],
)
def test_servers_of_another_model_are_refused_by_name(
    settings: Any, message: str, fleet_of: Fleet
) -> None:
    with (
        s.serve(SCRIPT, context=4096) as a,
        s.serve(SCRIPT, **{"context": 4096, **settings}) as b,
    ):
        with pytest.raises(ModelError, match=message) as refused:
            fleet_of(a, b.address.replace("#small", "#tiny"))
        assert f":{b.port}/v1" in str(refused.value)


def test_the_budget_is_of_the_fleet_as_a_whole(fleet_of: Fleet) -> None:
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        engine = fleet_of(a, b, max_requests=30)  # the greetings are four of them
        with pytest.raises(ModelError, match="max_requests = 30 is spent"):
            worked_off(engine, units(6))
        assert len(a.asked) + len(b.asked) <= 30
        # no server's fault: none is dropped, and none is asked in place of another
        assert len(questions(a, b)) == sum(questions(a, b).values())


def test_one_key_opens_every_server_and_is_shown_nowhere(
    fleet_of: Fleet, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "sk-3141592653589793"
    monkeypatch.setenv("NORMSCOPE_API_KEY", key)
    with s.serve(SCRIPT, key=key) as a, s.serve(SCRIPT, key=key) as b:
        engine = fleet_of(a, b)
        worked_off(engine, units(4))
        sent = {asked.authorization for server in (a, b) for asked in server.asked}
        assert sent == {f"Bearer {key}"}
        for server in (a, b):
            server.trouble = s.whenever("question", s.status(401, f"not with {key}"))
        with pytest.raises(ModelError, match=r"does not let us in \(401: not with …\)") as failed:
            engine.labels([ask("a question")])
        assert key not in f"{failed.value}{capsys.readouterr().err}{engine.identity}"
