import math

import numpy as np
import pytest
from scipy import stats

from normscope.metrics.significance import cohens_h, sign_test, wilcoxon

NAN = float("nan")


def test_wilcoxon_by_hand() -> None:
    # |d| 0 1 2 3 3: ranks 1, 2, 3, 4.5, 4.5; positive 2 + 4.5 + 4.5 of 14 without the zero's.
    # Signs of (2, 3, 4.5, 4.5) whose positive sum is ≥ 11: {2,4.5,4.5}, {3,4.5,4.5}, all: 3 of 16
    found = wilcoxon([5, 3, 4, 5, 5], [5, 2, 6, 2, 2])
    assert found.statistic == 11
    assert found.p == pytest.approx(2 * 3 / 16)
    assert found.effect == pytest.approx((11 - 3) / 15)
    assert "1 of 5 (20 %)" in found.note
    assert "sign test p = 0.625" in found.note


def test_wilcoxon_is_scipy_s_for_many_pairs() -> None:
    random = np.random.default_rng(5)
    a, b = random.integers(1, 6, 300), random.integers(1, 6, 300)
    theirs = stats.wilcoxon(a, b, zero_method="pratt", correction=False, method="approx")
    found = wilcoxon(a, b)
    assert found.p == pytest.approx(theirs.pvalue)
    assert "normal approximation" in found.note


def test_wilcoxon_is_scipy_s_exact_one_without_zeros_and_ties() -> None:
    random = np.random.default_rng(6)
    a, b = random.random(14), random.random(14)
    assert wilcoxon(a, b).p == pytest.approx(stats.wilcoxon(a, b, method="exact").pvalue)


def test_differences_that_are_equal_on_paper_are_one_tie() -> None:
    # 0.3 − 0.2 and 0.2 − 0.1 as floats differ
    found = wilcoxon([0.3, 0.2, 0.9], [0.2, 0.1, 0.3])
    assert found.statistic == 6
    assert wilcoxon([0.3, 0.2], [0.2, 0.1]).effect == 1


def test_the_exact_p_does_not_need_distinct_ranks_and_meets_the_normal_one() -> None:
    random = np.random.default_rng(9)
    a, b = random.integers(0, 4, 50), random.integers(0, 4, 50)
    exact = wilcoxon(a, b)
    normal = stats.wilcoxon(a, b, zero_method="pratt", correction=False, method="approx")
    assert "exact" in exact.note
    assert exact.p == pytest.approx(normal.pvalue, rel=0.05)


def test_wilcoxon_of_equal_columns_finds_nothing() -> None:
    found = wilcoxon([1, 2], [1, 2])
    assert (found.p, found.effect, found.statistic) == (1, 0, 0)


def test_the_sign_test_is_a_binomial_test() -> None:
    found = sign_test([2, 2, 2, 2, 1, 0], [1, 1, 1, 3, 1, 0])
    # 3 above, 1 below, 2 zeros: p of 1 of 4; (3 − 1)/6
    assert found.p == pytest.approx(stats.binomtest(1, 4).pvalue)
    assert found.effect == pytest.approx(2 / 6)


def test_effects_count_the_zeros() -> None:
    # one item in a hundred differs
    a, b = [1.0] + [0.0] * 99, [0.0] * 100
    assert wilcoxon(a, b).effect == pytest.approx(100 / 5050)
    assert cohens_h(0.01, 0) == pytest.approx(2 * math.asin(0.1))


def test_cohens_h_is_that_of_statsmodels() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    assert cohens_h(0.7, 0.45) == pytest.approx(proportion.proportion_effectsize(0.7, 0.45))


def test_nothing_scored_in_both_is_no_test() -> None:
    for test in (wilcoxon, sign_test):
        found = test([1, NAN], [NAN, 0])
        assert (found.p, found.statistic, found.n) == (None, None, 0)
        assert found.note == "no item is scored in both"
