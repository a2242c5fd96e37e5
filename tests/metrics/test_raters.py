"""Agreement of several raters of the same items, against statsmodels and krippendorff."""

import krippendorff
import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from normscope.errors import DataError
from normscope.metrics.raters import cohen_kappa, coincidence_alpha, rater_agreement
from normscope.metrics.reliability import krippendorff_alpha, label_counts

NAN = float("nan")


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
    said = labels(2)
    table = rater_agreement(said, ["a", "b", "c"], labels=5, resamples=100)
    both = ~np.isnan(said[:, :2]).any(axis=1)
    counts = np.zeros((5, 5))
    np.add.at(counts, tuple(said[both, :2].astype(int).T), 1)
    found = {(row.member, row.name): row.estimate for row in table}
    kappa = cohens_kappa(counts)
    weighted = cohens_kappa(counts, wt="quadratic")
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


def table_alpha(table: np.ndarray) -> np.ndarray:
    """Of two raters: each of their pairs of labels is a coincidence in both orders."""
    alpha: np.ndarray = coincidence_alpha(table + np.swapaxes(table, -1, -2))
    return alpha


TABLE = np.array([[10.0, 2, 0], [3, 8, 1], [0, 2, 4]])


def test_kappa_by_hand() -> None:
    # n 30; agreement 22/30; margins 12 12 6 and 13 12 5: chance (156 + 144 + 30) / 900
    assert cohen_kappa(TABLE) == pytest.approx((22 / 30 - 330 / 900) / (1 - 330 / 900))


def test_linear_weights_by_hand() -> None:
    # observed cost: 2 + 3 + 1 + 2 = 8 of 30; expected: rows × columns × |i − j| / 900:
    # 12·12 + 12·5·2 + 12·13 + 12·5 + 6·13·2 + 6·12 = 144 + 120 + 156 + 60 + 156 + 72 = 708
    assert cohen_kappa(TABLE, weights="linear") == pytest.approx(1 - (8 / 30) / (708 / 900))


def test_alpha_is_that_of_the_items_and_of_the_krippendorff_package() -> None:
    random = np.random.default_rng(2)
    one = random.integers(0, 4, 60)
    other = np.clip(one + random.integers(-1, 2, 60), 0, 3)
    table = np.zeros((4, 4))
    np.add.at(table, (one, other), 1)
    theirs = krippendorff.alpha(
        reliability_data=np.array([one, other]), level_of_measurement="ordinal"
    )
    assert table_alpha(table) == pytest.approx(theirs)
    assert table_alpha(table) == pytest.approx(
        krippendorff_alpha(*label_counts(np.stack([one, other], axis=1)))
    )


def test_raters_who_know_one_label_have_no_agreement_beyond_chance() -> None:
    one = np.array([[7.0, 0], [0, 0]])
    assert np.isnan(cohen_kappa(one))
    assert np.isnan(table_alpha(one))


def test_a_constant_rater_agrees_as_chance_does() -> None:
    assert cohen_kappa(np.array([[7.0, 0], [3, 0]])) == pytest.approx(0)
