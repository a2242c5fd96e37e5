import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr

from normscope.datasets_builders.card import render_card
from normscope.datasets_builders.safety_gradient.builder import (
    BUILDER,
    DATA,
    DEGREES,
    GRADES,
    LANGUAGES,
    read_category,
)
from normscope.datasets_builders.taxonomy import CFSAFETY
from normscope.errors import ConfigError

TABLE = BUILDER.tables(None)["default"]
ROWS: list[dict[str, Any]] = TABLE.to_pylist()
SLUGS = [category.slug for category in CFSAFETY]
MARK = "[…]"

STOCK = {
    "en": (
        "i'm sorry", "i am sorry", "sorry, but", "i can't", "i cannot", "i won't", "i will not",
        "i'm unable", "i'm not able", "as an ai", "language model", "i must decline",
        "not going to", "i'd rather", "instead", "great question", "feel free", "happy to help",
    ),
    "zh": (
        "抱歉", "对不起", "不好意思", "作为一个", "作为人工智能", "语言模型", "我不能", "我不会",
        "我无法", "不能帮", "没法", "恕", "拒绝", "这个忙", "建议你", "建议您", "我可以帮",
        "请注意", "需要注意",
    ),
}  # fmt: skip
STOCK_CASES = [(language, phrase) for language in STOCK for phrase in STOCK[language]]

# units that are counted from the start of an answer: words in English, characters in Chinese
OPENINGS = [("en", 2), ("en", 3), ("en", 4), ("zh", 2), ("zh", 4), ("zh", 12)]


def _answers(language: str) -> list[str]:
    return [row["response"] for row in ROWS if row["language"] == language]


def _units(language: str, text: str) -> list[str]:
    return text.lower().split() if language == "en" else [*re.sub(r"\s", "", text)]


def _grade_correlation(language: str, category: str, values: dict[str, int]) -> float:
    rows = [
        row for row in ROWS if row["language"] == language and category in ("", row["category"])
    ]
    return float(
        spearmanr(
            [values[row["item_id"]] for row in rows], [row["grade"] for row in rows]
        ).statistic
    )


def test_every_category_has_as_many_questions() -> None:
    counts = Counter(row["category"] for row in ROWS)
    assert list(counts) == SLUGS
    assert len(set(counts.values())) == 1
    # two languages and five grades make ten rows of a question; four questions are the least
    assert counts[SLUGS[0]] % 10 == 0
    assert counts[SLUGS[0]] >= 4 * 10


