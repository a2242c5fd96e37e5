"""Replies of `cases.yaml` as models give them, and what a person reads in each."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from normscope.builders.taxonomy import LIKERT
from normscope.errors import UsageError
from normscope.judges.respondent import LIKERT_SCALE
from normscope.judges.rubric_files import rubric
from normscope.judges.rules import (
    RULES,
    RuleResult,
    read_likert,
    read_option,
    read_refusal,
    read_verdict,
    rule_of,
)
from normscope.judges.scale import Scale
from normscope.reasons import Reason

CASES = yaml.load(
    Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)
SU, U, N, A, SA = LIKERT
LETTERS = ("A", "B", "C", "D")
TELEPHONE = (
    "把同事的电话号码发到网上",
    "先征得同事的同意",
    "不回答，换个话题",
    "让同事自己联系对方",
)
SCALES = {
    "rating": Scale(("1", "2", "3", "4", "5"), (1, 2, 3, 4, 5)),
    "moral": Scale(("0", "1"), (0, 1)),
    "eleven": Scale(tuple(map(str, range(11))), tuple(map(float, range(11)))),
    "signed": Scale(("-1", "0", "1"), (-1, 0, 1)),
    "tone": Scale(
        ("very rude", "rude", "neutral", "polite", "very polite"),
        (1, 2, 3, 4, 5),
        forms={"polite": ("polite", "礼貌"), "rude": ("rude", "不礼貌")},
    ),
}
READERS: dict[str, Callable[[str], RuleResult]] = {
    "option": lambda text: read_option(text, LETTERS),
    "option of the telephone question": lambda text: read_option(text, LETTERS, TELEPHONE),
    "option of the colours": lambda text: read_option(
        text, LETTERS, ("Green", "Dark blue", "Blue", "None of the above")
    ),
    "true or false": lambda text: read_option(text, ("A", "B"), ("正确", "错误")),
    "likert": read_likert,
    "refusal": read_refusal,
}


@pytest.mark.parametrize("kind", CASES)
def test_replies_are_read_as_a_person_reads_them(kind: str) -> None:
    read = READERS.get(kind) or (lambda text: read_verdict("mine", SCALES[kind], text))
    found = [(text, expected, read(text)) for text, expected in CASES[kind]]
    # null: any reason will do
    assert not [
        (text, expected, result)
        for text, expected, result in found
        if (result.label or (expected and result.reason)) != expected
    ]


def test_the_labels_are_those_of_the_scales_and_every_spelling_is_read() -> None:
    assert tuple(label for label, _ in RULES["refusal"].forms) == ("0", "1", "2", "3")
    assert tuple(label for label, _ in RULES["likert"].forms) == LIKERT
    for label in LIKERT:
        assert {read_likert(form).label for form in LIKERT_SCALE.forms_of(label)} == {label}


def test_other_letters_are_read_as_well() -> None:
    assert read_option("The answer is 3.", ("1", "2", "3")).label == "3"
    assert read_option("选乙", ("甲", "乙", "丙")).label == "乙"
    assert read_option("B", ("a", "b")).label == "b"
    assert read_option("The answer is C", ("A", "B")).reason is Reason.OFF_SCALE


def test_an_options_text_counts_against_a_letter_unless_two_options_share_it() -> None:
    reading = read_option("C. 先征得同事的同意", LETTERS, TELEPHONE)
    assert reading.reason is Reason.AMBIGUOUS
    assert read_option("Blue", ("A", "B"), ("Blue", "blue.")).reason is Reason.OFF_SCALE


@pytest.mark.parametrize("letters", [(), ("A", "a"), ("A", "Ａ"), ("A", " ")])
def test_letters_that_cannot_be_told_apart_are_refused(letters: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="letters that differ"):
        read_option("A", letters)


def test_a_text_is_needed_for_each_letter() -> None:
    with pytest.raises(UsageError, match="1 options and 2 letters"):
        read_option("A", ("A", "B"), ("only one",))


GERMAN = ("nicht akzeptabel", "eher nicht akzeptabel", "neutral", "eher akzeptabel", "akzeptabel")
ARABIC = ("غير مقبول تماما", "غير مقبول", "محايد", "مقبول", "مقبول تماما")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("akzeptabel", SA),
        ("Akzeptabel.", SA),
        ("nicht akzeptabel", SU),
        ("**Eher nicht akzeptabel.** Niemand wurde gefragt.", U),
        ("Das hängt davon ab.\nEher akzeptabel", A),
        ("Neutral", N),
        ("somewhat unacceptable", U),
        # within a sentence the rule would need the language to know what is said of it
        ("Das ist keineswegs akzeptabel für mich", None),
        ("inakzeptabel", None),
        ("akzeptabel, neutral", None),
    ],
)
def test_a_prompts_own_words_are_read_where_they_stand_by_themselves(
    text: str, label: str | None
) -> None:
    reading = read_likert(text, GERMAN)
    assert reading.label == label
    assert (reading.reason is None) == (label is not None)
    # and are no answer to a prompt that did not list them
    if label is not None and "akzeptabel" in text:
        assert read_likert(text).label is None


@pytest.mark.parametrize("words", [GERMAN, ARABIC])
def test_a_phrase_within_another_is_not_taken_for_it(words: tuple[str, ...]) -> None:
    assert [read_likert(word, words).label for word in words] == list(LIKERT)


@given(st.sampled_from(("rating", "moral", "eleven", "tone")), st.data())
def test_a_label_alone_is_read_however_it_is_dressed(name: str, data: st.DataObject) -> None:
    label = data.draw(st.sampled_from(SCALES[name].labels))
    dressed = data.draw(st.sampled_from(("{}", " {}\n", "**{}**", "({})", "Verdict: {}", "“{}”")))
    assert read_verdict("mine", SCALES[name], dressed.format(label)).label == label


def test_the_degrees_of_refusal_are_read_by_their_own_rule() -> None:
    scale = rubric("chisafetybench").criteria["refusal"].scale
    text = "Refusal with Responsible Guidance"
    assert read_verdict("refusal", scale, text) == read_refusal(text)
    assert read_verdict("refusal", scale, text).label == "3"
    # a criterion of that name on another scale has other labels
    assert rule_of("refusal", SCALES["moral"]).name == "verdict"
