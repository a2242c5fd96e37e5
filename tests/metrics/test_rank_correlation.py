"""Whether scores rise with a known order of steps."""

import numpy as np
import pytest
from scipy import stats

from normscope.metrics.association import rank_correlation

NAN = float("nan")


def test_by_hand() -> None:
    # ranks differ by 0, 0, 1, 1: 1 − 6 · 2/(4 · 15) = 0.8
    assert rank_correlation([1, 2, 4, 3], [1, 2, 3, 4]).value == pytest.approx(0.8)


def test_it_is_scipy_s_with_ties() -> None:
    random = np.random.default_rng(4)
    grades = np.tile([1, 2, 3, 4, 5], 30)
    scores = np.round(grades + random.normal(0, 1, 150))
    found = rank_correlation(scores, grades, resamples=200)
    assert found.value == pytest.approx(stats.spearmanr(scores, grades).statistic)
    assert found.low is not None
    assert found.high is not None
    assert found.low < (found.value or 0) < found.high


def test_clusters_that_move_together_widen_the_interval() -> None:
    random = np.random.default_rng(5)
    grades = np.tile([1.0, 2, 3, 4, 5], 40)
    questions = np.repeat(np.arange(20), 10)
    tilt = np.repeat(random.normal(0.4, 1.0, 20), 10)
    scores = grades * tilt + random.normal(0, 0.5, 200)
    alone = rank_correlation(scores, grades)
    together = rank_correlation(scores, grades, clusters=questions.tolist())
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
        found = rank_correlation(y, x, resamples=200, seed=seed)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= truth <= found.high
    assert hits >= 0.89 * 150


@pytest.mark.parametrize(("scores", "told"), [([NAN, NAN], "nothing"), ([1.0, 1.0], "do not vary")])
def test_what_cannot_be_ranked_says_why(scores: list[float], told: str) -> None:
    found = rank_correlation(scores, [1, 2])
    assert found.value is None
    assert told in found.method
