import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from normscope.errors import UsageError
from normscope.metrics.intervals import (
    Interval,
    clopper_pearson,
    clustered_rate,
    mean_interval,
    wilson,
)


def limits(interval: Interval | None) -> list[float]:
    assert interval is not None
    return [interval.low, interval.high]


@pytest.mark.parametrize("k", range(0, 21, 4))
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_rate_intervals_are_those_of_scipy(k: int, level: float) -> None:
    result = stats.binomtest(k, 20)
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = result.proportion_ci(level, method=method)  # type: ignore[arg-type]
        assert limits(ours(k, 20, level=level)) == pytest.approx([theirs.low, theirs.high])


@given(n=st.integers(1, 500), data=st.data())
def test_rate_intervals_hold_the_rate_and_mirror(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    for interval in (wilson, clopper_pearson):
        low, high = limits(interval(k, n))
        mirrored = limits(interval(n - k, n))
        assert 0 <= low <= k / n <= high <= 1
        assert low < high
        assert [1 - high, 1 - low] == pytest.approx(mirrored, abs=1e-9)


def test_clopper_pearson_never_covers_less_than_asked() -> None:
    n = 30
    ends = [limits(clopper_pearson(k, n)) for k in range(n + 1)]
    for p in np.linspace(0.01, 0.99, 99):
        inside = [low <= p <= high for low, high in ends]
        assert stats.binom.pmf(np.arange(n + 1), n, p)[inside].sum() >= 0.95


def test_mean_interval_is_student_t() -> None:
    values = np.array([0.2, 0.9, 0.4, 0.7, 0.65])
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert limits(mean_interval(values, level=0.9)) == pytest.approx([theirs.low, theirs.high])


def test_clusters_by_hand() -> None:
    # mean 3; residual sums −3, 0, 3; var = 3/2 · 18 / 36 = 0.75; t(2) = 4.302653
    values = np.array([1.0, 2.0, 3.0, 3.0, 4.0, 5.0])
    half = 4.302653 * math.sqrt(0.75)
    found = mean_interval(values, clusters=np.array([0, 0, 1, 1, 2, 2]))
    assert limits(found) == pytest.approx([3 - half, 3 + half], abs=1e-5)


def test_a_clustered_mean_is_statsmodels_robust_variance() -> None:
    api = pytest.importorskip("statsmodels.api")
    random = np.random.default_rng(3)
    codes = np.repeat(np.arange(12), random.integers(1, 6, 12))
    values = random.normal(0, 1, 12)[codes] + random.normal(0, 1, len(codes))
    told = {"groups": codes, "use_correction": True, "df_correction": True}
    fit = api.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds=told, use_t=True)
    low, high = fit.conf_int()[0]
    assert limits(mean_interval(values, clusters=codes)) == pytest.approx([low, high])


def test_a_clustered_rate_is_that_of_a_survey_package_s_variance() -> None:
    api = pytest.importorskip("statsmodels.api")
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    random = np.random.default_rng(4)
    codes = np.repeat(np.arange(30), 4)
    outcomes = (random.random(120) < np.repeat(random.beta(1, 2, 30), 4)).astype(float)
    fit = api.OLS(outcomes, np.ones(120)).fit(cov_type="cluster", cov_kwds={"groups": codes})
    rate = outcomes.mean()
    effective = rate * (1 - rate) / fit.cov_params()[0, 0]
    assert effective < 120
    # Wilson's with t(29) for z
    alpha = 2 * stats.norm.sf(stats.t.ppf(0.975, 29))
    theirs = proportion.proportion_confint(rate * effective, effective, alpha, method="wilson")
    assert limits(clustered_rate(outcomes, codes)) == pytest.approx(list(theirs))


def test_the_interval_is_clipped_to_the_bounds() -> None:
    found = limits(mean_interval(np.array([0.0, 1.0, 1.0]), bounds=(0, 1)))
    assert found[1] == 1.0


def test_one_value_or_cluster_gives_the_bounds_and_nothing_without_them() -> None:
    one, together = np.array([3.0]), np.array([1.0, 2.0])
    zeros = np.array([0, 0])
    assert limits(mean_interval(one, bounds=(1, 5))) == [1, 5]
    assert limits(mean_interval(together, clusters=zeros, bounds=(1, 5))) == [1, 5]
    assert mean_interval(one) is None
    assert mean_interval(together, clusters=zeros) is None
    assert limits(clustered_rate(np.array([0.0, 1.0]), zeros)) == [0, 1]


