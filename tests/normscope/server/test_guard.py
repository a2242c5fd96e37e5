"""Who may ask: a key, a name of this machine, JSON of some length; and what the log keeps."""

import asyncio
import logging
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from called_judge import CRASH, Called, called
from click.testing import CliRunner
from served_api import served_api

from normscope.cli.serve import serve as verb
from normscope.errors import UsageError
from normscope.server import limits, serving
from normscope.server.routes import Routes

KEY = "a key of some length"
BODY = {"question": "How do I keep bread?", "answer": "My secret answer.", "criteria": ["moral"]}


@pytest.fixture(scope="module")
def locked() -> Iterator[Called]:
    with called(key=KEY) as server:
        yield server


def send(server: Called, method: str = "POST", path: str = "/v1/judge", **more: Any) -> Any:
    if method == "POST" and "content" not in more:
        more = {"json": BODY, **more}
    return asyncio.run(server.send(method, path, **more))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (None, 401),
        (f"Bearer {KEY}", 200),
        (f"bearer  {KEY}", 200),
        (f"Bearer {KEY}x", 401),
        (f"Basic {KEY}", 401),
        ("Bearer", 401),
        (KEY, 401),
    ],
)
def test_without_the_key_nothing_is_judged(locked: Called, given: str | None, status: int) -> None:
    reply = send(locked, headers={} if given is None else {"Authorization": given})
    assert reply.status_code == status
    if status == 401:
        assert reply.headers["www-authenticate"] == "Bearer"
        assert KEY not in reply.text


def test_who_may_not_ask_need_not_be_read_to_the_end(locked: Called) -> None:
    assert send(locked).headers["connection"] == "close"
    assert "connection" not in send(locked, "GET", "/v1/models").headers
    assert "connection" not in send(locked, headers={"Authorization": f"Bearer {KEY}"}).headers


def test_whether_it_is_well_may_be_asked_by_anybody(locked: Called) -> None:
    assert send(locked, "GET", "/health").status_code == 200
    assert send(locked, "GET", "/v1/models").status_code == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("[::1", 421),
        ("", 421),
    ],
)
def test_a_server_of_this_machine_answers_to_its_own_names(host: str, status: int) -> None:
    with called() as server:
        assert send(server, headers={"Host": host}).status_code == status


def test_a_server_for_others_may_be_called_anything() -> None:
    with called(key=KEY, host="0.0.0.0") as server:  # noqa: S104 - nothing listens
        headers = {"Host": "judge.example", "Authorization": f"Bearer {KEY}"}
        assert send(server, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("content", "kind", "status", "code"),
    [
        (b'{"question": "x"}', "text/plain", 415, "not_json"),
        (b"", "application/x-www-form-urlencoded", 415, "not_json"),
        (b"{", "application/json", 400, "invalid_json"),
        (b"\xff", "application/json; charset=utf-8", 400, "invalid_json"),
        (b"[" * 100_000, "application/json", 400, "invalid_json"),
        (b" " * (limits.MAX_BODY_BYTES + 1), "application/json", 413, "too_large"),
    ],
)
def test_only_json_of_some_length_is_read(
    content: bytes, kind: str, status: int, code: str
) -> None:
    with called() as server:
        reply = send(server, content=content, headers={"Content-Type": kind})
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)

        async def pieces() -> Any:
            # sent in pieces, a body does not say how long it is
            for at in range(0, len(content), 1 << 20):
                yield content[at : at + (1 << 20)]

        reply = send(server, content=pieces(), headers={"Content-Type": kind})
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_S", 0.05)

    async def never() -> Any:
        yield b'{"question"'
        await asyncio.sleep(20)

    with called() as server:
        reply = send(server, content=never(), headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (408, "too_slow")


def test_another_site_gets_no_leave_to_read() -> None:
    with called() as server:
        asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        reply = send(server, "OPTIONS", headers=asked)
        assert reply.status_code == 405
        reply = send(server, headers={"Origin": "https://evil.example"})
        assert not [name for name in reply.headers if name.startswith("access-control")]


def test_every_reply_has_its_number_and_no_text_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with called() as server, caplog.at_level(logging.INFO, "normscope"):
        replies = [
            send(server),
            send(server, json={**BODY, "answer": f"My secret answer. {CRASH}"}),
            send(server, json={"question": "My secret question"}),
            send(server, path="/v1/secrets?My+secret"),
            send(server, path="/v1/x%0Aforged line"),
        ]
    assert [reply.status_code for reply in replies] == [200, 200, 400, 404, 404]
    numbers = [reply.headers["x-request-id"] for reply in replies]
    assert len(set(numbers)) == len(replies)
    assert not any(line.startswith("forged") for line in caplog.text.splitlines())
    for number in numbers:
        assert number in caplog.text
    assert "could not be judged: 1 (RuntimeError)" in caplog.text
    assert "ecret answer" not in caplog.text
    assert "ecret question" not in caplog.text
    assert "My+secret" not in caplog.text


def test_a_fault_of_ours_is_told_by_its_number_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(_: Any, __: Any) -> None:
        raise KeyError("My secret answer.")

    monkeypatch.setattr(Routes, "judge", broken)
    with called() as server:
        reply = send(server)
    assert reply.status_code == 500
    assert reply.headers["x-request-id"] in reply.json()["error"]["message"]
    assert "secret" not in reply.text
    assert "failed: KeyError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("content", "says"),
    [("", "is empty"), ("short", "has 5 characters"), ("schlüssel schlüssel", "ASCII")],
)
def test_a_key_that_is_none_is_refused(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "key"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=says) as error:
        serving.key_from(file)
    assert not content or content not in str(error.value)


