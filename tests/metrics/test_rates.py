import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from normscope.errors import DataError
from normscope.metrics.cfsafety import SCORE, cfsafety_score
from normscope.metrics.intervals import wilson
from normscope.metrics.rates import exact, macro_mean, mean, rate

PUBLISHED = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))

NAN = float("nan")
OUTCOMES = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=40)


def test_the_interval_is_over_the_scored_and_the_cases_stand_beside() -> None:
    # scored 2 of 3; with the two unscored at 0: 2 of 5, at 1: 4 of 5
    found = rate([1, 1, 0, None, float("nan")])
    assert found.value == pytest.approx(2 / 3)
    assert (found.lowest, found.highest, found.n, found.unscored) == (0.4, 0.8, 3, 2)
    assert (found.low, found.high) == (wilson(2, 3).low, wilson(2, 3).high)
    assert found.method == "Wilson, over the scored"
    assert found.target == "new items of the kind"


def test_without_unscored_outcomes_the_cases_are_the_value() -> None:
    found = rate([1, 0, 0, 0])
    assert found.value == found.lowest == found.highest == 0.25


@given(OUTCOMES)
def test_interval_and_cases_hold_the_value(outcomes: list[float]) -> None:
    found = rate(outcomes)
    assert found.lowest is not None and found.highest is not None
    assert 0 <= found.lowest <= found.highest <= 1
    assert found.n + found.unscored == len(outcomes)
    if found.value is not None:
        assert found.low is not None and found.high is not None
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.lowest <= found.value <= found.highest


@given(OUTCOMES, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(outcomes: list[float], random: object) -> None:
    shuffled = list(outcomes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rate(shuffled) == rate(outcomes)


def test_nothing_scored_is_anything_and_no_rows_are_nothing() -> None:
    blank = rate([None, None])
    assert (blank.value, blank.lowest, blank.highest, blank.n) == (None, 0, 1, 0)
    assert (blank.low, blank.high, blank.method) == (None, None, "nothing scored")
    none = rate([])
    assert (none.value, none.low, none.high, none.lowest, none.n) == (None, None, None, None, 0)
    nothing = mean([], bounds=(0, 5))
    assert (nothing.value, nothing.low, nothing.n) == (None, None, 0)


def test_rows_alike_in_a_cluster_count_once() -> None:
    found = rate([1, 1, 1, 1], clusters=["a", "a", "b", "b"])
    assert (found.low, found.high) == (wilson(2, 2).low, 1.0)
    assert found.method == "Wilson over 2 clusters, all equal"


def test_rows_without_a_cluster_are_on_their_own() -> None:
    assert rate([1, 0, 1], clusters=["", None, ""]) == rate([1, 0, 1])


@pytest.mark.parametrize("bad", [2, 0.5, -1])
def test_an_outcome_off_the_scale_is_named(bad: float) -> None:
    with pytest.raises(DataError, match=rf"row 1 .*{bad:g} is not one of 0, 1"):
        rate([1, bad, 0])


def test_a_mean_is_bounded_by_its_unscored_rows() -> None:
    # (4 + 2)/2; with one row at 0: 6/3, at 5: 11/3
    found = mean([4, 2, None], bounds=(0, 5))
    assert (found.value, found.lowest, found.highest) == pytest.approx((3, 2, 11 / 3))
    worst = stats.ttest_1samp([4, 2, 0], 0).confidence_interval()
    assert found.low == max(0, worst.low)
    assert found.high == 5


def test_a_mean_without_bounds_says_what_its_interval_leaves_out() -> None:
    found = mean([4, 6, None], bounds=None)
    assert (found.value, found.lowest, found.highest, found.unscored) == (5, None, None, 1)
    assert found.method == "t, over the scored"
    assert mean([4], bounds=None).low is None
    assert mean([None], bounds=None).n == 0


def test_a_share_of_these_items_is_exact() -> None:
    found = exact([1, 0, 1, 1])
    assert found.low == found.high == found.lowest == found.highest == found.value == 0.75
    assert (found.target, found.method) == ("these items", "exact")
    assert exact([]).value is None


def test_a_value_off_by_rounding_is_set_on_the_bound() -> None:
    assert mean([1 + 1e-9, 1], bounds=(0, 1)).value == 1
    with pytest.raises(DataError, match=r"off the scale 0 … 1"):
        mean([1.1], bounds=(0, 1))
    with pytest.raises(DataError, match="infinite"):
        mean([np.inf], bounds=(0, 1))


@pytest.mark.parametrize("model", PUBLISHED["cfsafety"]["category_means"])
def test_the_published_average_is_that_of_category_means_and_not_of_items(model: str) -> None:
    means = PUBLISHED["cfsafety"]["category_means"][model]
    # categories of unlike size, their answers a little above and below the published mean
    ratings, categories = [], []
    for at, (name, value) in enumerate(means.items()):
        for _ in range(1 + at):
            ratings += [value - 0.25, value + 0.25]
            categories += [name, name]
    rows = cfsafety_score([1.0] * len(ratings), ratings, groups={"category": categories})
    table = {row.name: row.estimate for row in rows if not row.group}
    assert table["macro_score"].value == pytest.approx(np.mean(list(means.values())))
    assert table["score"].value == pytest.approx(np.mean(ratings))
    if model in PUBLISHED["cfsafety"]["paper_average"]:
        assert (
            round(table["macro_score"].value or 0, 2)
            == (PUBLISHED["cfsafety"]["paper_average"][model])
        )


def test_the_limits_are_those_of_the_categories_squared_and_added() -> None:
    values, categories = [1.0, 2, 3, 4, 4, 5], list("aaabbb")
    parts = [mean(values[at : at + 3], bounds=SCORE) for at in (0, 3)]
    result = macro_mean(values, categories, bounds=SCORE)
    distances = [float(part.value or 0) - float(part.low or 0) for part in parts]
    below = math.hypot(*distances) / 2
    assert result.value == pytest.approx((2 + 13 / 3) / 2)
    assert result.low == pytest.approx((2 + 13 / 3) / 2 - below)


def test_unscored_answers_and_a_category_without_a_score_widen_the_cases() -> None:
    result = macro_mean([4, NAN, 2, NAN], ["a", "a", "b", "c"], bounds=SCORE)
    # worst: (2 + 2 + 0)/3, best: (4.5 + 2 + 5)/3
    assert (result.value, result.n, result.unscored) == (3.0, 2, 2)
    assert (result.lowest, result.highest) == pytest.approx((4 / 3, 11.5 / 3))
    assert "2 of 3 categories" in result.method
    assert macro_mean([NAN], ["a"], bounds=SCORE).value is None
