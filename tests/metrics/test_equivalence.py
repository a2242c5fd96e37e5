"""Two one-sided tests and their power: by hand, by statsmodels, by scipy, and by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from normscope.errors import UsageError
from normscope.metrics.equivalence import equivalence

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
    assert (found.shown, found.p) == (None, None)


def test_differences_without_spread_have_no_p_but_an_interval() -> None:
    found = equivalence([0.5] * 200, [0.5] * 200, margin=0.3, bounds=(0, 5))
    # Wilson's limit for 0 of 200 at 0.90: 1.645²/(200 + 1.645²) = 0.01335, times 5
    assert found.estimate.high == pytest.approx(0.0667, abs=1e-3)
    assert (found.p, found.shown) == (None, True)


@pytest.mark.parametrize("margin", [0.0, -1.0, NAN])
def test_a_margin_is_above_zero(margin: float) -> None:
    with pytest.raises(UsageError, match="margin"):
        equivalence([1.0, 2], [1.0, 2], margin=margin)
