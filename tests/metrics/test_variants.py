import itertools

import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError
from normscope.metrics.variants import sign_flip, variant_difference, variant_means, variant_tests

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
    doubled = variant_tests(a.repeat(2, axis=1), b.repeat(2, axis=1), variants=names)
    assert [one.p for one in doubled] == pytest.approx([one.p for one in variant_tests(a, b)])


def test_t_is_scipy_s_and_that_of_the_interval() -> None:
    a, b = likert(50, 11, 3), likert(50, 11, 4)
    t, _ = variant_tests(a, b)
    assert t.p == pytest.approx(stats.ttest_rel(a.mean(axis=0), b.mean(axis=0)).pvalue)
    limit = variant_difference(a, b, level=1 - (t.p or 0))
    assert min(abs(limit.low or 0), abs(limit.high or 0)) == pytest.approx(0, abs=1e-9)
    # eleven variants all 1 apart on −4 … 4: z = √(11/4), as of the interval without spread
    alike, _ = variant_tests(np.ones((5, 11)), np.zeros((5, 11)))
    assert alike.p == pytest.approx(2 * stats.norm.sf((11 / 4) ** 0.5))


def test_variant_means_are_over_all_columns_of_a_variant() -> None:
    found = variant_means([[1, 2, NAN], [NAN, 0, NAN]], ["v0", "v0", "v1"])
    # (1 + 2 + 0)/3, and nothing
    assert found["v0"] == 1
    assert np.isnan(found["v1"])
    with pytest.raises(DataError, match="variants 1, columns of answers 2"):
        variant_means([[1, 2]], ["v0"])


def test_eleven_variants_allow_a_p_of_a_thousandth() -> None:
    # of 2¹¹ patterns of signs the two without a change of sign reach the sum: 2/2048
    _, found = variant_tests(np.ones((5, 11)), np.zeros((5, 11)))
    assert found.p == pytest.approx(2 / 2**11)
    assert "smallest p that they allow is 0.00098" in found.note


def test_sign_flips_are_counted_one_by_one() -> None:
    values = [0.4, -0.1, 0.3, 0.25, -0.05]
    signs = itertools.product((1, -1), repeat=5)
    sums = [abs(sum(s * v for s, v in zip(row, values, strict=True))) for row in signs]
    expected = sum(one >= abs(sum(values)) - 1e-12 for one in sums) / 32
    found = sign_flip(values)
    assert (found.p, found.effect) == pytest.approx((expected, 3 / 5 - 2 / 5))


def test_sign_flips_are_scipy_s_permutation_test() -> None:
    values = np.random.default_rng(8).normal(0.3, 1, 12)
    theirs = stats.permutation_test(
        (values,), lambda x: x.mean(), permutation_type="samples", n_resamples=2**12
    )
    assert sign_flip(values).p == pytest.approx(theirs.pvalue)


def test_many_differences_are_drawn_from() -> None:
    values = np.random.default_rng(9).normal(0.4, 1, 40)
    found = sign_flip(values)
    assert found.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=0.3)
    assert sign_flip(values) == found
    assert found.note.startswith("100000 drawn")


def test_nothing_to_test() -> None:
    assert sign_flip([]).p is None
    assert variant_difference([[NAN]], [[1]]).value is None
    with pytest.raises(DataError, match="variants of a 1, variants of b 2"):
        variant_difference([[1]], [[1, 2]])
    with pytest.raises(DataError, match="not one of -2"):
        variant_difference([[3]], [[1]])
