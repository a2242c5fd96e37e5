"""F1, area under the ROC curve, sensitivity and specificity."""

import numpy as np
import pytest
import scipy.stats
from numpy.typing import ArrayLike
from statsmodels.stats.proportion import proportion_confint

from normscope.metrics.association import rank_association, ranking
from normscope.metrics.detection import auc_of, class_rates, f1_of

HARMFUL = np.array([True, False, False])


def test_f1_by_hand() -> None:
    # found 6 of 8, and 3 that are none: 12 / (12 + 3 + 2)
    table = np.array([[6.0, 1, 1], [3, 10, 0], [0, 0, 5]])
    assert f1_of(table, HARMFUL) == pytest.approx(12 / 17)


def test_f1_is_the_harmonic_mean_of_precision_and_recall() -> None:
    table = np.random.default_rng(0).integers(1, 20, (3, 3)).astype(float)
    precision = table[0, 0] / table[:, 0].sum()
    recall = table[0, 0] / table[0].sum()
    expected = scipy.stats.hmean([precision, recall])
    assert f1_of(table, HARMFUL) == pytest.approx(expected)


def test_several_harmful_labels_are_one_class() -> None:
    table = np.array([[1.0, 2, 0], [1, 4, 1], [2, 0, 9]])
    merged = np.array([[8.0, 1], [2, 9]])
    both = f1_of(table, np.array([True, True, False]))
    assert both == pytest.approx(f1_of(merged, np.array([True, False])))


def test_f1_of_nothing_is_undefined() -> None:
    assert np.isnan(f1_of(np.array([[0.0, 0, 0], [0, 3, 1], [0, 1, 5]]), HARMFUL))


def auc(scores: ArrayLike, truth: ArrayLike) -> float:
    grades = np.asarray(truth, dtype=np.float64)
    rows = ranking(np.asarray(scores, dtype=np.float64), grades)
    _, _, net = rank_association(rows, np.ones((1, len(grades))))
    return float(auc_of(net, grades.sum(keepdims=True), (1 - grades).sum(keepdims=True))[0])


def test_auc_by_hand() -> None:
    # positives .3 and .9 against .1, .3, .5: above .1; tied with .3; below .5; above all three
    assert auc([0.3, 0.9, 0.1, 0.3, 0.5], [1, 1, 0, 0, 0]) == pytest.approx(4.5 / 6)


def test_auc_is_mann_and_whitneys_u() -> None:
    random = np.random.default_rng(3)
    scores, truth = random.normal(size=200).round(1), random.integers(0, 2, 200)
    u = scipy.stats.mannwhitneyu(scores[truth == 1], scores[truth == 0]).statistic
    pairs = (truth == 1).sum() * (truth == 0).sum()
    assert auc(scores, truth) == pytest.approx(u / pairs)


@pytest.mark.parametrize("truth", [[1, 1, 1], [0, 0, 0]])
def test_one_class_has_no_auc(truth: list[int]) -> None:
    assert np.isnan(auc([0.1, 0.2, 0.3], truth))


def test_sensitivity_and_specificity_have_wilsons_interval() -> None:
    # label a: 3 of 4 found; of the 6 others 5 are not called a
    truth = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    given = [0, 0, 0, 1, 0, 1, 1, 1, 1, 1]
    found = class_rates(truth, given, labels=("a", "b"))[0]
    assert found.sensitivity.value == 0.75
    assert found.specificity.value == pytest.approx(5 / 6)
    low, high = proportion_confint(3, 4, method="wilson")
    assert (found.sensitivity.low, found.sensitivity.high) == pytest.approx((low, high))


def test_an_unscored_row_widens_the_bounds() -> None:
    found = class_rates([0, 0, 1], [0, None, 1], labels=("a", "b"))[0].sensitivity
    assert (found.value, found.lowest, found.highest) == (1.0, 0.5, 1.0)
    assert (found.n, found.unscored) == (1, 1)


def test_a_label_that_nobody_gave_has_no_sensitivity() -> None:
    found = class_rates([0, 0], [0, 1], labels=("a", "b"))[1]
    assert found.sensitivity.value is None
    assert found.specificity.value == 0.5
