"""What the model under test says itself: its scales, its labels, its text as the rules read it."""

from dataclasses import replace

import pytest

from normscope.builders.taxonomy import LIKERT
from normscope.errors import UsageError
from normscope.judges.respondent import (
    ACCEPTABILITY,
    OPTION,
    ScaleFile,
    item_scale,
    read_text,
    respondent_judgement,
    scale_files,
    scale_hash,
    scale_of,
)
from normscope.judges.rules import rule_hash
from normscope.reasons import Origin, Reason
from normscope.records.item import Item, Option, Turn
from normscope.records.judgement import Judgement, Source
from normscope.records.response import Response, ResponseKey
from normscope.yaml import parse

TEXT = """
name: mine
version: 1
license: CC0
criterion: mine
labels: {low: 0, high: 1}
spellings: ["{label}"]
"""


OPTIONS = tuple(Option(letter, "text") for letter in "AB")


def item(language: str, letters: str = "") -> Item:
    options = tuple(Option(letter, "text") for letter in letters)
    return Item("b", "1", (Turn("user", "q"),), language, options=options)


def keyed(answer: str | None) -> Item:
    return replace(item("zh"), options=OPTIONS, answer=answer)


def labelled(item: Item, probs: tuple[float, ...], coverage: float) -> Response:
    labels = tuple(option.letter for option in item.options) or LIKERT
    key = ResponseKey(*item.key)
    return Response(key, labels=labels, label_probs=probs, coverage=coverage, coverage_high=0.95)


def said(item: Item, criterion: str, text: str | None, reason: Reason | None = None) -> Judgement:
    return read_text(item, criterion, Response.to(item, text, reason=reason))


def test_the_likert_labels_are_those_of_the_vignettes_from_minus_two_to_two() -> None:
    scale = item_scale(item("en"), ACCEPTABILITY)
    assert scale.labels == LIKERT
    assert scale.values == (-2.0, -1.0, 0.0, 1.0, 2.0)
    assert scale.forms_of("neutral") == ("neutral", " neutral", "Neutral", " Neutral")


def test_a_chinese_vignette_may_be_answered_in_either_language() -> None:
    scale = item_scale(item("zh"), ACCEPTABILITY)
    assert {"neutral", "中立"} <= set(scale.forms_of("neutral"))
    assert not {"中立"} & set(item_scale(item("en"), ACCEPTABILITY).forms_of("neutral"))


def test_an_item_has_the_letters_of_its_own_options() -> None:
    scale = item_scale(item("zh", "ABCD"), OPTION)
    assert scale.labels == tuple("ABCD")
    assert scale.forms_of("C") == ("C", " C", "Ｃ")
    with pytest.raises(UsageError, match="'option' has no label 'Z'"):
        item_scale(item("zh", "AZ"), OPTION)


def test_equal_questions_share_one_scale_so_that_an_engine_resolves_it_once() -> None:
    assert item_scale(item("en", "AB"), OPTION) is item_scale(item("de", "AB"), OPTION)
    assert item_scale(item("en"), ACCEPTABILITY) is scale_of(ACCEPTABILITY)


def test_the_hash_is_of_everything_the_file_says() -> None:
    assert {file.criterion for file in scale_files().values()} == {ACCEPTABILITY, OPTION}
    assert scale_hash(OPTION) != scale_hash(ACCEPTABILITY)
    mine = parse(TEXT, ScaleFile)
    for old, new in (
        ("version: 1", "version: 2"),
        ("high: 1", "high: 2"),
        ('"{label}"', '" {label}"'),
    ):
        assert parse(TEXT.replace(old, new), ScaleFile).hash != mine.hash


