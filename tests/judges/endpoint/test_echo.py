"""Labels of several tokens, read from echoes: sums, spellings that merge, what cannot be."""

import json
import math
from typing import Any

import pytest
import scripted_server as s

from normscope.errors import ModelError
from normscope.judges.engine import LabelRequest
from normscope.judges.engines.endpoint.labels import agree, read_echoes
from normscope.judges.engines.endpoint.replies import TopToken
from normscope.judges.scale import Scale

BASE = [("<s>", None), ("Is", -1.0), (" it", -1.0), ("?", -1.0)]
YES_NO = Scale(labels=("yes sir", "no"), values=(1.0, 0.0), forms={"no": ("no", "No")})


def told(probs: dict[str, float]) -> list[TopToken]:
    return [TopToken(token=token, logprob=math.log(prob)) for token, prob in probs.items()]


def echoed(*tail: tuple[str, float]) -> list[tuple[str, float | None]]:
    return [*BASE, *tail]


def test_an_echo_adds_up_tokens_within_a_spelling_and_spellings_within_a_label() -> None:
    echoes = {
        "yes sir": echoed(("yes", math.log(0.5)), (" sir", math.log(0.5))),
        " yes sir": echoed((" yes", math.log(0.25)), (" sir", math.log(0.5))),
        "no": echoed(("no", math.log(0.125))),
        "No": echoed(("No", math.log(0.0625))),
    }
    result = read_echoes(YES_NO, BASE, echoes, ())
    # 0.5 × 0.5 + 0.25 × 0.5 = 0.375, and 0.125 + 0.0625 = 0.1875
    assert result.logprobs == pytest.approx((math.log(0.375), math.log(0.1875)))
    assert result.unseen == 0.0


def test_a_spelling_that_merges_with_the_prompt_is_left_out_and_counted_as_unseen() -> None:
    merged = [*BASE[:-1], ("?no", -1.0)]
    echoes = {
        "yes sir": echoed(("yes", math.log(0.5)), (" sir", math.log(0.5))),
        " yes sir": echoed((" yes", -1e4), (" sir", 0.0)),
        "no": merged,
        "No": echoed(("No", math.log(0.25))),
    }
    result = read_echoes(YES_NO, BASE, echoes, ())
    assert result.logprobs == pytest.approx((math.log(0.25), math.log(0.25)))
    assert result.unseen == pytest.approx(0.5)


def test_a_label_whose_tokens_begin_another_is_refused_by_name() -> None:
    scale = Scale(labels=("1", "10"), values=(1.0, 10.0), forms={"1": ("1",), "10": ("10",)})
    apart = {"1": echoed(("1", -1.0)), "10": echoed(("10", -2.0))}
    assert read_echoes(scale, BASE, apart, ()).logprobs == pytest.approx((-1.0, -2.0))
    begun = {"1": echoed(("1", -1.0)), "10": echoed(("1", -1.0), ("0", -2.0))}
    with pytest.raises(ModelError, match="among the labels 1, 10 one begins another"):
        read_echoes(scale, BASE, begun, ())


def test_parts_of_characters_that_look_alike_are_not_taken_for_one_another() -> None:
    """A server shows every part of a character as the same sign."""
    forms = {"是": ("是",), "否": ("否",)}
    scale = Scale(labels=("是", "否"), values=(1.0, 0.0), forms=forms)
    part = "\ufffd"
    echoes = {"是": echoed((part, -0.5), (part, -0.5)), "否": echoed((part, -1.0), (part, -1.0))}
    assert read_echoes(scale, BASE, echoes, ()).logprobs == pytest.approx((-1.0, -2.0))


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"a": 0.5, "b": 0.2}, True),
        ({"a": 0.45, "b": 0.25, "c": 0.1}, True),
        ({"a": 0.2, "b": 0.2}, False),  # ln(0.5 / 0.2) = 0.92
        ({"x": 0.5, "b": 0.2}, False),
        ({"a": 0.5, "x": 0.2, "y": 0.1, "z": 0.1}, True),
        ({}, False),
    ],
)
def test_two_lists_of_one_place_agree(other: dict[str, float], same: bool) -> None:
    assert agree(told({"a": 0.5, "b": 0.2}), told(other)) is same


@pytest.mark.parametrize(
    ("value", "problem"),
    [(0.0, "labels add up to more than 1"), (None, "token of the echo has no log-probability")],
)
def test_an_impossible_echo_is_an_error(value: float | None, problem: str, engine_for: Any) -> None:
    def send(handler: s.Handler) -> None:
        asked = handler.owner.asked[-1]
        status, reply = s.answer(handler.owner, asked.path, asked.body)
        logprobs = json.loads(json.dumps(reply))["choices"][0]["logprobs"]
        logprobs["token_logprobs"] = [value] * len(logprobs["tokens"])
        reply["choices"][0]["logprobs"] = logprobs
        handler.send(status, reply)

    request = LabelRequest((("user", "May I?"),), Scale(("yes", "no"), (1.0, 0.0)), lead="Answer:")
    with s.serve(s.Script()) as server:
        engine = engine_for(server, api="completions")
        server.trouble = lambda _call, body: None if body is None else send
        with pytest.raises(ModelError, match=problem):
            engine.labels([request])
