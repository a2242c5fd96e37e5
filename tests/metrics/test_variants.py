import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError
from normscope.metrics.variants import variant_difference, variant_means, variant_test

NAN = float("nan")


def likert(items: int, variants: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-2, 3, (items, variants)).astype(float)


def test_the_difference_is_a_t_interval_over_the_variants() -> None:
    a, b = likert(200, 11, 1), likert(200, 11, 2)
    found = variant_difference(a, b)
    theirs = stats.ttest_rel(a.mean(axis=0), b.mean(axis=0)).confidence_interval()
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))
    assert (found.value, found.n) == pytest.approx((a.mean() - b.mean(), 11))
    assert found.target == "new prompt variants"


def test_only_what_both_answered_is_compared() -> None:
    # variant 1: items 1 and 2, (2 + 1)/2; variant 2: item 1 alone, 1; variant 3: none
    found = variant_difference([[2, 1, 1], [1, NAN, NAN]], [[0, 0, NAN], [0, 1, 1]])
    assert (found.value, found.n, found.unscored) == ((1.5 + 1) / 2, 2, 1)


def test_unscored_answers_bound_it() -> None:
    gaps = np.array([[True, False]]), np.array([[False, False]])
    found = variant_difference([[NAN, 1]], [[0, 0]], unscored=gaps)
    # the missing answer at −2 and at 2, the other variant at 1
    assert (found.value, found.lowest, found.highest) == (1, -0.5, 1.5)


def test_orders_of_one_variant_are_one_variant() -> None:
    a, b = likert(50, 6, 3), likert(50, 6, 4)
    names = [place // 2 for place in range(12)]
    twice = variant_difference(a.repeat(2, axis=1), b.repeat(2, axis=1), variants=names)
    once = variant_difference(a, b)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))
    doubled = variant_test(a.repeat(2, axis=1), b.repeat(2, axis=1), variants=names)
    assert doubled.p == pytest.approx(variant_test(a, b).p)


def test_t_is_scipy_s_and_that_of_the_interval() -> None:
    a, b = likert(50, 11, 3), likert(50, 11, 4)
    t = variant_test(a, b)
    assert t.p == pytest.approx(stats.ttest_rel(a.mean(axis=0), b.mean(axis=0)).pvalue)
    limit = variant_difference(a, b, level=1 - (t.p or 0))
    assert min(abs(limit.low or 0), abs(limit.high or 0)) == pytest.approx(0, abs=1e-9)
    # eleven variants all 1 apart on −4 … 4: z = √(11/4), as of the interval without spread
    alike = variant_test(np.ones((5, 11)), np.zeros((5, 11)))
    assert alike.p == pytest.approx(2 * stats.norm.sf((11 / 4) ** 0.5))


def test_variant_means_are_over_all_columns_of_a_variant() -> None:
    found = variant_means([[1, 2, NAN], [NAN, 0, NAN]], ["v0", "v0", "v1"])
    # (1 + 2 + 0)/3, and nothing
    assert found["v0"] == 1
    assert np.isnan(found["v1"])
    with pytest.raises(DataError, match="variants 1, columns of answers 2"):
        variant_means([[1, 2]], ["v0"])


def test_nothing_to_test() -> None:
    assert variant_test([[NAN]], [[1]]).p is None
    assert variant_difference([[NAN]], [[1]]).value is None
    with pytest.raises(DataError, match="variants of a 1, variants of b 2"):
        variant_difference([[1]], [[1, 2]])
    with pytest.raises(DataError, match="not one of -2"):
        variant_difference([[3]], [[1]])
