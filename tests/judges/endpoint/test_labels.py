"""From tokens and echoes to labels: what is seen, the bound on what is not, and spellings."""

import json
import math
import random
from typing import Any

import pytest
import scripted_server as s

from normscope.errors import ModelError
from normscope.judges.engine import LabelRequest
from normscope.judges.engines.endpoint.labels import (
    agree,
    find_impossible,
    in_several_tokens,
    read_echoes,
    read_top,
    token_bytes,
)
from normscope.judges.engines.endpoint.replies import TopToken
from normscope.judges.respondent import LIKERT_SCALE
from normscope.judges.scale import Scale

RATING = Scale(labels=tuple("12345"), values=(1.0, 2.0, 3.0, 4.0, 5.0))


def entry(text: str, prob: float = 1.0, *, raw: list[int] | None = None) -> TopToken:
    return TopToken.model_validate({"token": text, "logprob": math.log(prob), "bytes": raw})


def told(probs: dict[str, float]) -> list[TopToken]:
    return [entry(token, p) for token, p in probs.items()]


@pytest.mark.parametrize("most", [1, 3, 5, 20])
def test_what_the_top_leaves_out_is_within_the_bound(most: int) -> None:
    """The whole vocabulary is known here, so each label's true mass is too."""
    draw = random.Random(most)
    forms = [form for label in RATING.labels for form in RATING.forms_of(label)]
    for _ in range(300):
        words = [*forms, *(f"word{n}" for n in range(draw.randrange(1, 60)))]
        weights = [draw.expovariate(1.0) ** draw.choice([1, 3, 6]) for _ in words]
        probs = {w: x / sum(weights) for w, x in zip(words, weights, strict=True)}
        ranked = sorted(probs.items(), key=lambda pair: -pair[1])[:most]
        result = read_top(RATING, told(dict(ranked)))
        assert result.logprobs is not None
        missed = 0.0
        for label, logprob in zip(RATING.labels, result.logprobs, strict=True):
            true = sum(probs[form] for form in RATING.forms_of(label))
            assert math.exp(logprob) <= true + 1e-9
            missed += true - math.exp(logprob)
        assert missed <= result.unseen + 1e-9
        assert result.unseen <= 1 - sum(map(math.exp, result.logprobs)) + 1e-9


@pytest.mark.parametrize(
    ("top", "problem"),
    [
        # 20 × 0.05 is 1
        ([entry("1", 0.05)] * 20, "a token is listed 20 times"),
        ([entry("1", 0.9), entry("0", 0.9)], "probabilities of tokens add up to 1.8"),
        # each may be shown as "1": the digit, the digit behind a space, its byte
        ([entry("1", 0.2)] * 3, None),
        # parts of characters and control tokens, which have no text of their own
        ([entry("\ufffd", 0.05)] * 10 + [entry("", 0.05)] * 10, None),
        # logits of bfloat16
        ([entry("1", 0.95), entry("0", 0.1)], None),
        ([], None),
    ],
)
def test_a_list_of_tokens_that_no_distribution_has_is_told(
    top: list[TopToken], problem: str | None
) -> None:
    assert find_impossible(top) == problem


def test_the_bound_is_exact_where_it_can_be_done_by_hand() -> None:
    # seen "4" 0.5 and "the" 0.3: 0.2 is left; 14 other forms of at most 0.3 each could have it all
    assert read_top(RATING, told({"4": 0.5, "the": 0.3})).unseen == pytest.approx(0.2)
    # 20 tokens: 0.001 is the least, 14 forms may have 0.014, and 0.05 would be left
    many = {"4": 0.9, **{f"w{n}": 0.0489 / 18 for n in range(18)}, "last": 0.001}
    assert read_top(RATING, told(many)).unseen == pytest.approx(0.014)


def test_pieces_of_a_character_may_go_on_to_a_label() -> None:
    """A Chinese numeral of which the tokenizer writes the first two bytes as a token."""
    scale = Scale(labels=("一", "二"), values=(1.0, 2.0))
    first_bytes = list("一".encode()[:2])
    piece = entry("\ufffd", 0.75, raw=first_bytes)
    result = read_top(scale, [piece, *told({"二": 0.25})])
    assert result.logprobs == pytest.approx((-math.inf, math.log(0.25)))
    assert result.unseen == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("4", "4"),
        ("▁4", " 4"),
        ("Ġ4", " 4"),
        ("<0x34>", "4"),
        ("<0xZZ>", "<0xZZ>"),
        ("ï¼Ķ", "４"),
        ("４", "４"),
        ("é", "é"),
        ("naïve", "naïve"),
        ("Ċ", "\n"),
    ],
)
def test_a_token_is_read_however_it_is_spelt(token: str, text: str) -> None:
    assert token_bytes(entry(token)).decode() == text


def test_bytes_count_where_they_are_given() -> None:
    assert token_bytes(entry("?", raw=[32, 52])) == b" 4"


def test_which_scales_one_place_can_tell() -> None:
    assert in_several_tokens(RATING) is None
    assert in_several_tokens(Scale(labels=("yes", "no"), values=(1.0, 0.0))) is None
    assert in_several_tokens(Scale(labels=("1", "10"), values=(1.0, 10.0))) == "10"
    assert in_several_tokens(LIKERT_SCALE) == "strongly unacceptable"


BASE = [("<s>", None), ("Is", -1.0), (" it", -1.0), ("?", -1.0)]
YES_NO = Scale(labels=("yes sir", "no"), values=(1.0, 0.0), forms={"no": ("no", "No")})


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