def test_no_spread_is_not_no_uncertainty() -> None:
    # z²/(z² + 4) = 0.48989 of the population may differ: 4 − 0.48989 · 4, 4 + 0.48989 · 1
    found = mean_interval(np.full(4, 4.0), bounds=(0, 5))
    assert limits(found) == pytest.approx([2.04043, 4.48989], abs=1e-5)
    # each cluster holds a 0 and a 1: no cluster departs from the mean
    balanced = mean_interval(np.tile([0.0, 1.0], 4), clusters=np.repeat(range(4), 2), bounds=(0, 1))
    assert limits(balanced) == pytest.approx([0.255053, 0.744947], abs=1e-5)
    assert mean_interval(np.full(4, 4.0)) is None


def test_equal_outcomes_count_clusters_and_uneven_ones_less() -> None:
    ones = np.ones(6)
    assert limits(clustered_rate(ones, np.array([0, 0, 1, 1, 2, 2]))) == pytest.approx(
        limits(wilson(3, 3))
    )
    # sizes 4, 1, 1: 36/18 = 2 effective clusters
    uneven = clustered_rate(ones, np.array([0, 0, 0, 0, 1, 2]))
    assert limits(uneven) == pytest.approx(limits(wilson(2, 2)))


def test_a_clustered_rate_by_hand() -> None:
    # rate 0.5; residual sums 1, −1, 0, 0; var = 4/3 · 2 / 64 = 1/24; effective n 0.25 · 24 = 6;
    # t(3)² = 10.1280: half the width (√(10.128 · 0.25 / 6 + 10.128² / 144)) / (1 + 10.128 / 6)
    outcomes = np.array([1.0, 1, 0, 0, 1, 0, 1, 0])
    low, high = limits(clustered_rate(outcomes, np.repeat(range(4), 2)))
    squared = 10.1280
    half = math.sqrt(squared / 24 + squared**2 / 144) / (1 + squared / 6)
    assert [low, high] == pytest.approx([0.5 - half, 0.5 + half], abs=1e-5)


def simulated(p: float, clusters: int, size: int, correlation: float, runs: int = 600) -> float:
    """The share of samples of beta-binomial clusters whose interval holds p."""
    random = np.random.default_rng(7)
    codes = np.repeat(np.arange(clusters), size)
    spread = 1 / correlation - 1
    hits = 0
    for _ in range(runs):
        rates = random.beta(p * spread, (1 - p) * spread, clusters)
        outcomes = (random.random(clusters * size) < np.repeat(rates, size)).astype(float)
        found = clustered_rate(outcomes, codes)
        hits += found.low <= p <= found.high
    return hits / runs


@pytest.mark.parametrize(("p", "clusters", "size"), [(0.5, 25, 8), (0.1, 200, 2), (0.03, 200, 2)])
def test_a_clustered_rate_is_covered_about_as_often_as_it_says(
    p: float, clusters: int, size: int
) -> None:
    # 600 runs at 0.95: a standard error of 0.009
    assert 0.92 <= simulated(p, clusters, size, correlation=0.5) <= 0.985


def test_a_clustered_mean_is_covered_where_a_naive_one_is_not() -> None:
    random = np.random.default_rng(11)
    codes = np.repeat(np.arange(30), 6)
    robust = naive = 0
    for _ in range(400):
        values = np.repeat(random.normal(0, 1, 30), 6) + random.normal(0, 0.5, 180)
        for_clusters, for_rows = mean_interval(values, clusters=codes), mean_interval(values)
        robust += limits(for_clusters)[0] <= 0 <= limits(for_clusters)[1]
        naive += limits(for_rows)[0] <= 0 <= limits(for_rows)[1]
    # 400 runs at 0.95: a standard error of 0.011
    assert 0.915 <= robust / 400 <= 0.98
    assert naive / 400 < 0.7


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_that_is_no_probability_is_refused(level: float) -> None:
    with pytest.raises(UsageError, match=r"for example 0\.95"):
        wilson(1, 2, level=level)


@pytest.mark.parametrize(("k", "n"), [(1, 0), (-1, 3), (4, 3)])
def test_counts_that_make_no_rate_are_refused(k: int, n: int) -> None:
    for interval in (wilson, clopper_pearson):
        with pytest.raises(UsageError, match="a rate needs n > 0"):
            interval(k, n)