def test_ids_follow_from_category_number_language_and_grade() -> None:
    numbers = range(1, len(ROWS) // (10 * len(SLUGS)) + 1)
    expected = [
        f"{slug}-{number:02}-{language}-{grade}"
        for slug, number, language, grade in product(SLUGS, numbers, LANGUAGES, GRADES)
    ]
    assert [row["item_id"] for row in ROWS] == expected
    assert len(set(expected)) == len(expected)


def test_no_text_stands_twice() -> None:
    answers = Counter(row["response"] for row in ROWS)
    questions = Counter((row["question_id"], row["question"]) for row in ROWS)
    assert [text for text, n in answers.items() if n > 1] == []
    assert set(questions.values()) == {5}
    assert len({question for _, question in questions}) == len(questions)


def test_an_answer_has_one_degree_in_both_languages() -> None:
    degrees: dict[tuple[str, int], set[int]] = {}
    for row in ROWS:
        degrees.setdefault((row["question_id"], row["grade"]), set()).add(row["refusal_degree"])
    assert {len(found) for found in degrees.values()} == {1}


def test_the_group_is_that_of_the_taxonomy() -> None:
    assert {row["category"]: row["group"] for row in ROWS} == {c.slug: c.area for c in CFSAFETY}


def test_texts_are_single_clean_lines() -> None:
    texts = [text for row in ROWS for text in (row["question"], row["response"])]
    assert [text for text in texts if text != " ".join(text.split())] == []


@pytest.mark.parametrize("category", SLUGS)
def test_every_refusal_degree_occurs_in_every_category(category: str) -> None:
    found = {row["refusal_degree"] for row in ROWS if row["category"] == category}
    assert found == set(DEGREES)


def test_going_along_is_never_a_refusal_and_a_good_answer_never_risky() -> None:
    by_grade = {
        grade: {row["refusal_degree"] for row in ROWS if row["grade"] == grade} for grade in GRADES
    }
    assert by_grade[1] == {0}
    assert 0 not in by_grade[4] | by_grade[5]
    # the degree is no function of the grade
    assert all(len(by_grade[grade]) > 1 for grade in (3, 4, 5))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("category", ["", *SLUGS])
def test_length_does_not_give_the_grade_away(category: str, language: str) -> None:
    characters = {row["item_id"]: len(row["response"]) for row in ROWS}
    units = {row["item_id"]: len(_units(language, row["response"])) for row in ROWS}
    assert abs(_grade_correlation(language, category, characters)) < 0.3
    assert abs(_grade_correlation(language, category, units)) < 0.3


@pytest.mark.parametrize("language", LANGUAGES)
def test_mean_lengths_of_the_grades_are_close(language: str) -> None:
    # a rank correlation near 0 could hide a hump; the mean of no grade is 25 % off the mean of all
    lengths = {
        grade: np.mean(
            [
                len(_units(language, row["response"]))
                for row in ROWS
                if row["language"] == language and row["grade"] == grade
            ]
        )
        for grade in GRADES
    }
    middle = np.mean(list(lengths.values()))
    assert max(abs(length / middle - 1) for length in lengths.values()) < 0.25


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("signs", [(MARK,), ("!", "！"), ("?", "？"), (" '", "“")])
def test_no_sign_on_the_surface_orders_the_answers(signs: tuple[str, ...], language: str) -> None:
    present = {row["item_id"]: int(any(s in row["response"] for s in signs)) for row in ROWS}
    assert abs(_grade_correlation(language, "", present)) < 0.4


def test_the_mark_stands_in_both_languages_or_in_neither() -> None:
    marks: dict[tuple[str, int], set[bool]] = {}
    for row in ROWS:
        marks.setdefault((row["question_id"], row["grade"]), set()).add(MARK in row["response"])
    assert [key for key, found in marks.items() if len(found) > 1] == []


@pytest.mark.parametrize(("language", "phrase"), STOCK_CASES)
def test_no_stock_phrase_of_refusal_is_common(language: str, phrase: str) -> None:
    answers = [text.lower().replace("’", "'") for text in _answers(language)]
    assert sum(phrase in text for text in answers) / len(answers) <= 0.05


@pytest.mark.parametrize(("language", "length"), OPENINGS)
def test_no_opening_is_common(language: str, length: int) -> None:
    answers = _answers(language)
    openings = Counter(tuple(_units(language, text)[:length]) for text in answers)
    assert openings.most_common(1)[0][1] / len(answers) <= 0.05


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_s_grades_are_not_in_the_order_of_their_lengths(language: str) -> None:
    questions = [
        [len(row["response"]) for row in ROWS[start : start + 5]]
        for start in range(0, len(ROWS), 5)
        if ROWS[start]["language"] == language
    ]
    monotone = [s for s in questions if s in (sorted(s), sorted(s, reverse=True))]
    # by chance 2 orders of 120
    assert len(monotone) / len(questions) <= 0.05


def test_answers_are_in_their_language() -> None:
    for row in ROWS:
        if row["category"] == "minority_language":
            continue
        han = re.search(r"[\u4e00-\u9fff]", row["response"]) is not None
        assert han == (row["language"] == "zh"), row["item_id"]


def test_items_carry_the_answer_and_what_was_intended() -> None:
    items = BUILDER.benchmarks[0].items(TABLE)
    assert len(items) == len(ROWS)
    first = items[0]
    assert first.benchmark == BUILDER.benchmarks[0].name == "safety-gradient"
    assert (first.item_id, first.cluster) == ("social_bias-01-en-1", "social_bias-01")
    assert (first.area, first.category, first.language) == ("scenario", "social_bias", "en")
    assert (first.question, first.response) == (ROWS[0]["question"], ROWS[0]["response"])
    assert first.facets == {"grade": "1", "refusal_degree": "0"}
    assert [message.role for message in first.messages] == ["user"]


def test_the_ten_answers_of_a_question_are_one_cluster() -> None:
    clusters = Counter(item.cluster for item in BUILDER.benchmarks[0].items(TABLE))
    assert set(clusters.values()) == {10}


def test_grades_are_small_integers_without_nulls() -> None:
    for name in ("grade", "refusal_degree"):
        assert TABLE.schema.field(name).type == pa.int8()
    assert all(column.null_count == 0 for column in TABLE.columns)


def test_the_card_says_that_grades_are_intended_and_what_not_to_do() -> None:
    card = render_card(BUILDER, {"default": TABLE}, {"default": 1})
    assert "license: apache-2.0" in card
    assert "not a measurement" in card
    assert "Training, tuning or prompting a judge that is then measured on it" in card


SMALL = """\
category: toy
questions:
  - id: toy-01
    refusal: [0, 0, 1, 2, 3]
    en: {question: "q?", answers: [a, b, c, d, e]}
    zh: {question: "问？", answers: [甲, 乙, 丙, 丁, 戊]}
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[a, b, c, d, e]", "[a, b, c, d]", "toy-01, en: needs 5 answers, has 4"),
        ("[0, 0, 1, 2, 3]", "[0, 0, 1, 2]", "toy-01: needs 5 refusal degrees, has 4"),
        ("[0, 0, 1, 2, 3]", "[0, 0, 1, 2, 4]", "a refusal degree is 0, 1, 2 or 3, not 4"),
        ("丙", "' '", "toy-01, zh: a question or an answer is blank"),
        ("id: toy-01", "id: toy-02", "id 'toy-02' stands where 'toy-01' belongs"),
        ("category: toy", "category: tox", "category is 'tox', the file says 'toy'"),
        ("refusal:", "refusals:", "did you mean 'refusal'?"),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, old: str, new: str, told: str) -> None:
    path = tmp_path / "toy.yaml"
    path.write_text(SMALL, encoding="utf-8")
    assert read_category(path).questions[0].zh.answers[4] == "戊"
    path.write_text(SMALL.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(told)):
        read_category(path)


def test_there_is_a_file_for_every_category_and_no_other() -> None:
    assert {path.stem for path in DATA.iterdir()} == set(SLUGS)
