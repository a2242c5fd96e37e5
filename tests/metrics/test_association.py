"""Kendall, Spearman and Pearson: values by hand, against scipy, under weights, and intervals."""

import numpy as np
import pytest
import scipy.stats

from normscope.metrics.association import (
    associations,
    correlation,
    moments,
    rank_association,
    ranking,
)
from normscope.metrics.estimate import Estimate

NAN = float("nan")


def values(x: object, y: object) -> list[float | None]:
    return [row.estimate.value for row in associations(x, y, resamples=1)]  # type: ignore[arg-type]


def spearman(scores: object, steps: object, **options: object) -> Estimate:
    rows = associations(scores, steps, **options)  # type: ignore[arg-type]
    return next(row.estimate for row in rows if row.name == "spearman")


def test_by_hand() -> None:
    # pairs of (x, y): (1,1)-(1,2) tied in x; (1,1)-(2,2) alike; (1,2)-(2,2) tied in y
    # C − D = 1; n₀ = 3, one tie in each: 1 / √(2 · 2)
    # ranks 1.5, 1.5, 3 and 1, 2.5, 2.5; centred −.5 −.5 1 and −1 .5 .5: .75 / 1.5
    assert values([1, 1, 2], [1, 2, 2])[:2] == pytest.approx([0.5, 0.5])
    # centred −2 0 2 and −1 1 0 (times 1): −2·−1 + 0 + 0 = 2, over √(8 · 2)
    assert values([0, 2, 4], [1, 3, 2])[2] == pytest.approx(0.5)
    # ranks differ by 0, 0, 1, 1: 1 − 6 · 2/(4 · 15) = 0.8
    assert spearman([1, 2, 4, 3], [1, 2, 3, 4]).value == pytest.approx(0.8)


@pytest.mark.parametrize("grades", [2, 5, 300])
def test_they_are_scipys(grades: int) -> None:
    random = np.random.default_rng(grades)
    x = random.normal(size=300).round(1)
    y = random.integers(0, grades, 300).astype(float) + x.round()
    theirs = (scipy.stats.kendalltau, scipy.stats.spearmanr, scipy.stats.pearsonr)
    assert values(x, y) == pytest.approx([test(x, y).statistic for test in theirs])


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


def test_clusters_that_move_together_widen_the_interval() -> None:
    random = np.random.default_rng(5)
    grades = np.tile([1.0, 2, 3, 4, 5], 40)
    questions = np.repeat(np.arange(20), 10)
    tilt = np.repeat(random.normal(0.4, 1.0, 20), 10)
    scores = grades * tilt + random.normal(0, 0.5, 200)
    alone = spearman(scores, grades)
    together = spearman(scores, grades, clusters=questions.tolist())
    width = [float(one.high or 0) - float(one.low or 0) for one in (alone, together)]
    assert width[1] > 1.3 * width[0]


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(6)
    hits = 0
    # bivariate normal with r = 0.6: Spearman's is 6/π · asin(r/2) = 0.5819
    truth = 6 / np.pi * np.arcsin(0.3)
    for seed in range(150):
        x = random.normal(0, 1, 60)
        y = 0.6 * x + 0.8 * random.normal(0, 1, 60)
        found = spearman(y, x, resamples=200, seed=seed)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= truth <= found.high
    assert hits >= 0.89 * 150


@pytest.mark.parametrize(
    ("x", "y", "told"),
    [
        ([1, 1, 1], [1, 2, 3], "do not vary"),
        ([1, 2], [5, 5], "do not vary"),
        ([1], [2], "do not vary"),
        ([1, None], [None, 2], "nothing"),
        ([NAN, NAN], [1, 2], "nothing"),
        ([], [], "nothing"),
    ],
)
def test_what_does_not_vary_has_no_association_and_says_why(x, y, told) -> None:  # type: ignore[no-untyped-def]
    for row in associations(x, y):
        assert row.estimate.value is None
        assert told in row.estimate.method
