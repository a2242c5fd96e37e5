"""Tests, effect sizes and corrected p: by hand, and against scipy and statsmodels."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels import api
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.proportion import proportion_effectsize

from normscope.errors import DataError
from normscope.metrics.intervals import mean_interval
from normscope.metrics.significance import (
    benjamini_hochberg,
    clustered_t,
    cohens_h,
    friedman,
    holm,
    repeated_anova,
    sign_test,
    wilcoxon,
)

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
    assert cohens_h(0.7, 0.45) == pytest.approx(proportion_effectsize(0.7, 0.45))


def test_nothing_scored_in_both_is_no_test() -> None:
    for test in (wilcoxon, sign_test):
        found = test([1, NAN], [NAN, 0])
        assert (found.p, found.statistic, found.n) == (None, None, 0)
        assert found.note == "no item is scored in both"
    assert clustered_t([NAN]).p is None


def test_t_without_clusters_is_scipy_s() -> None:
    values = np.random.default_rng(1).normal(0.2, 1, 40)
    found, theirs = clustered_t(values), stats.ttest_1samp(values, 0)
    assert found.statistic == pytest.approx(theirs.statistic)
    assert found.p == pytest.approx(theirs.pvalue)


def test_t_with_clusters_is_statsmodels_robust_one() -> None:
    random = np.random.default_rng(2)
    groups = np.repeat(np.arange(15), 4)
    values = random.normal(0.1, 1, 60) + np.repeat(random.normal(0, 1, 15), 4)
    fitted = api.OLS(values, np.ones(60)).fit(
        cov_type="cluster",
        cov_kwds={"groups": groups, "use_correction": True, "df_correction": True},
        use_t=True,
    )
    found = clustered_t(values, clusters=groups.tolist())
    # theirs has the factor (n − 1)/(n − 1) = 1 and C/(C − 1) as ours
    assert found.statistic == pytest.approx(fitted.tvalues[0])
    assert found.p == pytest.approx(fitted.pvalues[0])


def test_a_clustered_t_by_hand() -> None:
    # clusters (0, 0) and (2, 2): mean 1, residual sums −2 and 2, se √(2 · 8)/4 = 1, t = 1, df 1
    # P(|T₁| > 1) = 1 − 2/π · atan 1 = 0.5
    found = clustered_t([0, 0, 2, 2], clusters=["a", "a", "b", "b"])
    assert found.statistic == pytest.approx(1.0)
    assert found.p == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("values", "p"),
    [
        ([0.0] * 9, 1.0),  # no difference anywhere
        ([0.2] * 9, 2**-8),  # nine coins alike: 2 · 2⁻⁹
        ([0.2], 1.0),  # one pair says nothing
    ],
)
def test_differences_without_spread(values: list[float], p: float) -> None:
    assert clustered_t(values).p == pytest.approx(p)


def test_differences_without_spread_have_the_p_of_their_interval() -> None:
    # 20 items, all 1 apart on −5 … 5: z = √(20 · 1/5) = 2
    found = clustered_t([1.0] * 20, bounds=(-5, 5))
    assert found.p == pytest.approx(2 * stats.norm.sf(2))
    limits = mean_interval(np.ones(20), bounds=(-5, 5), level=1 - 2 * stats.norm.sf(2))
    assert limits is not None
    assert limits.low == pytest.approx(0, abs=1e-12)


def test_corrections_by_hand() -> None:
    p = [0.01, 0.04, 0.03, 0.005]
    # ascending 0.005 0.01 0.03 0.04; Holm ×4 ×3 ×2 ×1: 0.02 0.03 0.06 0.06
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # ×4/1 ×4/2 ×4/3 ×4/4: 0.02 0.02 0.04 0.04
    assert benjamini_hochberg(p) == pytest.approx([0.02, 0.04, 0.04, 0.02])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrected_values_are_larger_and_in_the_same_order(p: list[float]) -> None:
    for corrected in (holm(p), benjamini_hochberg(p)):
        assert (corrected >= np.array(p) - 1e-15).all()
        assert (np.diff(corrected[np.argsort(p)]) >= -1e-15).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-15).all()


def test_what_was_not_tested_is_not_counted() -> None:
    np.testing.assert_allclose(holm([0.02, None, 0.5]), [0.04, np.nan, 0.5])
    assert holm([]).shape == (0,)
    with pytest.raises(DataError, match="off the scale"):
        holm([1.5])


def table(blocks: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-2, 3, (blocks, 4)).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_friedman_is_scipy_s_with_ties(seed: int) -> None:
    cells = table(30, seed)
    theirs = stats.friedmanchisquare(*cells.T)
    found = friedman(cells)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_friedman_by_hand() -> None:
    # ranks 1 2 3, 1 2 3: sums 2, 4, 6 about 4; χ² = 2 · 8 / 4 = 4, W = 4/(2 · 2) = 1
    found = friedman([[1, 5, 9], [0, 1, 2], [NAN, 1, 2]])
    assert (found.statistic, found.effect, found.n) == pytest.approx((4, 1, 2))
    assert "2 of 3 blocks have every condition" in found.note


@pytest.mark.parametrize("seed", range(3))
def test_the_anova_is_that_of_statsmodels(seed: int) -> None:
    cells = table(20, seed)
    rows = [(i, j, cells[i, j]) for i in range(20) for j in range(4)]
    frame = pd.DataFrame(rows, columns=["flow", "model", "value"])
    theirs = AnovaRM(frame, "value", "flow", within=["model"]).fit().anova_table
    found = repeated_anova(cells)
    assert found.statistic == pytest.approx(theirs["F Value"].iloc[0])
    assert found.p == pytest.approx(theirs["Pr > F"].iloc[0])


def test_two_conditions_are_the_paired_t_test() -> None:
    cells = table(20, 7)[:, :2]
    theirs = stats.ttest_rel(cells[:, 0], cells[:, 1])
    found = repeated_anova(cells)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic**2, theirs.pvalue))


def test_conditions_of_which_nothing_can_be_tested() -> None:
    assert friedman([[NAN, 1]]).p is None
    assert repeated_anova([[1, 2]]).p is None
    assert repeated_anova([[1, 2], [2, 3]]).note == "the conditions differ by constants"
    same = friedman([[1, 1, 1], [2, 2, 2]])
    assert (same.p, same.effect) == (1, 0)
    with pytest.raises(DataError, match="needs two"):
        friedman([[1], [2]])
