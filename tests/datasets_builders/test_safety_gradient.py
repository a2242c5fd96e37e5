import re
from collections import Counter
from itertools import product
from typing import Any

import pytest
from scipy.stats import spearmanr

from normscope.builders.safety_gradient.builder import (
    BUILDER,
    GRADES,
    LANGUAGES,
)
from normscope.builders.taxonomy import CFSAFETY

TABLE = BUILDER.tables(None)["default"]
ROWS: list[dict[str, Any]] = TABLE.to_pylist()
SLUGS = [category.slug for category in CFSAFETY]


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


@pytest.mark.parametrize("category", SLUGS)
def test_every_refusal_degree_occurs_in_every_category(category: str) -> None:
    found = {row["refusal_degree"] for row in ROWS if row["category"] == category}
    assert found == {0, 1, 2, 3}


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
