"""Cohen's kappas and the alpha of a table: by hand, and against statsmodels and krippendorff."""

import krippendorff
import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from normscope.metrics.raters import cohen_kappa, coincidence_alpha
from normscope.metrics.reliability import krippendorff_alpha, label_counts


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


def test_quadratic_weights_by_hand() -> None:
    # expected: 144 + 60·4 + 156 + 60 + 78·4 + 72 = 984; no pair is two apart, so observed is 8
    assert cohen_kappa(TABLE, weights="quadratic") == pytest.approx(1 - (8 / 30) / (984 / 900))


def test_kappa_is_statsmodels() -> None:
    table = np.random.default_rng(1).integers(0, 20, (4, 4)).astype(float)
    assert cohen_kappa(table) == pytest.approx(cohens_kappa(table).kappa)


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


def test_alpha_by_hand() -> None:
    # two labels: (0,0) twice, (0,1) once, so n₀ = 5, n₁ = 1; any distance δ² = 9:
    # observed 2·1, expected 2·5·1 / (6 − 1): 1 − 2 / 2
    assert table_alpha(np.array([[2.0, 1], [0, 0]])) == pytest.approx(0.0)


def test_raters_who_know_one_label_have_no_agreement_beyond_chance() -> None:
    one = np.array([[7.0, 0], [0, 0]])
    assert np.isnan(cohen_kappa(one))
    assert np.isnan(table_alpha(one))


def test_a_constant_rater_agrees_as_chance_does() -> None:
    assert cohen_kappa(np.array([[7.0, 0], [3, 0]])) == pytest.approx(0)
