"""A server that fails in every way: what is asked again, what is a reason, what is an error."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
import scripted_server as s
from scripted_server import ask

from normscope.errors import ModelError
from normscope.judges.engine import TextRequest
from normscope.judges.judge import LoadedJudge
from normscope.judges.rubric import Questions
from normscope.judges.rubric_files import rubric
from normscope.judges.scale import Scale
from normscope.reasons import Reason
from normscope.records.item import Item, Turn
from normscope.records.response import Response

RATING = Scale(labels=tuple("12345"), values=(1.0, 2.0, 3.0, 4.0, 5.0))


TRANSIENT = {
    "429": s.status(429),
    "429 with Retry-After": s.status(429, Retry_After="7"),
    "500": s.status(500),
    "502 that is no JSON": s.plain(502, b"<html>bad gateway</html>"),
    "503": s.status(503),
    "529": s.status(529),
    "408": s.status(408),
    "409": s.status(409),
    "closed connection": s.close,
    "half a body": s.half,
    "JSON cut short": s.plain(200, b'{"choices": [{"message"'),
    "JSON of another shape": s.plain(200, b'{"error": "overloaded"}'),
    "a log-probability that is none": s.plain(
        200, b'{"choices":[{"message":{},"logprobs":{"content":[{"token":"1","logprob":7}]}}]}'
    ),
    "no answer": s.hang,
    "slow drip": s.drip,
}


@pytest.mark.parametrize("api", ["chat", "completions"])
@pytest.mark.parametrize("trouble", TRANSIENT)
def test_what_may_pass_is_asked_again(api: str, trouble: str, engine_for: Any, time: Any) -> None:
    slow = trouble in {"no answer", "slow drip"}
    with s.serve(s.Script()) as server:
        engine = engine_for(server, api=api, timeout_s=0.15 if slow else 20)
        greeted = len(server.asked)
        server.trouble = s.first(2, TRANSIENT[trouble], after=greeted)
        (result,) = engine.labels([ask()])
        assert result.reason is None
        assert result.logprobs == pytest.approx((-2.5, -0.1))
        assert len(server.asked) - greeted == 3
        # two waits: up to 0.5 s and up to 1 s, at least half of that; or what Retry-After says
        low, high = (14, 14) if trouble == "429 with Retry-After" else (0.75, 1.5)
        assert low <= time.now <= high


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_holds_every_call(form: str, engine_for: Any, time: Any) -> None:
    until = datetime.now(UTC) + timedelta(seconds=50)
    header = "50" if form == "seconds" else format_datetime(until, usegmt=True)
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.first(1, s.status(429, Retry_After=header))
        engine.labels([ask(), ask("another")])
        assert time.now == pytest.approx(50, abs=2)


def test_a_server_that_wants_an_hour_is_left_alone(engine_for: Any, time: Any) -> None:
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.first(9, s.status(429, Retry_After="3600"))
        with pytest.raises(ModelError, match="left alone for 3600 s; finished units are in the"):
            engine.labels([ask()])
        assert len(server.asked) == 3
        assert time.now == 0


@pytest.mark.parametrize("status", [400, 403, 418, 422, 501])
def test_a_request_that_is_refused_is_not_repeated(status: int, engine_for: Any) -> None:
    """403 too: once the server has let us in, it is its moderation that keeps a prompt out."""
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.whenever("poison", s.status(status))
        bad, good = engine.labels([ask("poison"), ask()])
        assert (bad.logprobs, bad.reason) == (None, Reason.CALL_FAILED)
        assert good.reason is None
        assert len(server.bodies) == 2


def test_a_request_that_fails_for_good_is_its_own_reason(engine_for: Any) -> None:
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.whenever("poison", s.status(500))
        bad, good = engine.labels([ask("poison"), ask()])
        assert (bad.logprobs, bad.reason) == (None, Reason.CALL_FAILED)
        assert good.reason is None
        # six attempts, the server shown to be well, six more
        assert sum("poison" in str(body) for body in server.bodies) == 12
        texts = [TextRequest((("user", text),), 9, 0.0, 0) for text in ("poison", "x")]
        assert [t.reason for t in engine.texts(texts)] == [Reason.CALL_FAILED, None]


@pytest.mark.parametrize("requests", [1, 3])
def test_a_server_that_is_not_well_is_an_error_and_no_unit_of_reasons(
    requests: int, engine_for: Any
) -> None:
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = lambda _call, _body: s.status(500, "out of memory")
        with pytest.raises(
            ModelError, match=r"asked something harmless \(out of memory.*same comm"
        ):
            engine.labels([ask()] * requests)


def test_an_outage_that_passes_leaves_nothing_unanswered(engine_for: Any) -> None:
    """Sixteen requests, each of them out of attempts before the server is well again."""
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        greeted = len(server.asked)
        # all but four of the first round's attempts
        server.trouble = s.first(16 * 6 - 4, s.status(502), after=greeted)
        results = engine.labels([ask(f"question {n}") for n in range(16)])
        assert [result.reason for result in results] == [None] * 16
        texts = [TextRequest((("user", f"question {n}"),), 9, 0.0, 0) for n in range(16)]
        server.trouble = s.first(16 * 6 - 4, s.status(502), after=len(server.asked))
        assert [result.reason for result in engine.texts(texts)] == [None] * 16


@pytest.mark.parametrize("path", ["models", "chat/completions"])
@pytest.mark.parametrize("trouble", ["429", "502 that is no JSON", "503", "closed connection"])
def test_an_outage_at_the_beginning_does_not_change_how_the_server_is_asked(
    path: str, trouble: str, engine_for: Any
) -> None:
    with s.serve(s.Script(), context=512) as server:
        server.trouble = lambda *_: TRANSIENT[trouble] if server.asked[-1].path == path else None
        with pytest.raises(ModelError, match=r"cannot be reached \(.*the same command to go on"):
            engine_for(server)
        server.trouble = lambda *_: None
        identity = engine_for(server).identity
        assert (identity["api"], identity["context"]) == ("chat", 512)
        assert identity["thinking"] == "asked to be off"


def test_an_outage_in_the_middle_of_a_unit_stops_it(engine_for: Any) -> None:
    """Some are answered before the server fails: the others are not the worse for it."""
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        greeted = len(server.asked)
        server.trouble = lambda call, _body: s.status(502) if call > greeted + 3 else None
        with pytest.raises(ModelError, match="asked something harmless"):
            engine.labels([ask(f"question {n}") for n in range(16)])


def test_requests_that_are_all_refused_are_the_prompts_doing_if_a_harmless_one_is_not(
    engine_for: Any,
) -> None:
    """So that two prompts that a server's moderation refuses can be asked again without end."""
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.whenever("question", s.status(400, "content filter"))
        assert [r.reason for r in engine.labels([ask(), ask()])] == [Reason.CALL_FAILED] * 2
        # a harmless one was asked beside, and a refusal is not repeated
        assert len(server.bodies) == 2


