import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError, UsageError
from normscope.metrics.bootstrap import bootstrap_mean, crossed_bootstrap
from normscope.metrics.cfsafety import cfsafety_score
from normscope.metrics.intervals import Interval, mean_interval
from normscope.metrics.rates import mean


def limits(interval: Interval | None) -> list[float]:
    assert interval is not None
    return [interval.low, interval.high]


def skewed(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).beta(0.4, 2, n) * 5


def test_it_is_scipy_s_bias_corrected_and_accelerated_interval() -> None:
    values = skewed(120)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval
    # both are draws: a tenth of the width
    found = bootstrap_mean(values, resamples=9999)
    assert limits(found) == pytest.approx([theirs.low, theirs.high], abs=0.05)


def test_the_limits_are_quantiles_of_the_resamples() -> None:
    # half the values 0 and half 1: no skew and no bias, so about 0.5 ± 1.96 · 0.5/√400
    values = np.tile([0.0, 1.0], 200)
    assert limits(bootstrap_mean(values, resamples=4000)) == pytest.approx(
        [0.451, 0.549], abs=0.006
    )


def test_the_same_values_give_the_same_interval() -> None:
    values = skewed(80)
    assert bootstrap_mean(values) == bootstrap_mean(values)
    assert bootstrap_mean(values) != bootstrap_mean(values, seed=1)


def test_strata_take_what_differs_between_them_out() -> None:
    random = np.random.default_rng(2)
    layers = np.repeat(np.arange(10), 30)
    values = layers + random.normal(0, 0.1, 300)
    narrow, wide = bootstrap_mean(values, strata=layers), bootstrap_mean(values)
    assert np.diff(limits(narrow)) < 0.1 * np.diff(limits(wide))
    # Σ W_h² s_h²/n_h with W 1/10: 0.1/√300
    assert np.diff(limits(narrow))[0] == pytest.approx(2 * 1.96 * 0.1 / 300**0.5, rel=0.15)


def test_clusters_are_redrawn_whole() -> None:
    random = np.random.default_rng(3)
    centres = np.repeat(random.normal(2, 1, 60), 10)
    values = np.clip(centres + random.normal(0, 0.1, 600), 0, 5)
    codes = np.repeat(np.arange(60), 10)
    found = limits(bootstrap_mean(values, clusters=codes))
    assert found == pytest.approx(limits(mean_interval(values, clusters=codes)), abs=0.06)
    assert np.diff(found) > 2.5 * np.diff(limits(bootstrap_mean(values)))


def test_uneven_clusters_in_strata_meet_the_linearised_interval() -> None:
    random = np.random.default_rng(4)
    sizes = random.integers(1, 8, 200)
    codes = np.repeat(np.arange(200), sizes)
    values = np.repeat(random.normal(0, 1, 200), sizes) + random.normal(0, 0.5, len(codes))
    one = limits(bootstrap_mean(values, clusters=codes, strata=np.zeros(len(codes))))
    assert one == pytest.approx(limits(mean_interval(values, clusters=codes)), abs=0.06)


def test_under_fifty_clusters_it_is_student_s_and_says_so() -> None:
    values = skewed(49)
    found = bootstrap_mean(values, bounds=(0, 5))
    assert limits(found) == limits(mean_interval(values, bounds=(0, 5)))
    assert found is not None
    assert found.method == "t; fewer than 50 for a bootstrap"


def test_no_spread_is_bounded_as_ever() -> None:
    found = bootstrap_mean(np.full(100, 4.0), bounds=(0, 5))
    assert limits(found) == limits(mean_interval(np.full(100, 4.0), bounds=(0, 5)))
    assert bootstrap_mean(np.full(100, 4.0)) is None


def test_a_mean_may_be_bootstrapped_with_its_unscored() -> None:
    values = [*skewed(100).tolist(), None]
    found = mean(values, bounds=(0, 5), method="bootstrap")
    assert [found.low, found.high] == limits(bootstrap_mean(values[:-1], bounds=(0, 5)))
    assert found.lowest == np.mean([*values[:-1], 0.0])
    assert found.highest == np.mean([*values[:-1], 5.0])
    free = mean(values, bounds=None, method="bootstrap", strata=["x"] * 101)
    assert free.low == limits(bootstrap_mean(values[:-1]))[0]
    with pytest.raises(UsageError, match="redrawn within by the bootstrap; ask for its interval"):
        mean(values, bounds=(0, 5), strata=["x"] * 101)


