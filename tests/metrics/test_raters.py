"""Agreement of several raters of the same items."""

import numpy as np
import pytest

from normscope.errors import DataError
from normscope.metrics.estimate import Estimate, Statistic
from normscope.metrics.raters import rater_agreement

NAN = float("nan")


def of(table: list[Statistic], name: str, member: str = "all") -> Estimate:
    """The estimate of one of the statistics."""
    return next(row.estimate for row in table if (row.name, row.member) == (name, member))


def test_agreement_by_hand() -> None:
    # (0, 0), (0, 1), (1, 1), (1, 1): 3/4 alike; chance 1/2 · 1/4 + 1/2 · 3/4 = 1/2; κ = 1/2
    # α: pairs within (0,0), (0,1), (1,1), (1,1); n = 8, Dₒ 2 · 7, Dₑ 2 · 3 · 5: 1 − 14/30
    table = rater_agreement([[0, 0], [0, 1], [1, 1], [1, 1]], ["a", "b"], labels=2)
    found = {row.name: row.estimate.value for row in table}
    assert found["rater_agreement"] == 0.75
    assert found["kappa"] == pytest.approx(0.5)
    assert found["alpha"] == pytest.approx(1 - 14 / 30)


def labels(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    truth = random.integers(0, 5, (120, 1))
    said: np.ndarray = np.clip(truth + random.integers(-1, 2, (120, 3)), 0, 4).astype(float)
    said[random.random(said.shape) < 0.1] = NAN
    return said


def test_kappa_is_that_of_statsmodels() -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    said = labels(2)
    table = rater_agreement(said, ["a", "b", "c"], labels=5, resamples=100)
    both = ~np.isnan(said[:, :2]).any(axis=1)
    counts = np.zeros((5, 5))
    np.add.at(counts, tuple(said[both, :2].astype(int).T), 1)
    found = {(row.member, row.name): row.estimate for row in table}
    kappa = inter_rater.cohens_kappa(counts)
    weighted = inter_rater.cohens_kappa(counts, wt="quadratic")
    assert found["a × b", "kappa"].value == pytest.approx(kappa.kappa)
    assert found["a × b", "kappa_quadratic"].value == pytest.approx(weighted.kappa)
    assert found["a × b", "kappa"].n == both.sum()


@pytest.mark.parametrize("matrix", [[[0, 5]], [[0, 0.5]], [[0, -1]]])
def test_labels_off_the_scale_are_refused(matrix: list[list[float]]) -> None:
    with pytest.raises(DataError, match="places"):
        rater_agreement(matrix, ["a", "b"], labels=5)


def test_one_rater_is_no_panel() -> None:
    with pytest.raises(DataError, match="two raters"):
        rater_agreement([[1.0]], ["a"], labels=2)
