import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.errors import DataError, UsageError
from normscope.metrics.paired import (
    enumerated_difference,
    paired_mean_difference,
    paired_rate_difference,
)
from normscope.metrics.significance import clustered_t

NAN = float("nan")


def pairs(both: int, only_a: int, only_b: int, neither: int) -> tuple[list[float], list[float]]:
    a = [1.0] * (both + only_a) + [0.0] * (only_b + neither)
    b = [1.0] * both + [0.0] * only_a + [1.0] * only_b + [0.0] * neither
    return a, b


def test_unscored_items_open_a_range_and_leave_value_and_interval() -> None:
    a, b = [1, 1, 0, NAN, 1, NAN], [0, 1, 0, 1, NAN, NAN]
    found = paired_rate_difference(a, b)
    # over the first three 2/3 − 1/3; worst a 3/6, b (1 + 0 + 1 + 1 + 1)/6 = 4/6; best a 5/6, b 2/6
    assert (found.n, found.unscored) == (3, 3)
    assert (found.value, found.lowest, found.highest) == pytest.approx((1 / 3, -1 / 6, 3 / 6))
    scored = paired_rate_difference([1, 1, 0], [0, 1, 0])
    assert (found.low, found.high) == (scored.low, scored.high)
    assert (scored.method, found.method) == ("Tango", "Tango, over the scored")


@given(st.lists(st.sampled_from([(0, 0), (0, 1), (1, 0), (1, 1)]), min_size=2, max_size=60))
def test_a_rate_difference_lies_in_its_interval_and_turns_round(
    rows: list[tuple[int, int]],
) -> None:
    a, b = [float(one) for one, _ in rows], [float(other) for _, other in rows]
    there, back = paired_rate_difference(a, b), paired_rate_difference(b, a)
    assert there.low is not None
    assert there.high is not None
    assert there.value is not None
    assert -1 <= there.low <= there.value + 1e-12
    assert there.value - 1e-12 <= there.high <= 1
    assert there.low == pytest.approx(-(back.high or 0), abs=1e-12)


def test_a_mean_difference_by_hand() -> None:
    # differences 1, 2, 3: 2 ± 4.302653/√3
    found = paired_mean_difference([2, 4, 5], [1, 2, 2], bounds=(0, 5))
    half = 4.302653 / 3**0.5
    assert (found.low, found.high) == pytest.approx((2 - half, 2 + half), abs=1e-5)
    # the cases of an unscored b: at 5 and at 0
    open_ = paired_mean_difference([2, 4, 5], [1, 2, NAN], bounds=(0, 5))
    assert (open_.value, open_.lowest, open_.highest) == pytest.approx((1.5, 1.0, 8 / 3))


def test_a_score_without_bounds_has_no_cases() -> None:
    found = paired_mean_difference([7, 9, NAN], [1, 1, 1], bounds=None)
    assert (found.value, found.lowest, found.n, found.unscored) == (7, None, 2, 1)
    assert found.method == "t, over the scored"
    assert paired_mean_difference([NAN], [1], bounds=None).value is None
    same = paired_mean_difference([2, 2], [1, 1], bounds=None)
    assert (same.low, same.method) == (None, "no spread to make an interval from")


def test_a_difference_of_shares_of_these_items_is_exact() -> None:
    found = enumerated_difference([1, 1, 0, 0], [0, 1, 0, 0])
    assert (found.low, found.value, found.high, found.target) == (0.25, 0.25, 0.25, "these items")
    # a's unscored at 0 and b's at 1: 1/3 − 2/3; the other way 2/3 − 1/3
    open_ = enumerated_difference([1, NAN, 0], [1, 0, NAN])
    assert (open_.lowest, open_.highest) == pytest.approx((-1 / 3, 1 / 3))
    assert (open_.value, open_.n, open_.unscored) == (0, 1, 2)
    none = enumerated_difference([NAN], [1])
    assert (none.value, none.low, none.lowest, none.highest) == (None, None, -1, 0)
    assert enumerated_difference([], []).low is None


def test_a_difference_of_shares_of_a_slice_is_for_all() -> None:
    a, b = [1.0] * 3 + [0.0] * 17, [0.0] * 3 + [1.0] + [0.0] * 16
    found = enumerated_difference(a, b, population=100)
    assert (found.target, found.method) == ("all vignettes", "Tango, 20 of 100")
    assert (found.low or 0) < 0.1 < (found.high or 0)
    assert enumerated_difference(a, b, population=20) == enumerated_difference(a, b)
    with pytest.raises(UsageError, match="20 rows of a population of 19"):
        enumerated_difference(a, b, population=19)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, 2.5, 5.0]), st.sampled_from([0.0, 1.0, 2.5, 5.0])),
        min_size=2,
        max_size=30,
    ),
    st.integers(1, 30),
)
def test_t_and_its_interval_never_contradict_each_other(
    rows: list[tuple[float, float]], few: int
) -> None:
    a, b = (np.array(one) for one in zip(*rows, strict=True))
    names = [at % few for at in range(len(rows))]
    found = paired_mean_difference(a, b, bounds=(0, 5), clusters=names)
    test = clustered_t(a - b, clusters=names, bounds=(-5, 5))
    assert found.low is not None
    assert found.high is not None
    assert test.p is not None
    if min(abs(found.low), abs(found.high)) > 1e-9:
        assert (test.p < 0.05) == (not found.low <= 0 <= found.high)


def test_nothing_to_compare() -> None:
    empty = paired_rate_difference([], [])
    assert (empty.value, empty.low, empty.n) == (None, None, 0)
    unscored = paired_rate_difference([NAN], [1])
    assert (unscored.value, unscored.lowest, unscored.highest) == (None, -1, 0)
    with pytest.raises(DataError, match="a 1, b 2"):
        paired_mean_difference([1], [1, 2], bounds=(0, 5))
    with pytest.raises(DataError, match="off the scale 0 … 5"):
        paired_mean_difference([6], [1], bounds=(0, 5))


def test_the_interval_is_covered_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(13)
    hits, runs, n = 0, 500, 60
    truth = 0.7 - 0.55
    for _ in range(runs):
        shared = random.random(n)
        # the same luck for both, half of the time
        other = np.where(random.random(n) < 0.5, shared, random.random(n))
        found = paired_rate_difference((shared < 0.7).astype(float), (other < 0.55).astype(float))
        hits += (found.low or 0) <= truth <= (found.high or 0)
    # 500 runs at 0.95: a standard error of 0.01
    assert 0.92 <= hits / runs <= 0.985
