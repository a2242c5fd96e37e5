"""Two one-sided tests and their power: by hand, by statsmodels, by scipy, and by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from normscope.errors import UsageError
from normscope.metrics.equivalence import equivalence, equivalence_power, power_of

NAN = float("nan")


def test_by_hand() -> None:
    # differences 0.1, 0, −0.1: mean 0, sd 0.1, se 0.1/√3 = 0.05774, t(0.95, 2) = 2.91999
    # interval 0 ± 0.16859; p = P(T₂ > 0.5/0.05774 = 8.660) = 0.00653
    found = equivalence([1.1, 2, 2.9], [1, 2, 3], margin=0.5)
    assert found.estimate.low == pytest.approx(-0.16859, abs=1e-5)
    assert found.estimate.high == pytest.approx(0.16859, abs=1e-5)
    assert found.p == pytest.approx(0.00653, abs=1e-5)
    assert found.shown is True


@pytest.mark.parametrize(("margin", "shown"), [(0.1, False), (0.4, True)])
def test_it_is_that_of_statsmodels(margin: float, shown: bool) -> None:
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    random = np.random.default_rng(3)
    a = random.normal(0.05, 1, 60)
    b = a - random.normal(0.05, 0.5, 60)
    p, *_ = weightstats.ttost_paired(a, b, -margin, margin)
    found = equivalence(a, b, margin=margin)
    assert found.p == pytest.approx(p)
    assert (found.shown, bool(p < 0.05)) == (shown, shown)


def test_the_interval_lies_within_the_margin_just_where_p_is_under_alpha() -> None:
    random = np.random.default_rng(5)
    for seed in range(40):
        a = random.normal(0.1, 0.6, 20 + seed)
        found = equivalence(a, np.zeros(len(a)), margin=0.35)
        assert found.shown is (found.p is not None and found.p < 0.05)


def test_clusters_by_hand() -> None:
    # clusters (0.2, 0.2), (−0.2, −0.2), (0, 0): mean 0, sums 0.4, −0.4, 0
    # var = 3/2 · 0.32 / 36 = 0.01333, se 0.11547; p = P(T₂ > 0.5/0.11547 = 4.3301) = 0.02469
    found = equivalence(
        [0.2, 0.2, -0.2, -0.2, 0, 0], [0] * 6, margin=0.5, clusters=["a", "a", "b", "b", "c", "c"]
    )
    assert (found.clusters, found.estimate.n) == (3, 6)
    assert found.standard_error == pytest.approx(math.sqrt(0.48 / 36))
    assert found.p == pytest.approx(stats.t.sf(0.5 / math.sqrt(0.48 / 36), 2))


def test_pairs_that_repeat_their_cluster_are_no_more_facts() -> None:
    random = np.random.default_rng(7)
    a = random.normal(0, 0.5, 12)
    once = equivalence(a, np.zeros(12), margin=0.3)
    many = equivalence(
        np.repeat(a, 10), np.zeros(120), margin=0.3, clusters=np.repeat(range(12), 10).tolist()
    )
    assert many.p == pytest.approx(once.p)


def test_unscored_pairs_may_keep_it_from_being_shown() -> None:
    a, b = [0.01, -0.01] * 50, [0.0] * 100
    assert equivalence(a, b, margin=0.1, bounds=(-1, 1)).shown is True
    some = equivalence([*a, *[NAN] * 20], [*b, *[0.0] * 20], margin=0.1, bounds=(-1, 1))
    assert some.shown is False
    assert some.estimate.unscored == 20


def test_nothing_scored_is_not_known() -> None:
    found = equivalence([NAN], [1.0], margin=0.1, bounds=(0, 1))
    assert (found.shown, found.p, found.power) == (None, None, None)


def test_differences_without_spread_have_no_p_but_an_interval() -> None:
    found = equivalence([0.5] * 200, [0.5] * 200, margin=0.3, bounds=(0, 5))
    # Wilson's limit for 0 of 200 at 0.90: 1.645²/(200 + 1.645²) = 0.01335, times 5
    assert found.estimate.high == pytest.approx(0.0667, abs=1e-3)
    assert (found.p, found.shown) == (None, True)


@pytest.mark.parametrize("margin", [0.0, -1.0, NAN])
def test_a_margin_is_above_zero(margin: float) -> None:
    with pytest.raises(UsageError, match="margin"):
        equivalence([1.0, 2], [1.0, 2], margin=margin)


def test_power_of_a_wide_margin_is_that_of_both_one_sided_tests_in_statsmodels() -> None:
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    # where both can hardly fail together, 1 − (1 − π₁) − (1 − π₂)
    one = power.power(effect_size=0.5 - 0.1, nobs=60, alpha=0.05, alternative="larger")
    other = power.power(effect_size=0.5 + 0.1, nobs=60, alpha=0.05, alternative="larger")
    found = equivalence_power(60, sd=1, margin=0.5, difference=0.1)
    assert found == pytest.approx(one + other - 1, abs=1e-6)


@pytest.mark.parametrize(
    ("n", "margin", "difference"), [(30, 0.5, 0.0), (8, 1.0, 0.2), (50, 0.42, 0.05), (12, 0.4, 0.0)]
)
def test_power_is_how_often_it_is_shown(n: int, margin: float, difference: float) -> None:
    random = np.random.default_rng(n)
    drawn = random.normal(difference, 1, (40_000, n))
    mean, error = drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / math.sqrt(n)
    t = stats.t.ppf(0.95, n - 1)
    share = ((mean - t * error > -margin) & (mean + t * error < margin)).mean()
    found = equivalence_power(n, sd=1, margin=margin, difference=difference)
    assert found == pytest.approx(share, abs=0.01)


def test_a_true_difference_of_the_margin_is_called_equivalent_one_time_in_twenty() -> None:
    assert equivalence_power(200, sd=1, margin=0.3, difference=0.3) == pytest.approx(0.05, abs=1e-3)


def test_power_has_its_own_words() -> None:
    found = power_of(50, sd=1, margin=0.5)
    assert found.largest is not None
    assert equivalence_power(50, sd=1, margin=0.5, difference=found.largest) == pytest.approx(0.8)
    assert equivalence_power(50, sd=1, margin=found.margin) == pytest.approx(0.8)
    assert power_of(5, sd=1, margin=0.1).largest is None
