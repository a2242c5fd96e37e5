import csv
import gzip
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.metrics.majority import Threshold, enough, majority, tally

NAN = float("nan")


def row(*counts: int, blank: int = 0) -> list[list[float]]:
    """One item with so many answers of −2, −1, 0, 1, 2, in that order, and blanks."""
    return [
        [v for v, n in zip((-2, -1, 0, 1, 2), counts, strict=True) for _ in range(n)]
        + [NAN] * blank
    ]


@pytest.mark.parametrize(
    ("answers", "simple", "most"),
    [
        (row(0, 0, 0, 0, 11), 2, 2),
        # 6 of 11 is over a half, under two thirds
        (row(0, 5, 0, 6, 0), 1, NAN),
        # 5 of 11 is not
        (row(5, 3, 3, 0, 0), NAN, NAN),
        # 5 of 10 is exactly a half, and stands where no other label has 5
        (row(5, 3, 2, 0, 0, blank=1), -2, NAN),
        (row(5, 5, 0, 0, 0, blank=1), NAN, NAN),
        # 8 of 11 is over two thirds, 7 is not
        (row(0, 0, 8, 3, 0), 0, 0),
        (row(0, 0, 7, 4, 0), 0, NAN),
        # 9 valid answers of 11 are too few
        (row(0, 0, 0, 0, 9, blank=2), NAN, NAN),
    ],
)
def test_the_default_rule(answers: list[list[float]], simple: float, most: float) -> None:
    found = [majority(answers)[0], majority(answers, threshold="super")[0]]
    np.testing.assert_equal(found, [simple, most])


@pytest.mark.parametrize(
    ("answers", "simple", "most"),
    [
        # round(4.5) = 4, round(6.03) = 6
        (row(0, 0, 4, 3, 2, blank=2), 0, NAN),
        (row(0, 0, 6, 3, 0, blank=2), 0, 0),
        # round(5.5) = 6, round(7.37) = 7: 7 of 11 is a super majority though under two thirds
        (row(0, 5, 6, 0, 0), 0, NAN),
        (row(0, 4, 7, 0, 0), 0, 0),
        (row(5, 3, 3, 0, 0), NAN, NAN),
        # a tie goes to the label seen first
        (row(5, 5, 0, 0, 0, blank=1), -2, NAN),
        ([[2, -1, -1, 2]], 2, NAN),
        # one valid answer is enough, none is not
        ([[NAN, NAN, -1]], -1, -1),
        ([[NAN, NAN]], NAN, NAN),
    ],
)
def test_the_published_rule(answers: list[list[float]], simple: float, most: float) -> None:
    found = [
        majority(answers, rule="published")[0],
        majority(answers, rule="published", threshold="super")[0],
    ]
    np.testing.assert_equal(found, [simple, most])


def plainly(answers: list[float], threshold: float) -> float:
    """The published rule in Python's own words."""
    valid = [value for value in answers if not math.isnan(value)]
    if not valid:
        return NAN
    mode, count = Counter(valid).most_common(1)[0]
    return mode if count >= round(len(valid) * threshold) else NAN


ROW = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0, NAN]), min_size=7, max_size=7)


@given(st.lists(ROW, min_size=1, max_size=20), st.sampled_from([0.5, 0.67, 0.8]))
def test_the_published_rule_row_by_row(answers: list[list[float]], threshold: float) -> None:
    expected = [plainly(one, threshold) for one in answers]
    np.testing.assert_equal(majority(answers, rule="published", threshold=threshold), expected)


@given(ROW, st.permutations(range(7)))
def test_the_default_rule_does_not_know_the_order_of_columns(
    answers: list[float], order: list[int]
) -> None:
    for threshold in ("simple", "super"):
        given_order = majority([answers], threshold=threshold, min_valid=1)
        other = majority([[answers[place] for place in order]], threshold=threshold, min_valid=1)
        np.testing.assert_equal(given_order, other)


def test_turning_the_scale_round_turns_the_default_norm_round() -> None:
    answers = np.random.default_rng(5).choice([-2, -1, 0, 1, 2, NAN], (500, 11))
    np.testing.assert_equal(majority(-answers) + 0.0, -majority(answers) + 0.0)


def test_a_threshold_may_be_a_number() -> None:
    answers = row(0, 0, 0, 8, 3)
    shares: list[Threshold] = [Fraction(8, 11), 0.7, 0.75]
    assert [majority(answers, threshold=share)[0] for share in shares[:2]] == [1, 1]
    assert np.isnan(majority(answers, threshold=shares[2])[0])


@pytest.mark.parametrize(
    ("variants", "needed"), [(1, 1), (2, 2), (5, 5), (10, 10), (11, 10), (22, 20)]
)
def test_ten_of_eleven_answers_are_enough(variants: int, needed: int) -> None:
    assert enough(variants) == needed


def test_the_answers_needed_are_of_the_variants_asked() -> None:
    # asked in three of eleven variants, the model has three valid answers, two, and three apart
    answers = np.full((3, 11), NAN)
    answers[:, :3] = [[1, 1, 0], [1, 1, NAN], [-1, 0, 1]]
    np.testing.assert_equal(majority(answers), [1, NAN, NAN])
    # who knows that all eleven were asked says so
    assert np.isnan(majority(answers, requested=True)).all()
    three = np.arange(11) < 3
    np.testing.assert_equal(majority(answers, requested=three), majority(answers))
    np.testing.assert_equal(majority(answers, min_valid=2), [1, 1, NAN])
    # one item cannot tell a variant that was not asked from an answer that is missing
    assert np.isnan(majority(answers[:1])).all()


def test_a_model_of_the_authors_that_was_asked_three_variants_has_norms(sources: Path) -> None:
    path = sources / "privacy-bias" / "reference_iot_answers_5models.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == "gpt-4o-mini-8B"]
    prompts = [name for name in rows[0] if name.startswith("p#")]
    answers = [[float(row[name] or "nan") for name in prompts] for row in rows]
    assert tally(answers).requested == 9
    norms = majority(answers)
    # counted in Python's own words: nine of nine valid, and one label with a half that is alone
    expected = 0
    for row in answers:
        given = Counter(value for value in row if not math.isnan(value)).most_common()
        most = given[0][1]
        alone = len(given) == 1 or given[1][1] < most
        expected += sum(count for _, count in given) == 9 and 2 * most >= 9 and alone
    assert (~np.isnan(norms)).sum() == expected == 6878
