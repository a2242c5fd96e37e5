"""Keys stay in the environment; what is spent stays within the budget."""

import base64
import logging
from typing import Any

import pytest
import scripted_server as s
from scripted_server import ask

from normscope.errors import ModelError, UsageError
from normscope.judges.engine import TextRequest
from normscope.judges.engines.endpoint.server import parse

KEY = "sk-3141592653589793"
QUESTION = "a question that nobody should read in a log"


def test_the_key_is_sent_and_shown_nowhere(
    engine_for: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OTHER_KEY", f" {KEY}\n")
    with s.serve(s.Script(), key=KEY) as server:
        engine = engine_for(server, api_key_env="OTHER_KEY")
        engine.labels([ask(QUESTION)])
        assert {asked.authorization for asked in server.asked} == {f"Bearer {KEY}"}
        server.trouble = s.first(99, s.status(500, f"{KEY} {ask(QUESTION).conversation}"))
        with pytest.raises(ModelError) as failed:
            engine.labels([ask(QUESTION)] * 2)
        shown = [repr(engine), str(engine.identity), engine.name, repr(failed.value), caplog.text]
        assert not any(KEY in text or "nobody should read" in text for text in shown)


def test_a_wrong_key_is_an_error_that_does_not_repeat_it(
    engine_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMSCOPE_API_KEY", "sk-wrong")
    with s.serve(s.Script(), key=KEY) as server:
        with pytest.raises(ModelError, match="variable NORMSCOPE_API_KEY") as failed:
            engine_for(server)
        assert "sk-wrong" not in str(failed.value)
        assert "Incorrect API key provided: Bearer …" in str(failed.value)
        assert len(server.asked) == 1


def test_a_user_name_and_password_go_into_the_header_only(
    engine_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    basic = "Basic " + base64.b64encode(b"me:secret").decode()
    monkeypatch.setenv("NORMSCOPE_API_KEY", basic)
    with s.serve(s.Script()) as server:
        engine_for(server)
        assert {asked.authorization for asked in server.asked} == {basic}


@pytest.mark.parametrize("key", ["sk-1\nsk-2", "schlüssel"])
def test_a_key_that_is_none_is_refused_without_being_shown(
    key: str, engine_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMSCOPE_API_KEY", key)
    with s.serve(s.Script()) as server, pytest.raises(ModelError, match="another character") as e:
        engine_for(server)
    assert key not in str(e.value)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://me:hunter2@host/v1#m", r"https://…@host/v1#m carries a user name or password"),
        ("https://hunter2@host/v1#m", r"https://…@host/v1#m carries a user name"),
        ("https://host/v1?key=hunter2#m", r"https://host/v1\?…#m carries a query"),
        ("http://me:hun#ter2@host/v1", "is no address of a server: write http"),
        ("http://", "is no address of a server"),
        ("http://host:port/v1", "is no address of a server"),
    ],
)
def test_an_address_with_a_secret_or_without_a_host_is_refused(address: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as failed:
        parse(address)
    assert "hunter2" not in str(failed.value)
    assert "ter2" not in str(failed.value)


def test_the_budget_of_requests_counts_every_call_and_says_what_is_kept(engine_for: Any) -> None:
    with s.serve(s.Script()) as server:
        engine = engine_for(server, max_requests=5)  # the greeting is two calls of them
        server.trouble = s.first(1, s.status(500))
        engine.labels([ask(), ask()])  # and this three, one of them a repetition
        told = "max_requests = 5 is spent; finished units are in the"
        with pytest.raises(ModelError, match=told):
            engine.texts([TextRequest((("user", "x"),), 9, 0.0, 0)])
        assert len(server.asked) == 5


def test_several_addresses_are_refused_with_what_to_put_in_front_of_them() -> None:
    with pytest.raises(UsageError, match="put a router in front of them"):
        parse("http://a/v1#m, http://b/v1")
