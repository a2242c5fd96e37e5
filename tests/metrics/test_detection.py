"""F1, area under the ROC curve, sensitivity, specificity, and how true stated probabilities are."""

import numpy as np
import pytest
import scipy.stats
from numpy.typing import ArrayLike
from statsmodels.stats.proportion import proportion_confint

from normscope.errors import DataError, UsageError
from normscope.metrics.association import rank_association, ranking
from normscope.metrics.detection import (
    auc_of,
    binned,
    class_rates,
    error_of,
    f1_of,
    reliability_curve,
)

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


def calibration_error(stated: ArrayLike, truth: ArrayLike, bins: int = 10) -> float:
    """Of rows that are each a unit of their own."""
    probs, ones = np.asarray(stated, dtype=float), np.asarray(truth, dtype=float)
    sums = binned(probs, ones, np.arange(len(probs)), bins).sum(axis=0)
    return float(error_of(sums, np.array(float(len(probs)))))


def test_calibration_error_by_hand() -> None:
    # two bins: (.1, .3 | 0, 1) → |.2 − .5| of 2; (.8 | 1) → .2 of 1: (2·.3 + .2) / 3
    assert calibration_error([0.1, 0.3, 0.8], [0, 1, 1], bins=2) == pytest.approx(0.8 / 3)


def test_it_is_that_of_a_plain_loop_over_bins() -> None:
    random = np.random.default_rng(0)
    stated, truth = random.random(500), random.integers(0, 2, 500)
    expected = 0.0
    for low in np.arange(10) / 10:
        mine = (stated >= low) & (stated < low + 0.1)
        expected += mine.mean() * abs(stated[mine].mean() - truth[mine].mean())
    assert calibration_error(stated, truth) == pytest.approx(expected)
    # sums per unit add up to the whole
    sums = binned(stated, truth.astype(float), np.arange(500) // 5, 10).sum(axis=0)
    assert float(error_of(sums, np.array(500.0))) == pytest.approx(expected)


def test_a_stated_one_is_in_the_last_bin() -> None:
    curve = reliability_curve([0.0, 1.0], [0, 1])
    assert [one.n for one in curve] == [1, *[0] * 8, 1]
    assert curve[0].observed.value == 0
    assert curve[3].stated is None
    # gaps are left out
    curve = reliability_curve([0.5, None], [1, 1])
    assert (curve[5].n, curve[5].stated) == (1, 0.5)


def test_rows_of_one_cluster_widen_the_interval_of_a_bin() -> None:
    stated, truth = [0.5] * 40, [0, 1] * 20
    alone = reliability_curve(stated, truth)[5].observed
    # twenty clusters of two equal outcomes
    together = reliability_curve(stated, sorted(truth), clusters=[i // 2 for i in range(40)])
    assert alone.low is not None
    assert together[5].observed.low is not None
    assert together[5].observed.low < alone.low


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(DataError, match="off the scale 0 … 1"):
        reliability_curve([1.2], [1])
    with pytest.raises(DataError, match="not one of 0, 1"):
        reliability_curve([0.2], [2])
    with pytest.raises(UsageError, match="0 bins"):
        reliability_curve([0.2], [1], bins=0)
