"""Kendall, Spearman and Pearson: values by hand, against scipy, and under weights."""

import numpy as np
import pytest
import scipy.stats

from normscope.metrics.association import (
    correlation,
    kendall_tau_b,
    moments,
    pearson,
    rank_association,
    ranking,
    spearman,
)


def test_tied_pairs_count_in_neither_direction() -> None:
    # pairs of (x, y): (1,1)-(1,2) tied in x; (1,1)-(2,2) alike; (1,2)-(2,2) tied in y
    # C − D = 1; n₀ = 3, one tie in each: 1 / √(2 · 2)
    assert kendall_tau_b([1, 1, 2], [1, 2, 2]) == pytest.approx(0.5)


def test_mid_ranks_make_spearman() -> None:
    # ranks 1.5, 1.5, 3 and 1, 2.5, 2.5; centred −.5 −.5 1 and −1 .5 .5: .75 / 1.5
    assert spearman([1, 1, 2], [1, 2, 2]) == pytest.approx(0.5)


def test_pearson_by_hand() -> None:
    # centred −2 0 2 and −1 1 0 (times 1): −2·−1 + 0 + 0 = 2, over √(8 · 2)
    assert pearson([0, 2, 4], [1, 3, 2]) == pytest.approx(0.5)


@pytest.mark.parametrize("grades", [2, 4, 5, 300])
def test_they_are_scipys(grades: int) -> None:
    random = np.random.default_rng(grades)
    x = random.normal(size=300).round(1)
    y = random.integers(0, grades, 300).astype(float) + x.round()
    assert kendall_tau_b(x, y) == pytest.approx(scipy.stats.kendalltau(x, y).statistic)
    assert spearman(x, y) == pytest.approx(scipy.stats.spearmanr(x, y).statistic)
    assert pearson(x, y) == pytest.approx(scipy.stats.pearsonr(x, y).statistic)


@pytest.mark.parametrize("few", [True, False])
def test_a_weight_is_so_many_equal_rows(few: bool) -> None:
    random = np.random.default_rng(1)
    x = random.integers(0, 3, 40).astype(float) if few else random.normal(size=40)
    y = random.integers(0, 3, 40).astype(float)
    units = np.arange(40) // 2
    weights = random.integers(0, 3, (6, 20)).astype(float)
    tau, rho, _ = rank_association(ranking(x, y, units), weights)
    per_unit = np.stack([moments(x, y)[units == unit].sum(axis=0) for unit in range(20)])
    r = correlation(weights @ per_unit)
    for at, row in enumerate(weights):
        times = row[units].astype(int)
        long = np.repeat(x, times), np.repeat(y, times)
        assert tau[at] == pytest.approx(scipy.stats.kendalltau(*long).statistic)
        assert rho[at] == pytest.approx(scipy.stats.spearmanr(*long).statistic)
        assert r[at] == pytest.approx(scipy.stats.pearsonr(*long).statistic)


@pytest.mark.parametrize("statistic", [kendall_tau_b, spearman, pearson])
@pytest.mark.parametrize(
    ("x", "y"),
    [([1, 1, 1], [1, 2, 3]), ([1, 2], [5, 5]), ([1, None], [None, 2]), ([], []), ([1], [2])],
)
def test_what_does_not_vary_has_no_association(statistic, x, y) -> None:  # type: ignore[no-untyped-def]
    assert statistic(x, y) is None
