"""Outputs of batches: the answers by their ids, by the batch's requests, and what went wrong."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from normscope.pipeline.importing.formats import reader
from normscope.pipeline.importing.formats.batch_calls import SEPARATORS, separator_of
from normscope.pipeline.importing.formats.content import FILTERED
from normscope.pipeline.importing.raw import RawAnswers

from normscope.errors import DataError

Line = Mapping[str, Any]


def written(path: Path, lines: Sequence[Line]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def ok(custom_id: str, **body: Any) -> Line:
    response = {"status_code": 200, "request_id": "r", "body": {"model": "m-1", **body}}
    return {"id": "batch_req_1", "custom_id": custom_id, "response": response, "error": None}


def chat(custom_id: str, *texts: str | None, **message: Any) -> Line:
    choices = [
        {"index": at, "message": {"role": "assistant", "content": text, **message}}
        for at, text in enumerate(texts)
    ]
    return ok(custom_id, object="chat.completion", choices=choices)


def read(tmp_path: Path, *lines: Line, name: str = "openai-batch", **more: Any) -> RawAnswers:
    path = written(tmp_path / "output.jsonl", lines)
    assert reader(name).is_format(lines[0], path)
    return reader(name).read(path, **more)


def column(raw: RawAnswers, role: Any) -> list[Any]:
    values: list[Any] = raw.table[raw.roles[role]].to_pylist()
    return values


def test_a_chat_answer_a_refusal_a_response_and_a_completion_are_texts(tmp_path: Path) -> None:
    reasoning = {"type": "reasoning", "content": None}
    parts = [{"type": "output_text", "text": "somewhat "}, {"type": "output_text", "text": "ok"}]
    said = {"type": "message", "role": "assistant", "content": parts}
    refused = {"type": "message", "content": [{"type": "refusal", "refusal": "Not that."}]}
    raw = read(
        tmp_path,
        chat("a", "neutral"),
        chat("b", None, refusal="I cannot say."),
        ok("c", object="response", status="completed", error=None, output=[reasoning, said]),
        ok("d", object="response", output=[refused]),
        ok("e", object="text_completion", choices=[{"text": " neutral"}]),
    )
    assert column(raw, "answer") == [
        "neutral",
        "I cannot say.",
        "somewhat ok",
        "Not that.",
        " neutral",
    ]
    assert column(raw, "item_id") == list("abcde")
    assert column(raw, "model") == ["m-1"] * 5
    assert raw.place.to_pylist() == [f"line {n}" for n in range(1, 6)]
    assert {"failed", "sample", "prompt"}.isdisjoint(raw.roles)


def test_a_call_that_failed_says_why_and_has_no_answer(tmp_path: Path) -> None:
    denied = {"status_code": 400, "body": {"error": {"message": "too long", "code": "x"}}}
    expired = {"code": "batch_expired", "message": "not executed in time"}
    filtered = {"message": {"content": ""}, "finish_reason": "content_filter"}
    raw = read(
        tmp_path,
        chat("a", "neutral"),
        {"custom_id": "b", "response": denied, "error": None},
        {"custom_id": "c", "response": None, "error": expired},
        {"custom_id": "d", "response": {"status_code": 500, "body": "oops"}},
        ok("e", object="response", status="failed", error={"message": "overloaded"}, output=[]),
        ok("f", choices=[filtered]),
    )
    assert column(raw, "answer") == ["neutral", *[None] * 5]
    assert column(raw, "failed") == [
        None,
        "too long (x)",
        "not executed in time (batch_expired)",
        "status 500",
        "overloaded",
        FILTERED,
    ]


def test_several_choices_of_a_call_are_samples(tmp_path: Path) -> None:
    raw = read(tmp_path, chat("a", "neutral", "somewhat acceptable"), chat("b", "neutral"))
    assert column(raw, "sample") == [0, 1, 0]
    assert column(raw, "item_id") == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("ids", "roles"),
    [
        (["iot-1|0|forward", "iot-1|3|reversed"], ("iot-1", "0", "forward")),
        (["iot-1:0", "iot-2:3"], ("iot-1", "0", None)),
        (["iot-1__0__forward", "iot-2__3__forward"], ("iot-1", "0", "forward")),
        (["iot-1", "iot-2:3"], ("iot-1", None, None)),
        (["a:b|c", "d:e|f"], ("a:b|c", None, None)),
    ],
)
def test_an_id_is_split_where_all_are_of_one_shape(
    tmp_path: Path, ids: list[str], roles: tuple[str | None, ...]
) -> None:
    raw = read(tmp_path, *(chat(custom_id, "neutral") for custom_id in ids))
    names: tuple[Any, ...] = ("item_id", "variant_id", "scale_order")
    first = tuple(column(raw, name)[0] if name in raw.roles else None for name in names)
    assert first == roles
    assert ("was split at" in raw.note) == (roles[1] is not None)
    assert ("--requests" in raw.note) == (roles[1] is None)


_NAME = st.text("abcdefgh0123456789", min_size=1)


@given(
    st.lists(st.tuples(_NAME, _NAME), min_size=1),
    st.sampled_from(SEPARATORS),
)
@settings(deadline=None)
def test_ids_that_were_joined_are_split_at_what_joined_them(
    pairs: list[tuple[str, str]], separator: str
) -> None:
    assert separator_of([separator.join(pair) for pair in pairs]) == separator


def test_the_requests_know_the_prompts_their_order_and_what_has_no_answer(tmp_path: Path) -> None:
    turns = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "One?"}]
    parts = [{"type": "input_text", "text": "Two?"}]
    requests = written(
        tmp_path / "input.jsonl",
        [
            {"custom_id": "r1", "url": "/v1/chat", "body": {"messages": turns, "temperature": 0.7}},
            {"custom_id": "r2", "body": {"input": [{"role": "user", "content": parts}]}},
            {"custom_id": "r3", "body": {"input": "Three?"}},
            {"custom_id": "r4", "body": {"prompt": "Four?"}},
        ],
    )
    lines = [chat("r3", "c"), chat("r1", "a"), chat("r2", "b")]
    raw = read(tmp_path, *lines, requests=requests)
    assert column(raw, "prompt") == ["One?", "Two?", "Three?", "Four?"]
    assert column(raw, "temperature") == [0.7, None, None, None]
    assert column(raw, "answer") == ["a", "b", "c", None]
    assert column(raw, "failed") == [None, None, None, "no line in the batch's output"]
    assert raw.place.to_pylist()[-1] == "input.jsonl, line 4"
    assert raw.note.endswith("failed calls: 1")


def test_results_of_message_batches_are_read(tmp_path: Path) -> None:
    content = [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "neutral"}]
    stopped = {"model": "c-1", "content": [], "stop_reason": "refusal"}
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "bad"}}
    raw = read(
        tmp_path,
        {
            "custom_id": "a",
            "result": {"type": "succeeded", "message": {"model": "c-1", "content": content}},
        },
        {"custom_id": "b", "result": {"type": "errored", "error": error}},
        {"custom_id": "c", "result": {"type": "expired"}},
        {"custom_id": "d", "result": {"type": "succeeded", "message": stopped}},
        name="anthropic-batch",
    )
    assert column(raw, "answer") == ["neutral", None, None, None]
    assert column(raw, "model") == ["c-1"] * 4
    assert column(raw, "failed") == [None, "bad (invalid_request_error)", "expired", FILTERED]


REQUEST = {"custom_id": "a", "method": "POST", "url": "/v1/chat", "body": {"messages": []}}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (REQUEST, "output.jsonl:2: a request without an answer: this is the input of a batch"),
        ({"response": None}, "output.jsonl:2: custom_id is not as the format has it"),
        ({"custom_id": "b", "response": {"body": {}}}, "output.jsonl:2: response.status_code is"),
        (ok("b", choices=[{"message": "hi"}]), "output.jsonl:2: choices.0.message is not"),
        (ok("b", object="list", data=[]), "output.jsonl:2: the body of 'b' has no choices"),
    ],
)
def test_a_line_of_another_shape_is_named(tmp_path: Path, line: Line, text: str) -> None:
    with pytest.raises(DataError, match=text):
        read(tmp_path, chat("a", "neutral"), line)


def test_a_line_that_was_cut_off_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "output.jsonl", [chat("a", "neutral")] * 2)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match=r"output.jsonl:2: not a JSON object"):
        reader("openai-batch").read(path)


@pytest.mark.parametrize(
    ("requests", "text"),
    [
        ([{"custom_id": "x", "body": {"prompt": "?"}}], "1 of 1 calls that .* no request for .a."),
        ([{"custom_id": "a", "body": {}}], "input.jsonl:1: nothing is requested"),
        ([{"custom_id": "a", "body": {"prompt": "?"}}] * 2, "input.jsonl:2: the custom_id 'a' of"),
    ],
)
def test_requests_of_another_batch_are_refused(
    tmp_path: Path, requests: list[Line], text: str
) -> None:
    path = written(tmp_path / "input.jsonl", requests)
    with pytest.raises(DataError, match=text):
        read(tmp_path, chat("a", "neutral"), requests=path)
