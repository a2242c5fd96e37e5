import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from normscope.errors import DataError
from normscope.metrics.newcombe import newcombe_paired
from normscope.metrics.paired import (
    exact_difference,
    paired_mean_difference,
    paired_rate_difference,
)

NAN = float("nan")


def pairs(both: int, only_a: int, only_b: int, neither: int) -> tuple[list[float], list[float]]:
    a = [1.0] * (both + only_a) + [0.0] * (only_b + neither)
    b = [1.0] * both + [0.0] * only_a + [1.0] * only_b + [0.0] * neither
    return a, b


def test_newcombe_s_interval_is_that_of_a_package_in_r() -> None:
    # the tests of R's contingencytables have −0.0621, −0.1186 to −0.0046 for Cavo's data (2012)
    found = paired_rate_difference(*pairs(59, 6, 16, 80))
    printed = (found.value, found.low, found.high)
    assert printed == pytest.approx((-0.0621, -0.1186, -0.0046), abs=5e-5)


def test_newcombe_with_what_is_shared_by_hand() -> None:
    # 12 both, 4 a alone, 2 b alone, 6 neither of 24: p 16/24 and 14/24. Wilson (scipy)
    # 0.467 to 0.820 and 0.388 to 0.755. 12 · 6 − 4 · 2 = 64, less n/2 = 52, over
    # √(16 · 8 · 14 · 10)
    one, other = (stats.binomtest(k, 24).proportion_ci(method="wilson") for k in (16, 14))
    shared = 52 / (16 * 8 * 14 * 10) ** 0.5
    low, high = (
        (x**2 - 2 * shared * x * y + y**2) ** 0.5
        for x, y in (
            (16 / 24 - one.low, other.high - 14 / 24),
            (one.high - 16 / 24, 14 / 24 - other.low),
        )
    )
    found = paired_rate_difference(*pairs(12, 4, 2, 6))
    assert (found.low, found.high) == pytest.approx((2 / 24 - low, 2 / 24 + high))


def test_newcombe_by_hand_where_nothing_is_shared() -> None:
    # a always, b never: no correlation; Wilson 4 of 4 from 4/(4 + 3.8415) = 0.51011, 0 of 4 to
    # 0.48989: 1 − √(0.48989² + 0.48989²)
    found = paired_rate_difference([1] * 4, [0] * 4)
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(1 - 0.48989 * 2**0.5, abs=1e-5)


def test_unscored_items_widen_the_bounds_and_leave_the_value() -> None:
    a, b = [1, 1, 0, NAN, 1, NAN], [0, 1, 0, 1, NAN, NAN]
    found = paired_rate_difference(a, b)
    # over the first three 2/3 − 1/3; worst a 3/6, b (1 + 0 + 1 + 1 + 1)/6 = 4/6; best a 5/6, b 2/6
    assert (found.n, found.unscored) == (3, 3)
    assert (found.value, found.worst, found.best) == pytest.approx((1 / 3, -1 / 6, 3 / 6))
    low = paired_rate_difference([1, 1, 0, 0, 1, 0], [0, 1, 0, 1, 1, 1]).low
    high = paired_rate_difference([1, 1, 0, 1, 1, 1], [0, 1, 0, 1, 0, 0]).high
    assert (found.low, found.high) == (low, high)


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


def test_one_row_per_cluster_is_nearly_newcombe_s() -> None:
    a, b = pairs(40, 12, 8, 60)
    alone = paired_rate_difference(a, b)
    clustered = newcombe_paired(np.array(a), np.array(b), clusters=np.arange(120))
    # t for z, and no correction of the correlation for continuity
    assert clustered.low == pytest.approx(alone.low, abs=0.005)
    assert clustered.high == pytest.approx(alone.high, abs=0.005)


def test_doubled_rows_add_no_certainty() -> None:
    a, b = pairs(20, 6, 3, 21)
    once = paired_rate_difference(a, b, clusters=range(50))
    once_alone = newcombe_paired(np.array(a), np.array(b), clusters=np.arange(50))
    twice = paired_rate_difference(a * 2, b * 2, clusters=[*range(50), *range(50)])
    assert (twice.low, twice.high) == pytest.approx((once_alone.low, once_alone.high))
    assert twice.method == "Newcombe, paired, over 50 clusters"
    # clusters of one row are no clusters
    assert once.method == "Newcombe, paired"


def test_a_mean_difference_is_the_paired_t_interval() -> None:
    random = np.random.default_rng(3)
    a, b = random.uniform(0, 5, 40), random.uniform(0, 5, 40)
    theirs = stats.ttest_rel(a, b).confidence_interval(0.9)
    found = paired_mean_difference(a, b, bounds=(0, 5), level=0.9)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_a_mean_difference_by_hand() -> None:
    # differences 1, 2, 3: 2 ± 4.302653/√3
    found = paired_mean_difference([2, 4, 5], [1, 2, 2], bounds=(0, 5))
    half = 4.302653 / 3**0.5
    assert (found.low, found.high) == pytest.approx((2 - half, 2 + half), abs=1e-5)
    # the cases of an unscored b: at 5 and at 0
    open_ = paired_mean_difference([2, 4, 5], [1, 2, NAN], bounds=(0, 5))
    assert (open_.value, open_.worst, open_.best) == pytest.approx((1.5, 1.0, 8 / 3))


def test_a_score_without_bounds_has_no_cases() -> None:
    found = paired_mean_difference([7, 9, NAN], [1, 1, 1], bounds=None)
    assert (found.value, found.worst, found.n, found.unscored) == (7, None, 2, 1)
    assert found.method == "t, over the scored"
    assert paired_mean_difference([NAN], [1], bounds=None).value is None
    same = paired_mean_difference([2, 2], [1, 1], bounds=None)
    assert (same.low, same.method) == (None, "no spread to make an interval from")


def test_a_difference_of_shares_of_these_items_is_exact() -> None:
    found = exact_difference([1, 1, 0, 0], [0, 1, 0, 0])
    assert (found.low, found.value, found.high, found.target) == (0.25, 0.25, 0.25, "these items")
    # a's unscored at 0 and b's at 1: 1/3 − 2/3; the other way 2/3 − 1/3
    open_ = exact_difference([1, NAN, 0], [1, 0, NAN])
    assert (open_.worst, open_.best) == pytest.approx((-1 / 3, 1 / 3))
    assert (open_.value, open_.n, open_.unscored) == (0, 1, 2)
    none = exact_difference([NAN], [1])
    assert (none.value, none.low, none.high) == (None, -1, 0)
    assert exact_difference([], []).low is None


def test_nothing_to_compare() -> None:
    empty = paired_rate_difference([], [])
    assert (empty.value, empty.low, empty.n) == (None, None, 0)
    unscored = paired_rate_difference([NAN], [1])
    assert (unscored.value, unscored.worst, unscored.best) == (None, -1, 0)
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
