"""Files of labelled answers: what is read, and what is told when it cannot be."""

from collections.abc import Mapping
from typing import Any

import pytest

from normscope.errors import DataError, NormscopeError
from normscope.judges.rubric import Rubric
from normscope.judges.rubric_files import rubric
from normscope.judges.trust.labels import CriterionLabels, LabelFile, Labelled, labelled
from normscope.text_tables import Rows

MORAL = CriterionLabels("label", {"safe": "1", "unsafe": "0"})
LAYOUT: dict[str, Any] = {"criteria": {"moral": MORAL}, "language": "en"}
ROW = {"question": "Why?", "response": "Because.", "label": "safe"}


def read(
    rows: Rows, layout: Mapping[str, Any] = LAYOUT, used: Rubric | None = None
) -> list[Labelled]:
    how = dict(layout)
    labels = LabelFile("labels.csv", "", rows, (), how.pop("criteria"))
    return labelled(labels, used or rubric("cfsafety"), **how)


def test_a_row_becomes_a_question_an_answer_and_a_label() -> None:
    (row,) = read([ROW])
    assert [turn.content for turn in row.item.messages] == ["Why?"]
    assert (row.response, row.human, row.item.language) == ("Because.", {"moral": "1"}, "en")
    assert (row.item.category, row.item.cluster, row.groups["turns"]) == (
        "general",
        "Why?",
        "single",
    )


@pytest.mark.parametrize("value", ["1", 1, 1.0, " 1 "])
def test_a_value_is_the_same_in_every_format(value: object) -> None:
    plain = LAYOUT | {"criteria": {"moral": CriterionLabels("label")}}
    assert read([ROW | {"label": value}], plain)[0].human == {"moral": "1"}


@pytest.mark.parametrize(
    ("row", "layout", "problem"),
    [
        (
            {"question": "q", "answer": "a", "label": "safe"},
            LAYOUT,
            "no column 'response' .it has question, answer, label.: name it, columns={'response'",
        ),
        (
            {"prompt": "q", "response": "a", "label": "safe"},
            LAYOUT,
            "no column 'question' .it has prompt.*columns={'question': NAME}",
        ),
        ({"question": "q", "response": "a"}, LAYOUT, "no column 'label' .*label=NAME"),
        (
            ROW | {"label": "maybe"},
            LAYOUT,
            r"'maybe' \(1\) stand for no label of criterion 'moral' \(0, 1\).*map={'maybe': LABEL}",
        ),
        (ROW, LAYOUT | {"language": None}, "row 1: no language; .*language=zh"),
        (ROW | {"label": ""}, LAYOUT, "no row has a label"),
        (ROW | {"messages": "not json"}, LAYOUT, "row 1: messages is a list of turns"),
        (
            ROW | {"messages": [{"role": "assistant", "content": "Because."}]},
            LAYOUT,
            "row 1: before the answer, messages is to end with the user's turn",
        ),
        (
            ROW,
            LAYOUT | {"criteria": {"moral": CriterionLabels("label", {"safe": "7"})}},
            "'safe' is mapped to '7', which is no label of criterion 'moral': 0, 1",
        ),
        (
            ROW,
            LAYOUT | {"category": "privacy"},
            "has no category 'privacy'; did you mean 'privacy_leaks'",
        ),
    ],
)
def test_what_is_wrong_is_told_with_the_remedy(
    row: dict[str, Any], layout: Mapping[str, Any], problem: str
) -> None:
    with pytest.raises(NormscopeError, match=problem):
        read([row], layout)


def test_rows_without_a_label_and_those_mapped_to_nothing_are_left_out() -> None:
    layout = LAYOUT | {
        "criteria": {"moral": CriterionLabels("label", {**MORAL.mapping, "unsure": ""})}
    }
    rows: Rows = [{**ROW, "label": label} for label in ("safe", "unsure", None, "unsafe")]
    assert [row.number for row in read(rows, layout)] == [1, 4]


def test_a_chat_may_end_with_the_answer_and_a_language_be_named() -> None:
    turns = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}]
    (row,) = read([{"messages": turns, "label": "safe", "language": "English"}])
    assert [turn.content for turn in row.item.messages] == ["Why?"]
    assert (row.response, row.groups["turns"]) == ("Because.", "single")
    assert (row.item.language, row.groups["language"]) == ("en", "en")


def test_a_category_of_the_rubrics_is_judged_as_such_and_others_in_general() -> None:
    rows = [ROW | {"category": "social_bias"}, ROW | {"category": "Unfair"}]
    result = read(rows)
    assert [row.item.category for row in result] == ["social_bias", "general"]
    assert [row.groups["category"] for row in result] == ["social_bias", "Unfair"]
    named = read(rows, LAYOUT | {"category": "misleading"})
    assert [row.item.category for row in named] == ["social_bias", "misleading"]


def test_a_sample_is_drawn_at_random_and_the_same_each_time() -> None:
    rows = [ROW | {"question": f"q{n}"} for n in range(50)]
    first, again = (read(rows, LAYOUT | {"limit": 10}) for _ in range(2))
    assert [row.number for row in first] == [row.number for row in again]
    assert len(first) == 10
    assert [row.number for row in first] != list(range(1, 11))
    assert read(rows, LAYOUT | {"limit": 10, "seed": 1}) != first


def test_no_mapping_is_suggested_that_makes_all_values_one_label() -> None:
    rows = [ROW | {"label": value} for value in ("unsafe", "safe", "unsafe")]
    with pytest.raises(DataError, match=r"'unsafe' \(2\), 'safe' \(1\)") as result:
        read(rows, LAYOUT | {"criteria": {"moral": CriterionLabels("label")}})
    assert "map={'unsafe': LABEL, 'safe': LABEL} (from the lowest value" in str(result.value)
    assert "the labels are 0, 1)" in str(result.value)
