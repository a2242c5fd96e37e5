"""What a server sends to do harm: bounded, cleaned, or an error; never a traceback."""

import gzip
import json
import zlib
from collections.abc import Callable
from typing import Any, cast

import pytest
import scripted_server as s
from scripted_server import ask

from normscope.errors import ModelError
from normscope.judges.engine import TextRequest
from normscope.judges.engines.endpoint import client
from normscope.judges.engines.endpoint.client import MOST_BYTES
from normscope.reasons import Reason

KEY = "sk-3141592653589793"
MIB = bytes(1 << 20)


def packed(encoding: str, content: bytes, status: int = 200) -> s.Trouble:
    return lambda handler: handler.send(status, content, Content_Encoding=encoding)


def endless(status: int = 200) -> s.Trouble:
    """A body that never ends, as fast as it is taken."""

    def send(handler: s.Handler) -> None:
        handler.send_raw(status, {"Content-Length": str(1 << 40)}, b"[")
        while not handler.owner.over.is_set():
            handler.wfile.write(b" " * (1 << 20))

    return send


def packed_blanks(mebibytes: int) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return b"".join(packer.compress(MIB) for _ in range(mebibytes)) + packer.flush()


def chat_top(*entries: tuple[str, str]) -> s.Trouble:
    """A reply with these top tokens, the log-probabilities as they stand in JSON."""
    top = ", ".join(f'{{"token": "{token}", "logprob": {value}}}' for token, value in entries)
    content = f'{{"content": [{{"token": "1", "logprob": -1, "top_logprobs": [{top}]}}]}}'
    return s.plain(200, f'{{"choices": [{{"message": {{}}, "logprobs": {content}}}]}}'.encode())


