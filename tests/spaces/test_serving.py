"""The server before the Space's page: forged addresses, half-open connections, floods."""

import http.client
import io
import json
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest
from served_space import Served, served_space

pytest.importorskip("uvicorn", reason="needs gradio: pip install 'normscope[space]'")

from normscope.errors import UsageError
from normscope.messages import translate
from normscope.spaces.normscope import limits, serving

APP = Path(__file__).parents[1] / "shared" / "gated_app.py"
SMALL = {
    "UPLOADS": 5,
    "HEADER_S": 2.0,
    "BODY_S": 1.5,
    "CONNECTIONS_PER_USER": 20,
    "CONNECTIONS": 60,
    "LOG_CHARACTERS": 5_000,
    "MAX_FILE_BYTES": 1_000,
    "UPLOADED_BYTES": 4_000,
}


@contextmanager
def gated(folder: Path, **environment: str) -> Iterator[Served]:
    told = {"NORMSCOPE_TEST_LIMITS": json.dumps(SMALL), **environment}
    with served_space(folder, APP, **told) as space:
        yield space


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Without a proxy before it."""
    with gated(tmp_path_factory.mktemp("direct")) as space:
        yield space


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Behind one proxy, which adds whom it got a request from."""
    with gated(tmp_path_factory.mktemp("proxied"), NORMSCOPE_PROXIES="1") as space:
        yield space


def ask(
    space: Served,
    path: str = "/",
    *,
    body: bytes | None = None,
    source: str = "127.0.0.1",
    headers: dict[str, str] | None = None,
) -> tuple[int, Any]:
    place = urlparse(space[0])
    connection = http.client.HTTPConnection(
        str(place.hostname), place.port, timeout=10, source_address=(source, 0)
    )
    connection.request("GET" if body is None else "POST", path, body, headers or {})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, json.loads(text) if answer.status == 200 else text


def opened(space: Served, start: bytes, source: str = "127.0.0.1") -> socket.socket:
    place = urlparse(space[0])
    made = socket.create_connection((place.hostname, place.port), 10, source_address=(source, 0))
    made.sendall(start)
    return made


def closed(connection: socket.socket, seconds: float) -> bool:
    """Whether the server closes the connection within so many seconds, whatever it sends before."""
    connection.settimeout(seconds)
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def test_thirty_forged_addresses_are_one_user(direct: Served) -> None:
    forged = [{"X-Forwarded-For": f"9.9.9.{n}", "Forwarded": f"for=9.9.9.{n}"} for n in range(30)]
    told = [ask(direct, "/upload", body=b"x", headers=one, source="127.0.0.5") for one in forged]
    assert Counter(status for status, _ in told) == {200: 5, 429: 25}
    assert {found["client"] for status, found in told if status == 200} == {"127.0.0.5"}
    # another one is served meanwhile
    assert ask(direct, "/upload", body=b"x", source="127.0.0.6")[0] == 200


def test_behind_a_proxy_its_own_entry_counts(proxied: Served) -> None:
    def upload(first: str, own: str) -> int:
        headers = {"X-Forwarded-For": f"{first}, {own}"}
        return ask(proxied, "/upload", body=b"x", headers=headers)[0]

    assert Counter(upload(f"9.9.9.{n}", "203.0.113.7") for n in range(30)) == {200: 5, 429: 25}
    assert upload("203.0.113.7", "203.0.113.8") == 200
    assert ask(proxied, headers={"X-Forwarded-For": "203.0.113.9"})[1]["client"] == "203.0.113.9"


def scope(peer: str, *said: str) -> dict[str, Any]:
    return {"client": (peer, 1), "headers": [(b"x-forwarded-for", one.encode()) for one in said]}


@pytest.mark.parametrize(
    ("proxies", "said", "client"),
    [
        (0, ("1.1.1.1",), "10.0.0.1"),
        (1, (), "10.0.0.1"),
        (1, ("1.1.1.1, 2.2.2.2",), "2.2.2.2"),
        # a second header of the same name goes on where the first ends
        (1, ("1.1.1.1", "2.2.2.2"), "2.2.2.2"),
        (2, ("1.1.1.1, 2.2.2.2, 3.3.3.3",), "2.2.2.2"),
        (2, ("3.3.3.3",), "10.0.0.1"),
        (1, ("unknown",), "10.0.0.1"),
        (1, ("2001:db8:1:2:3:4:5:6",), "2001:db8:1:2::/64"),
        (1, ("::ffff:2.2.2.2",), "2.2.2.2"),
    ],
)
def test_the_entry_of_the_outermost_proxy_of_ours_is_the_client(
    proxies: int, said: tuple[str, ...], client: str
) -> None:
    assert serving.client_of(scope("10.0.0.1", *said), proxies) == client