@pytest.mark.parametrize(
    ("answer", "coverage", "value", "reason"),
    [
        ("B", 0.9, 1.0, None),
        ("A", 0.9, 0.0, None),
        (None, 0.9, None, Reason.NO_KEY),
        ("B", 0.4, None, Reason.OFF_SCALE),
    ],
)
def test_an_option_is_held_against_the_key(
    answer: str | None, coverage: float, value: float | None, reason: Reason | None
) -> None:
    given = labelled(keyed(answer), (0.2, 0.8), coverage)
    made = respondent_judgement(keyed(answer), OPTION, given, min_coverage=0.5)
    assert (made.value, made.reason, made.coverage_high) == (value, reason, 0.95)


def test_an_acceptability_is_the_value_of_the_favourite_label() -> None:
    given = labelled(item("en"), (0.1, 0.1, 0.1, 0.5, 0.2), 0.8)
    assert respondent_judgement(item("en"), ACCEPTABILITY, given, min_coverage=0.5).value == 1.0


@pytest.mark.parametrize("answer", ["A", None])
def test_a_tie_of_the_model_under_test_is_its_own_answer_that_names_no_label(
    answer: str | None,
) -> None:
    option = respondent_judgement(
        keyed(answer), OPTION, labelled(keyed(answer), (0.5, 0.5), 0.8), min_coverage=0.5
    )
    vignette = respondent_judgement(
        item("en"), ACCEPTABILITY, labelled(item("en"), (0.2,) * 5, 0.8), min_coverage=0.5
    )
    for made in (option, vignette):
        assert (made.value, made.reason) == (None, Reason.AMBIGUOUS)
        assert made.probs is not None
    assert Reason.AMBIGUOUS.origin is Origin.RESPONDENT


def test_a_text_is_one_label_without_a_coverage() -> None:
    made = said(item("en"), ACCEPTABILITY, "Somewhat acceptable.")
    assert (made.source, made.value, made.reason) == (Source.TEXT_RULE, 1.0, None)
    assert made.labels == LIKERT
    assert made.probs == (0.0, 0.0, 0.0, 1.0, 0.0)
    assert (made.coverage, made.raw_top) == (None, None)


def test_an_option_is_held_against_the_key_and_kept() -> None:
    right, wrong = (said(keyed("A"), OPTION, f"答案是{letter}") for letter in "AB")
    assert (right.value, right.probs) == (1.0, (1, 0))
    assert (wrong.value, wrong.probs) == (0.0, (0, 1))
    keyless = said(keyed(None), OPTION, "B")
    assert (keyless.value, keyless.reason, keyless.probs) == (None, Reason.NO_KEY, (0, 1))


@pytest.mark.parametrize(
    ("text", "failed", "reason"),
    [
        *((text, None, Reason.NO_ANSWER) for text in (None, "", " \n")),
        ("I'm sorry, I can't help with that.", None, Origin.RESPONDENT),
        ("抱歉，我无法回答这个问题。", None, Origin.RESPONDENT),
        (None, Reason.CALL_FAILED, Reason.CALL_FAILED),
    ],
)
def test_what_is_no_choice_has_no_value_and_says_whose_doing_it_is(
    text: str | None, failed: Reason | None, reason: Reason | Origin
) -> None:
    made = said(keyed("A"), OPTION, text, failed)
    assert (made.value, made.probs) == (None, None)
    assert made.reason is not None
    assert reason in {made.reason, made.reason.origin}


def test_a_judgement_says_who_spoke_and_by_which_rule_or_scale() -> None:
    asked = keyed("A")
    text = said(asked, OPTION, "A")
    labels = respondent_judgement(asked, OPTION, labelled(asked, (0.9, 0.1), 0.8), min_coverage=0.5)
    assert (text.source, text.rubric_hash) == (Source.TEXT_RULE, rule_hash("option"))
    assert (labels.source, labels.rubric_hash) == (Source.MODEL_LOGITS, scale_hash("option"))
    assert (text.coverage, labels.coverage) == (None, 0.8)
    assert text.judge is labels.judge is None
    assert text.key == labels.key == ResponseKey(*asked.key)