def test_a_setting_that_the_server_refuses_is_an_error(engine_for: Any) -> None:
    def trouble(_call: int, body: Any) -> Any:
        return s.status(400, "max_tokens is too large") if body and body["max_tokens"] > 8 else None

    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = trouble
        with pytest.raises(ModelError, match="max_tokens is too large"):
            engine.texts([TextRequest((("user", "x"),), 9, 0.0, 0)])


def test_the_models_that_answer_are_noted_until_they_are_asked_for(engine_for: Any) -> None:
    def answer(fingerprint: str) -> Any:
        said = b'{"model": "m", "choices": [{"message": {"content": "x"}}]%s}'
        more = b', "system_fingerprint": "%s"' % fingerprint.encode() if fingerprint else b""
        return s.plain(200, said % more)

    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        request = TextRequest((("user", "x"),), 9, 0.0, 0)
        assert engine.served() == ("tiny-2026 (fp_1)",)
        for fingerprint in ("a", "a", "", "b"):
            server.trouble = s.whenever("x", answer(fingerprint))
            engine.texts([request])
        assert engine.served() == ("m (a)", "m", "m (b)")
        assert engine.served() == ()


def test_a_server_that_is_gone_is_an_error(engine_for: Any) -> None:
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
    with pytest.raises(ModelError, match=r"cannot be reached .* finished units are in"):
        engine.labels([ask()])


@pytest.mark.parametrize(
    ("code", "message", "told"),
    [
        (401, "bad key", r"does not let us in \(401: bad key\): set the environment variable NORM"),
        (402, "", "wants to be paid first"),
        (429, "You exceeded your quota. (insufficient_quota)", "wants to be paid first"),
        (404, "The model `tiny` does not exist.", "is gone .*does not exist"),
    ],
)
def test_what_concerns_every_call_ends_the_work(
    code: int, message: str, told: str, engine_for: Any
) -> None:
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.first(99, s.status(code, message))
        with pytest.raises(ModelError, match=told):
            engine.labels([ask()])
        assert len(server.asked) == 3