def test_the_number_of_proxies_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMSCOPE_PROXIES", raising=False)
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert serving.trusted_proxies() == 0
    monkeypatch.setenv("SPACE_ID", "someone/normscope")
    assert serving.trusted_proxies() == 1
    monkeypatch.setenv("NORMSCOPE_PROXIES", "2")
    assert serving.trusted_proxies() == 2
    monkeypatch.setenv("NORMSCOPE_PROXIES", "all")
    with pytest.raises(UsageError, match="NORMSCOPE_PROXIES is 'all'"):
        serving.trusted_proxies()


def test_half_open_connections_keep_nobody_out_and_are_closed(direct: Served) -> None:
    begun = time.monotonic()
    with ExitStack() as stack:
        held = [
            stack.enter_context(opened(direct, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: "))
            for _ in range(100)
        ]
        # beyond its share the peer is turned away at once
        assert sum(closed(one, 0.01) for one in held) >= 80
        assert ask(direct, source="127.0.0.2")[0] == 200
        slow = stack.enter_context(opened(direct, b"GET / HT", source="127.0.0.3"))
        while not closed(slow, 0.2) and time.monotonic() - begun < 10:
            try:
                slow.sendall(b"x")
            except OSError:
                break
        assert all(closed(one, 5) for one in held)
    assert time.monotonic() - begun < 10
    assert ask(direct)[0] == 200


def test_a_second_request_on_a_connection_has_to_come_in_time_too(direct: Served) -> None:
    whole = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with opened(direct, whole) as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        connection.sendall(whole[:10])
        # two seconds for a header; five between requests, if its start came before the answer's end
        assert closed(connection, 8)


def test_a_body_that_trickles_is_given_up(direct: Served) -> None:
    start = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\nx"
    with opened(direct, start) as connection:
        connection.settimeout(6)
        assert connection.recv(4096).startswith(b"HTTP/1.1 408")


def test_a_body_says_how_long_it_is_and_is_not_too_long(direct: Served) -> None:
    chunked = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with opened(direct, chunked) as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 411")
    assert ask(direct, "/x", body=b"x" * 1_000)[1]["size"] == 1_000
    assert ask(direct, "/x", body=b"x" * 1_001)[0] == 413


def test_a_name_that_leads_here_from_elsewhere_reads_nothing(direct: Served) -> None:
    # a page of that name, in a browser of this machine, would be of the same origin
    status, text = ask(direct, headers={"Host": "evil.example"})
    assert status == 421
    assert "call it localhost" in text
    assert ask(direct, headers={"Host": "localhost:7860"})[0] == 200


def test_a_proxy_may_call_the_space_by_any_name(proxied: Served) -> None:
    headers = {"Host": "space.example", "X-Forwarded-For": "1.2.3.4"}
    assert ask(proxied, headers=headers)[0] == 200


def test_bytes_of_uploads_are_counted_as_well_as_their_number(direct: Served) -> None:
    told = [ask(direct, "/upload", body=b"x" * 1_500, source="127.0.0.9")[0] for _ in range(3)]
    assert told == [200, 200, 429]


def test_a_flood_of_lines_in_the_log_is_cut_off(direct: Served) -> None:
    log = direct[1] / "log.txt"
    assert ask(direct, "/shout")[0] == 200
    for _ in range(300):
        with opened(direct, b"\x16\x03\x01 no request\r\n\r\n") as connection:
            connection.settimeout(5)
            connection.recv(100)
    for _ in range(20):
        assert ask(direct, "/fail")[0] == 500
    assert ask(direct)[0] == 200
    # two streams, one after the other
    assert log.stat().st_size <= 2 * SMALL["LOG_CHARACTERS"] + 1_000


def test_what_was_left_out_of_the_log_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    out, now = io.StringIO(), [0.0]
    monkeypatch.setattr("normscope.spaces.normscope.serving.time.monotonic", lambda: now[0])
    stream = serving.Sparing(out)
    stream.write("a" * limits.LOG_CHARACTERS)
    stream.write("b" * 1_234)
    now[0] = limits.LOG_S + 1
    stream.write("c\n")
    assert out.getvalue().endswith("a… 1,234 characters were left out here\nc\n")
    assert "b" not in out.getvalue()


def test_a_port_that_is_taken_is_told_with_its_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port}.*choose another with --port"):
            serving.run(None, port=port)  # type: ignore[arg-type]
    assert sys.stderr is not None
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("accepted", ["zh-HK,zh;q=0.9", "fr", ""])
def test_a_refusal_is_in_the_visitors_language(direct: Served, accepted: str) -> None:
    headers = {"Accept-Language": accepted}
    status, text = ask(direct, body=b"x" * 2_000, source="127.0.0.9", headers=headers)
    language = "zh" if accepted.startswith("zh") else "en"
    assert (status, text) == (413, translate("The request is too large.", language))
    assert text.isascii() == (language == "en")
