"""A mean difference tested where pairs belong together."""

import math

import numpy as np
import pytest
from scipy import stats

from normscope.metrics.intervals import mean_interval, spread, student
from normscope.metrics.significance import clustered_t


def test_without_clusters_it_is_scipy_s_t_test() -> None:
    values = np.random.default_rng(1).normal(0.2, 1, 40)
    found, theirs = clustered_t(values), stats.ttest_1samp(values, 0)
    assert found.statistic == pytest.approx(theirs.statistic)
    assert found.p == pytest.approx(theirs.pvalue)


def test_with_clusters_it_is_statsmodels_robust_t() -> None:
    api = pytest.importorskip("statsmodels.api")
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


def test_by_hand() -> None:
    # clusters (0, 0) and (2, 2): mean 1, residual sums −2 and 2, se √(2 · 8)/4 = 1, t = 1, df 1
    # P(|T₁| > 1) = 1 − 2/π · atan 1 = 0.5
    found = clustered_t([0, 0, 2, 2], clusters=["a", "a", "b", "b"])
    assert found.statistic == pytest.approx(1.0)
    assert found.p == pytest.approx(0.5)


def test_it_rejects_where_the_interval_leaves_out_zero() -> None:
    values = np.array([0.1, 0.3, 0.2, 0.5, -0.1])
    error = spread(values).error
    found = mean_interval(values)
    assert found is not None
    assert error is not None
    assert (found.high - found.low) / 2 == pytest.approx(student(0.95, 4) * error)


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


def test_nothing_scored_is_not_tested() -> None:
    assert clustered_t([math.nan]).p is None