def test_the_key_is_the_files_or_the_environments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(serving.KEY, f" {KEY}\n")
    assert serving.key_from(None) == KEY
    (tmp_path / "key").write_text("another key, longer\n")
    assert serving.key_from(tmp_path / "key") == "another key, longer"
    monkeypatch.delenv(serving.KEY)
    assert serving.key_from(None) is None
    with pytest.raises(UsageError, match="cannot be read as a key"):
        serving.key_from(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--api"], "--api needs a judge"),
        (
            ["--api", "--judge", "bundled", "--host", "::"],
            "--host :: lets other machines",
        ),
        (["--api", "--judge", "bundled", "--rubric", "cfsafty"], "did you mean 'cfsafety'?"),
        (["--max-waiting", "3"], "--max-waiting belongs to --api"),
        (["--key-file", "key"], "--key-file belongs to --api"),
    ],
)
def test_flags_that_do_not_go_together(
    flags: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NORMSCOPE_JUDGE", "NORMSCOPE_RUBRIC", serving.KEY):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(verb, flags)
    assert isinstance(done.exception, UsageError)
    assert says in str(done.exception)


def test_a_process_answers_what_it_accepted_before_it_ends(tmp_path: Path) -> None:
    with served_api(tmp_path, NORMSCOPE_SERVER_KEY=KEY) as server:
        headers = {"Authorization": f"Bearer {KEY}"}
        with httpx2.Client(base_url=server.address, headers=headers, timeout=20) as http:
            port = httpx2.URL(server.address).port
            with socket.create_connection(("127.0.0.1", port), timeout=10) as half:
                # whose header has no end is not waited for
                half.sendall(b"POST /v1/judge HTTP/1.1\r\nHost: localhost")
                assert half.recv(1) == b""
            first = http.post("/v1/judge", json=BODY).json()
            assert first["results"][0]["criteria"]["moral"]["favourite"] == "1"
            assert httpx2.post(f"{server.address}/v1/judge", json=BODY).status_code == 401
            with ThreadPoolExecutor(1) as other:
                slow = {**BODY, "answer": "slow"}
                waits = other.submit(http.post, "/v1/judge", json=slow)
                while http.get("/health").json()["waiting"] == 0 and "slow" not in waits.__dict__:
                    if waits.done():
                        break
                code = server.end()
                assert waits.result(20).status_code == 200
        written = server.log.read_text()
    assert code in {0, -15}
    assert f"* Judging at {server.address}/v1/judge" in written
    assert "POST /v1/judge 200" in written
    assert "secret" not in written
    assert KEY not in written
