"""What is made of the model's own answers: of its labels, and of its text by the rules."""

from collections.abc import Callable
from typing import Any

import pytest

from normscope.datasets_builders.taxonomy import LIKERT
from normscope.judges.own import own_row, read_text
from normscope.judges.own_scales import scale_hash
from normscope.judges.rules import rule_hash
from normscope.reasons import Origin, Reason
from normscope.records.item import Item, Message
from normscope.records.judgement import Source
from normscope.records.tables import JUDGEMENTS, RESPONSES

MakeItem = Callable[..., Item]


@pytest.fixture
def vignette() -> Item:
    return Item("ci", "v", (Message("user", "?"),), "en", variant_id="one")


def response(**columns: Any) -> dict[str, Any]:
    return dict.fromkeys(RESPONSES.names) | {"benchmark": "b", "item_id": "q1"} | columns


def test_a_text_is_one_label_without_a_coverage(vignette: Item) -> None:
    made = read_text(vignette, "acceptability", "Somewhat acceptable.", None)
    assert (made.source, made.value, made.reason) == (Source.TEXT_RULE, 1.0, None)
    assert made.labels == LIKERT
    assert made.probs == (0.0, 0.0, 0.0, 1.0, 0.0)
    assert (made.coverage, made.raw_top) == (None, None)


def test_an_option_is_held_against_the_key_and_kept(item: MakeItem) -> None:
    right, wrong = (read_text(item(), "option", f"答案是{said}", None) for said in "AB")
    assert (right.value, right.probs) == (1.0, (1, 0))
    assert (wrong.value, wrong.probs) == (0.0, (0, 1))
    keyless = read_text(item(answer=None), "option", "B", None)
    assert (keyless.value, keyless.reason, keyless.probs) == (None, Reason.NO_KEY, (0, 1))


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_an_empty_text_is_no_answer(item: MakeItem, text: str | None) -> None:
    made = read_text(item(), "option", text, None)
    assert (made.value, made.probs, made.reason) == (None, None, Reason.NO_ANSWER)


@pytest.mark.parametrize(
    "text", ["I'm sorry, I can't help with that.", "抱歉，我无法回答这个问题。"]
)
def test_a_refusal_is_the_respondent_s_and_no_value(item: MakeItem, text: str) -> None:
    made = read_text(item(), "option", text, None)
    assert made.value is None
    assert made.reason is not None
    assert made.reason.origin is Origin.RESPONDENT


def test_a_failed_call_stays_ours(item: MakeItem) -> None:
    made = read_text(item(), "option", None, Reason.CALL_FAILED)
    assert (made.value, made.reason) == (None, Reason.CALL_FAILED)


def test_a_row_says_who_spoke_and_by_which_rule_or_scale(item: MakeItem) -> None:
    text = own_row(item(), "option", response(text="A"), min_coverage=0.5)
    labels = own_row(
        item(),
        "option",
        response(labels=["A", "B"], label_probs=[0.9, 0.1], coverage=0.8),
        min_coverage=0.5,
    )
    assert (text["source"], text["rubric_hash"]) == ("text_rule", rule_hash("option"))
    assert (labels["source"], labels["rubric_hash"]) == ("model_logits", scale_hash("option"))
    assert (text["coverage"], labels["coverage"]) == (None, 0.8)
    assert set(text) == set(labels) == set(JUDGEMENTS.names)
    assert text["judge"] is labels["judge"] is None


def test_a_response_from_before_coverage_had_a_bound_is_still_read(item: MakeItem) -> None:
    old = response(labels=["A", "B"], label_probs=[0.9, 0.1], coverage=0.8)
    del old["coverage_high"]
    assert own_row(item(), "option", old, min_coverage=0.5)["value"] == 1.0
