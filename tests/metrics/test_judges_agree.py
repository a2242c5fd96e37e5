"""Agreement of several raters and the number of independent ones that they amount to."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError
from normscope.metrics.estimate import Estimate, Statistic
from normscope.metrics.judges_agree import correlated_errors, effective_number, rater_agreement

NAN = float("nan")


def of(table: list[Statistic], name: str, member: str = "all") -> Estimate:
    """The estimate of one of the statistics."""
    return next(row.estimate for row in table if (row.name, row.member) == (name, member))


@pytest.mark.parametrize(
    ("raters", "rho", "expected"),
    [
        (2, -0.7175, 2.0),  # 2 / 0.2825 would be 7.08 of two
        (4, 0.0, 4.0),  # independent: all count
        (4, 1.0, 1.0),  # one and the same
        (3, 0.25, 2.0),  # 3 / 1.5
        (3, -0.5, 3.0),  # errors that cancel out: 1 − 2 · 0.5 = 0, no number at all
    ],
)
def test_the_effective_number_by_hand(raters: int, rho: float, expected: float) -> None:
    assert effective_number(raters, rho) == expected


def test_raters_whose_errors_go_against_each_other_are_not_more_than_there_are() -> None:
    # e = 2 1 −1 −2 and −2 −1 1 2 with the middle two swapped: r = (−4 + 1 + 1 − 4) / 10 = −0.6,
    # and 2 / (1 − 0.6) = 5 of two
    found = correlated_errors([[2, -2], [1, 1], [-1, -1], [-2, 2]], ["a", "b"])
    assert of(found, "error_correlation").value == pytest.approx(-0.6)
    effective = of(found, "effective_number")
    assert effective.value == 2.0
    assert effective.high is None or effective.high <= 2.0
    assert "at most the 2 there are" in effective.method


def test_errors_by_hand() -> None:
    # (1, 1), (−1, −1), (1, −1), (−1, 1): r = 0, so two raters count as two
    found = correlated_errors([[1, 1], [-1, -1], [1, -1], [-1, 1]], ["a", "b"])
    assert of(found, "error_correlation").value == pytest.approx(0)
    assert of(found, "effective_number").value == pytest.approx(2)


def drawn(seed: int, n: int, shared: float) -> np.ndarray:
    """Three raters' errors with the correlation `shared`."""
    random = np.random.default_rng(seed)
    common, own = random.normal(0, 1, (n, 1)), random.normal(0, 1, (n, 3))
    errors: np.ndarray = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    return errors


def test_correlations_are_scipy_s() -> None:
    errors = drawn(1, 80, 0.4)
    found = correlated_errors(errors, ["a", "b", "c"], resamples=200)
    expected = [
        stats.pearsonr(errors[:, i], errors[:, j]).statistic for i, j in combinations(range(3), 2)
    ]
    assert [row.estimate.value for row in found[:-2]] == pytest.approx(expected)
    assert of(found, "error_correlation").value == pytest.approx(np.mean(expected))
    assert of(found, "effective_number").value == pytest.approx(3 / (1 + 2 * np.mean(expected)))
    assert [row.member for row in found[:-2]] == ["a × b", "a × c", "b × c"]


def test_the_effective_number_is_what_the_variance_of_the_mean_says() -> None:
    errors = drawn(2, 200_000, 0.5)
    # the mean of three such raters varies as 1/1.5 of one: (1 + 2 · 0.5)/3 = 2/3
    assert errors.mean(axis=1).var() / errors.var() == pytest.approx(2 / 3, abs=0.01)
    assert effective_number(3, 0.5) == pytest.approx(1.5)


def test_its_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    hits = 0
    for seed in range(120):
        found = correlated_errors(drawn(seed, 80, 0.5), ["a", "b", "c"], resamples=200, seed=seed)
        low, high = of(found, "effective_number").low, of(found, "effective_number").high
        assert low is not None
        assert high is not None
        hits += low <= 1.5 <= high
    assert hits >= 0.88 * 120


def test_residuals_from_their_own_mean_say_nothing_of_how_many_there_are() -> None:
    # they add up to 0: the mean correlation is about −1/(n − 1) whether errors are shared or not
    for shared in (0.0, 0.8):
        errors = drawn(3, 4000, shared)
        rest = errors - errors.mean(axis=1, keepdims=True)
        found = correlated_errors(rest, ["a", "b", "c"], resamples=100)
        assert of(found, "error_correlation").value == pytest.approx(-0.5, abs=0.02)


def test_a_rater_without_errors_leaves_it_unknown_and_says_so() -> None:
    found = correlated_errors([[0, 1], [0, 2], [0, 4]], ["a", "b"])
    assert of(found, "effective_number").value is None
    assert "vary" in of(found, "effective_number").method


def test_items_that_some_rater_left_out_are_counted_apart() -> None:
    found = correlated_errors([[1, 2], [2, 1], [NAN, 1], [0, 0]], ["a", "b"])
    assert (of(found, "error_correlation").n, of(found, "error_correlation").unscored) == (3, 1)


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


def test_alpha_of_several_with_gaps_is_that_of_the_package() -> None:
    krippendorff = pytest.importorskip("krippendorff")
    said = labels(1)
    table = rater_agreement(said, ["a", "b", "c"], labels=5, resamples=100)
    alpha = next(row.estimate for row in table if row.name == "alpha")
    expected = krippendorff.alpha(reliability_data=said.T, level_of_measurement="ordinal")
    assert alpha.value == pytest.approx(expected)


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


def test_the_order_of_the_items_changes_nothing() -> None:
    said = labels(3)
    one = rater_agreement(said, ["a", "b", "c"], labels=5, resamples=100)
    other = rater_agreement(said[::-1], ["a", "b", "c"], labels=5, resamples=100)
    pairs = zip(one, other, strict=True)
    assert all(a.estimate.value == pytest.approx(b.estimate.value) for a, b in pairs)


@pytest.mark.parametrize("matrix", [[[0, 5]], [[0, 0.5]], [[0, -1]]])
def test_labels_off_the_scale_are_refused(matrix: list[list[float]]) -> None:
    with pytest.raises(DataError, match="places"):
        rater_agreement(matrix, ["a", "b"], labels=5)


def test_one_rater_is_no_panel() -> None:
    with pytest.raises(DataError, match="two raters"):
        correlated_errors([[1.0]], ["a"])
