"""Clusters redrawn: what is drawn, and that the intervals cover."""

import numpy as np
import pytest
from scipy.stats import norm, t

from normscope.errors import UsageError
from normscope.metrics.inputs import Floats
from normscope.metrics.resampling import expanded_percentiles, resampled


def mean_of(values: Floats, units: Floats) -> object:
    """Computes the weighted mean of rows, from the weight of each unit."""
    sums = np.bincount(units.astype(int), weights=values)
    sizes = np.bincount(units.astype(int)).astype(float)
    return lambda weights: ((weights @ sums) / (weights @ sizes))[:, None]


def test_as_many_units_are_drawn_as_there_are() -> None:
    drawn = resampled(lambda weights: weights, 7, resamples=100)
    assert drawn.shape == (100, 7)
    assert (drawn.sum(axis=1) == 7).all()


def test_the_draws_hang_on_seed_and_units_alone() -> None:
    one = resampled(lambda weights: weights, 5, resamples=50, seed=3)
    assert (one == resampled(lambda weights: weights, 5, resamples=50, seed=3)).all()
    assert (one != resampled(lambda weights: weights, 5, resamples=50, seed=4)).any()


def test_quantiles_are_expanded_by_hand() -> None:
    # the draws 0 … 1 are their own quantiles; for 5 units Φ(−2.776 · √(5/4))
    tail = norm.cdf(-t.ppf(0.975, 4) * np.sqrt(5 / 4))
    found = expanded_percentiles(np.linspace(0, 1, 100_001), 5)
    assert found == pytest.approx((tail, 1 - tail), abs=1e-4)


def test_clusters_widen_what_independent_rows_would_give() -> None:
    random = np.random.default_rng(0)
    values = np.repeat(random.normal(size=60), 5) + 0.2 * random.normal(size=300)
    widths = []
    for units in (np.arange(300), np.arange(300) // 5):
        draws = resampled(mean_of(values, units), int(units.max()) + 1)  # type: ignore[arg-type]
        found = expanded_percentiles(draws[:, 0], int(units.max()) + 1)
        assert found is not None
        widths.append(found[1] - found[0])
    # equal rows of a cluster: the standard error is about √5 times as large
    assert 1.9 < widths[1] / widths[0] < 2.5


@pytest.mark.parametrize("units", [10, 60])
def test_the_interval_covers_also_with_few_units(units: int) -> None:
    random = np.random.default_rng(units)
    covered = 0
    for seed in range(300):
        values = random.normal(size=units)
        draws = resampled(mean_of(values, np.arange(units)), units, resamples=400, seed=seed)  # type: ignore[arg-type]
        found = expanded_percentiles(draws[:, 0], units)
        assert found is not None
        covered += found[0] <= 0 <= found[1]
    # 95 % of 300 with three standard errors of 1.26 points
    assert 0.91 <= covered / 300 <= 0.99


def test_there_is_no_interval_of_one_unit_or_without_spread_or_mostly_undefined() -> None:
    draws = np.linspace(0, 1, 100)
    assert expanded_percentiles(draws, 1) is None
    assert expanded_percentiles(np.ones(100), 50) is None
    assert expanded_percentiles(np.where(draws < 0.3, np.nan, draws), 50) is None
    assert expanded_percentiles(np.where(draws < 0.1, np.nan, draws), 50) is not None


def test_a_bootstrap_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="0 units"):
        resampled(lambda weights: weights, 0)