BOMB = packed("gzip", packed_blanks(2 * MOST_BYTES // len(MIB)))
REFUSAL = b'{"message": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001
DIGITS = b'{"usage": {"total_tokens": 1' + b"0" * 5_000 + b"}}"
DEEP = b'{"error": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
HOSTILE: dict[str, s.Trouble] = {
    "gzip that is none": packed("gzip", b"this is no gzip"),
    "half a gzip": packed("gzip", gzip.compress(MIB)[:50]),
    "deflate that is none": packed("deflate", b"\xff\xff\xff"),
    "an encoding that nobody offered": packed("zstd", b"\x28\xb5\x2f\xfd"),
    "gzip in gzip": packed("gzip, gzip", gzip.compress(gzip.compress(b"{}"))),
    "deep JSON": s.plain(200, DEEP),
    "deep JSON as an error": s.plain(500, DEEP),
    "deep JSON as a refusal": s.plain(400, REFUSAL),
    "a body without end": endless(),
    "an error without end": endless(400),
    "a gzip bomb": BOMB,
    "a bomb as an error": packed("gzip", packed_blanks(8), 400),
    "a number of 5,000 digits": s.plain(200, DIGITS),
    "half a character": s.plain(200, b'{"choices": [{"message": {"content": "\\ud800"}}]}'),
    "no UTF-8": s.plain(400, b'{"error": "\xff\xfe"}'),
    "a Retry-After that is no time": s.status(429, Retry_After="nan"),
    "false for a log-probability": chat_top(("1", "false")),
    "NaN for a log-probability": chat_top(("1", "NaN")),
    "a Retry-After after all time": s.status(
        429, Retry_After="Fri, 31 Dec 99999999999999999999 23:59:59 GMT"
    ),
    "a Retry-After without end": s.status(429, Retry_After="1e999"),
    "a Retry-After before all time": s.status(429, Retry_After="Mon, 01 Jan 0001 00:00:00 -0000"),
}


IMPOSSIBLE = {
    "one token twenty times": chat_top(*[("1", "-3")] * 20),
    "two tokens that are certain": chat_top(("1", "0"), ("0", "0")),
    "no log-probabilities": s.plain(
        200, b'{"choices": [{"message": {"content": "1"}, "logprobs": null}]}'
    ),
}
"""What ends no greeting, where another error is told or none."""


@pytest.mark.parametrize("trouble", HOSTILE | IMPOSSIBLE)
def test_a_hostile_reply_is_its_requests_reason(trouble: str, engine_for: Any) -> None:
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.whenever("poison", (HOSTILE | IMPOSSIBLE)[trouble])
        bad, good = engine.labels([ask("poison"), ask()])
        assert (bad.logprobs, bad.reason) == (None, Reason.CALL_FAILED)
        assert good.reason is None


@pytest.mark.parametrize("trouble", HOSTILE)
def test_a_server_that_greets_with_it_is_an_error(trouble: str, engine_for: Any) -> None:
    with s.serve(s.Script(), trouble=lambda *_: HOSTILE[trouble]) as server:
        with pytest.raises(ModelError, match=r"127\.0\.0\.1") as failed:
            engine_for(server)
        assert len(str(failed.value)) < 1500


@pytest.mark.parametrize("trouble", [endless(), endless(400), BOMB], ids=["reply", "error", "bomb"])
def test_no_more_than_the_bound_is_read(
    trouble: s.Trouble, engine_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []
    real = client._content

    async def watched(response: Any) -> bytes:
        class Watched:
            headers, status_code = response.headers, response.status_code

            async def aiter_bytes(self) -> Any:
                async for chunk in response.aiter_bytes():
                    kept.append(len(chunk))
                    yield chunk

        return await real(cast("Any", Watched()))

    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.whenever("poison", trouble)
        monkeypatch.setattr(client, "_content", watched)
        (bad,) = engine.labels([ask("poison")])
        assert bad.reason is Reason.CALL_FAILED
        # its last piece is of what is read at once from the line, packed a thousandfold; then comes
        # the answer to something harmless
        assert sum(kept[:-2]) <= MOST_BYTES
        assert kept[-1] < 10_000
        assert len(server.bodies) == 1, "it is not asked again"


def test_a_name_of_three_megabytes_is_cut_and_cleaned(engine_for: Any) -> None:
    long = "\x1b]0;owned\x07fp\u202e\n" + "x" * 3_000_000
    with s.serve(s.Script()) as server:
        server.trouble = changed(lambda reply: reply | {"system_fingerprint": long, "model": long})
        told = engine_for(server).identity
    for name in ("system_fingerprint", "served_model"):
        assert told[name] == ("]0;ownedfp " + "x" * 300)[:200]


def test_a_server_of_impossible_distributions_is_an_error(engine_for: Any) -> None:
    with s.serve(s.Script(top=lambda _: {"1": 0.0, "0": 0.0})) as server:
        engine = engine_for(server)
        with pytest.raises(ModelError, match="probabilities of tokens add up to 2"):
            engine.labels([ask()])


def test_an_error_obeys_no_escape_sequence(engine_for: Any) -> None:
    hostile = "\x1b[2J\x1b]8;;http://evil\x07no\u202e \x9b31m way\r\x00"
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.first(99, s.status(404, hostile))
        with pytest.raises(ModelError) as failed:
            engine.labels([ask()])
        assert str(failed.value).isprintable()
        assert "no 31m way" in str(failed.value)


def test_the_models_that_a_server_offers_are_not_all_in_the_error(engine_for: Any) -> None:
    names = [f"\x1b[31mmodel-{number}" for number in range(5_000)]
    with s.serve(s.Script(), models=names) as server:
        root = f"http://127.0.0.1:{server.port}/v1"
        for address, more in [(root, "and 4,988 more"), (f"{root}#elsewhere", "has no model")]:
            with pytest.raises(ModelError, match=more) as failed:
                engine_for(server, model=address)
            assert len(str(failed.value)) < 1500
            assert str(failed.value).isprintable()


def test_a_key_that_the_server_repeats_is_written_nowhere(
    engine_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMSCOPE_API_KEY", KEY)
    script = s.Script(top=lambda _: {"1": -0.1, KEY: -3.0}, text=lambda _: f"My key is {KEY}.")
    with s.serve(script, key=KEY) as server:
        server.trouble = changed(
            lambda reply: reply | {"system_fingerprint": f"fp-{KEY}", "model": KEY}
        )
        engine = engine_for(server)
        assert KEY not in str(engine.identity)
        assert engine.identity["system_fingerprint"] == "fp-…"
        (text,) = engine.texts([TextRequest((("user", "hello"),), 9, 0.0, 0)])
        assert text.text == "My key is …."
        (label,) = engine.labels([ask()])
        assert KEY not in str(label)


def test_a_model_that_is_listed_by_the_key_is_not_named_so(
    engine_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMSCOPE_API_KEY", KEY)
    with s.serve(s.Script(), key=KEY, models=[KEY]) as server:
        with pytest.raises(ModelError, match="model '…'") as failed:
            engine_for(server, model=f"http://127.0.0.1:{server.port}/v1")
        assert KEY not in str(failed.value)


def test_a_key_that_is_a_word_changes_no_text(
    engine_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMSCOPE_API_KEY", "EMPTY")
    with s.serve(s.Script(text=lambda _: "EMPTY words"), key="EMPTY") as server:
        (text,) = engine_for(server).texts([TextRequest((("user", "hello"),), 9, 0.0, 0)])
        assert text.text == "EMPTY words"


def test_a_token_as_long_as_a_book_is_cut(engine_for: Any) -> None:
    with s.serve(s.Script(top=lambda _: {"1": -0.1, "x" * 3_000_000: -3.0})) as server:
        (result,) = engine_for(server).labels([ask()])
        assert result.raw_top is not None
        assert [len(raw.token) for raw in result.raw_top] == [1, 256]


def changed(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Every reply to a question, changed."""

    def send(handler: s.Handler) -> None:
        asked = handler.owner.asked[-1]
        status, reply = s.answer(handler.owner, asked.path, asked.body)
        handler.send(status, json.loads(json.dumps(change(reply))))

    return lambda _call, body: None if body is None else send