@pytest.mark.parametrize("code", [401, 403])
def test_a_server_that_lets_nobody_in_is_an_error_at_once(
    code: int, engine_for: Any, time: Any
) -> None:
    door = s.status(code, "no entry")
    with s.serve(s.Script(), trouble=lambda _call, _body: door) as server:
        told = rf"does not let us in \({code}: no entry\): set the environment variable NORMSC"
        with pytest.raises(ModelError, match=told):
            engine_for(server)
        assert time.slept == []


TOO_LONG = {
    "vLLM": (400, "This model's maximum context length is 4096 tokens. However, you requested"),
    "vLLM, newer": (400, "The decoder prompt (length 99) is longer than the maximum model length"),
    "OpenAI": (400, "Please reduce the length of the messages. (context_length_exceeded)"),
    "llama.cpp": (400, "the request exceeds the available context size, try increasing it"),
    "llama_cpp": (500, "Requested tokens (999) exceed context window of 512"),
    "TGI": (422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"),
    "a proxy": (413, "Request Entity Too Large"),
}


@pytest.mark.parametrize("server_name", TOO_LONG)
def test_a_prompt_beyond_the_context_is_its_requests_reason(
    server_name: str, engine_for: Any
) -> None:
    with s.serve(s.Script()) as server:
        engine = engine_for(server)
        server.trouble = s.whenever("novel", s.status(*TOO_LONG[server_name]))
        (alone,) = engine.labels([ask("a novel")])
        assert (alone.logprobs, alone.reason) == (None, Reason.TEXT_TOO_LONG)
        (text,) = engine.texts([TextRequest((("user", "a novel"),), 9, 0.0, 0)])
        assert (text.text, text.reason) == (None, Reason.TEXT_TOO_LONG)
        assert len(server.bodies) == 2


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_a_server_that_ignores_logprobs_is_an_error_for_labels_only(
    api: str, engine_for: Any
) -> None:
    with s.serve(s.Script(), tells_logprobs=False) as server:
        engine = engine_for(server, api=api)
        assert engine.texts([TextRequest((("user", "x"),), 9, 0.0, 0)])[0].text == "a reply"
        with pytest.raises(ModelError, match=r"without log-probabilities .* use a server that"):
            engine.labels([ask()])
        assert engine.identity["top_logprobs"] is None


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_a_server_that_ignores_logprobs_judges_in_text(api: str, engine_for: Any) -> None:
    item = Item("b", "1", (Turn("user", "May I?"),), "en", category="general")
    questions = Questions.of(rubric("cfsafety"), ["rating"])
    with s.serve(s.Script(text=lambda _: "Rating: 4"), tells_logprobs=False) as server:
        engine = engine_for(server, api=api)
        judge = LoadedJudge(engine, {"b": questions}, 0.5, channels=("text",))
        ((rating,),) = judge.judge([(item, Response.to(item, "No."))])
        assert (rating.value, rating.reply, rating.coverage) == (4.0, "Rating: 4", None)
        with pytest.raises(ModelError, match="judge judge_channels=text"):
            LoadedJudge(engine, {"b": questions}, 0.5).judge([(item, Response.to(item, "No."))])


def test_llama_cpp_without_all_logits_is_told_apart_from_a_crash(
    engine_for: Any, time: Any
) -> None:
    told = "logprobs is not supported for models created with logits_all=False"

    def trouble(call: int, body: Any) -> Any:
        return s.status(500, told) if body and body.get("logprobs") else None

    with s.serve(s.Script(), trouble=trouble) as server:
        engine = engine_for(server)
        with pytest.raises(ModelError, match="--logits_all true"):
            engine.labels([ask()])
        assert time.slept == []


def test_a_reply_that_ends_at_once_says_nothing_of_the_labels(engine_for: Any) -> None:
    """llama_cpp.server tells no distribution where the end of the turn is the best token."""
    with s.serve(s.Script(top=lambda _: {})) as server:
        (result,) = engine_for(server).labels([ask()])
        assert result.logprobs == (float("-inf"), float("-inf"))
        assert (result.unseen, result.reason) == (1.0, None)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://127.0.0.1:9/v1#m", "cannot be reached .* check that the server runs"),
        ("http://127.0.0.1:9/v1", "cannot be reached"),
    ],
)
def test_a_server_that_never_was_is_an_error_at_once(
    address: str, told: str, engine_for: Any, time: Any
) -> None:
    with s.serve(s.Script()) as server, pytest.raises(ModelError, match=told):
        engine_for(server, model=address)
    assert len(time.slept) == 2