def test_cfsafety_scores_may_be_bootstrapped_within_categories() -> None:
    random = np.random.default_rng(5)
    categories = [f"c{at % 10}" for at in range(200)]
    table = cfsafety_score(
        random.random(200), 1 + 4 * random.random(200), interval="bootstrap", strata=categories
    )
    told = [row.estimate.method for row in table[:3]]
    assert told == ["bootstrap of 200 values, 1000 resamples, 10 strata"] * 3


def test_a_crossed_bootstrap_knows_variants_and_items() -> None:
    random = np.random.default_rng(6)
    items, variants = random.normal(0, 1, (400, 1)), random.normal(0, 0.3, (1, 11))
    found = crossed_bootstrap(items + variants + random.normal(0, 0.5, (400, 11)))
    # √(1/400 + 0.3²/11) ≈ 0.10, of which the variants are the larger part; t(10) = 2.228
    spread = (1 / 400 + float(np.var(variants, ddof=1)) / 11) ** 0.5
    assert (found.high - found.low) / 2 == pytest.approx(2.228 * spread, rel=0.15)


def test_a_crossed_bootstrap_has_the_variance_of_two_crossed_samples() -> None:
    api = pytest.importorskip("statsmodels.api")
    sandwich = pytest.importorskip("statsmodels.stats.sandwich_covariance")
    random = np.random.default_rng(12)
    cells = (
        random.normal(0, 1, (300, 1)) + random.normal(0, 0.4, 11) + random.normal(0, 1, (300, 11))
    )
    items, variants = np.indices(cells.shape)
    fit = api.OLS(cells.ravel(), np.ones(cells.size)).fit()
    both = sandwich.cov_cluster_2groups(fit, items.ravel(), variants.ravel())[0]
    half = float(stats.t.ppf(0.975, 10)) * both[0, 0] ** 0.5
    found = crossed_bootstrap(cells, resamples=4000)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.08)


def test_the_mean_is_over_the_variants_means_however_many_answers_each_has() -> None:
    cells = np.tile([0.0, 1.0, 2.0], (40, 1)) + np.arange(40)[:, None] % 2
    cells[5:, 2] = np.nan
    found = crossed_bootstrap(cells, resamples=2000)
    # the variants' means are 0.5, 1.5 and 2.4 of five, not 0.5, 1.5 and five answers in 85
    assert found.low < (0.5 + 1.5 + 2.4) / 3 < found.high
    assert (found.low + found.high) / 2 == pytest.approx(4.4 / 3, abs=0.25)


def test_a_crossed_bootstrap_leaves_gaps_out() -> None:
    cells = np.random.default_rng(7).normal(1, 1, (300, 11))
    gappy = np.where(np.random.default_rng(8).random(cells.shape) < 0.1, np.nan, cells)
    whole, holed = crossed_bootstrap(cells), crossed_bootstrap(gappy)
    assert (holed.low, holed.high) == pytest.approx((whole.low, whole.high), abs=0.05)
    with pytest.raises(UsageError, match="needs two of each"):
        crossed_bootstrap([[1], [2]])


def test_orders_of_one_variant_are_redrawn_together() -> None:
    cells = np.random.default_rng(9).normal(0, 1, (50, 1)) + np.arange(6.0)
    once = crossed_bootstrap(cells)
    twice = crossed_bootstrap(cells.repeat(2, axis=1), variants=[at // 2 for at in range(12)])
    assert (once.low, once.high) == pytest.approx((twice.low, twice.high))
    assert once.method == twice.method


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(UsageError, match="without gaps"):
        bootstrap_mean([1, None])
    with pytest.raises(UsageError, match="10 resamples"):
        bootstrap_mean(skewed(60), resamples=10)
    with pytest.raises(DataError, match="values 60, strata 2"):
        bootstrap_mean(skewed(60), strata=["x", "y"])
