import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.metrics.estimate import Estimate
from normscope.metrics.reliability import (
    flip_rate,
    krippendorff_alpha,
    label_counts,
    over_variants,
    raw_agreement,
    variant_variance,
)

NAN = float("nan")


def found(answers: list[list[float]], **kwargs: object) -> dict[str, Estimate]:
    matrix = np.array(answers, dtype=float)
    gaps = kwargs.pop("unscored", np.zeros(matrix.shape, dtype=bool))
    table = over_variants(matrix, np.asarray(gaps))
    return {row.name: row.estimate for row in table}


def test_alpha_by_hand() -> None:
    # items (1, 1), (2, 2), (1, 2), (2, 2): of 8 values three 1s and five 2s; observed unlike pairs
    # 2 of 8, expected 2 · 3 · 5 / (8 · 7)
    answers = [[1, 1], [2, 2], [1, 2], [2, 2]]
    assert krippendorff_alpha(*label_counts(answers)) == pytest.approx(1 - (2 / 8) / (30 / 56))


OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, NAN],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
"""Four observers and twelve units with gaps, the data of R's DescTools::KrippAlpha."""


def test_alpha_with_gaps_is_that_of_the_package() -> None:
    krippendorff = pytest.importorskip("krippendorff")
    theirs = krippendorff.alpha(np.array(OBSERVERS), level_of_measurement="ordinal")
    assert krippendorff_alpha(*label_counts(np.array(OBSERVERS).T)) == pytest.approx(theirs)


def test_alpha_is_that_of_the_package() -> None:
    krippendorff = pytest.importorskip("krippendorff")
    random = np.random.default_rng(1)
    for _ in range(10):
        answers = random.choice([-2, -1, 0, 1, 2, NAN], (40, 7))
        theirs = krippendorff.alpha(answers.T, level_of_measurement="ordinal")
        assert krippendorff_alpha(*label_counts(answers)) == pytest.approx(theirs)


def test_pairs_by_hand() -> None:
    # (2, 2, −1): one equal pair of three, two opposite; (0, 1, none): of one pair nothing
    answers: list[list[float]] = [[2, 2, -1], [0, 1, NAN], [NAN, NAN, 1]]
    counted = label_counts(answers)
    assert raw_agreement(*counted) == pytest.approx((1 / 3 + 0) / 2)
    assert flip_rate(*counted) == pytest.approx((2 / 3 + 0) / 2)
    # variances 3 and 0.5
    assert variant_variance(*counted) == pytest.approx((3 + 0.5) / 2)


@given(st.lists(st.lists(st.integers(-2, 2), min_size=4, max_size=4), min_size=1, max_size=12))
def test_they_do_not_know_the_order_of_variants(answers: list[list[int]]) -> None:
    matrix = np.array(answers, dtype=float)
    turned = matrix[:, [2, 0, 3, 1]]
    for statistic in (krippendorff_alpha, raw_agreement, flip_rate, variant_variance):
        assert statistic(*label_counts(matrix)) == pytest.approx(statistic(*label_counts(turned)))
    assert variant_variance(*label_counts(matrix)) == pytest.approx(
        matrix.var(axis=1, ddof=1).mean()
    )


def test_the_jackknife_by_hand() -> None:
    # agreement of (1, 1, 1, 2) and three equal items: (1/2 + 3)/4 = 0.875; without a 1 (1/3 + 3)/4,
    # without the 2 it is 1, which has no logit: so on the plain scale √(3/4 · 0.020833) = 0.125;
    # two independent pairs of prompt variants, t(2) = 4.302653
    row = found([[1, 1, 1, 2], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]])["raw_agreement"]
    assert row.low == pytest.approx(0.875 - 4.302653 * 0.125, abs=1e-5)
    assert (row.high, row.target) == (1, "new prompt variants")


def test_the_jackknife_of_a_rate_is_on_its_logit() -> None:
    # agreement 1/3, 1 and 0, so 4/9; without each variant 1/3, 1/3, 2/3, logits −ln 2, −ln 2, ln 2:
    # √(2/3 · 24/9) ln 2 = 4/3 ln 2; one independent pair of variants, t(1) = 12.706205
    row = found([[1, 1, 2], [1, 1, 1], [1, 2, 3]])["raw_agreement"]
    half = 12.706205 * 4 / 3 * math.log(2)
    centre = math.log(4 / 5)
    limits = (1 / (1 + math.exp(half - centre)), 1 / (1 + math.exp(-half - centre)))
    assert (row.low, row.high) == pytest.approx(limits, rel=1e-5)


def test_no_spread_between_variants_is_not_no_uncertainty() -> None:
    # q = 3.8415/(3.8415 + 4) = 0.48989: 1 − (1 − q)² = 0.73979 of pairs might be unlike
    row = found([[1] * 4, [2] * 4])["raw_agreement"]
    assert (row.value, row.high) == (1, 1)
    assert row.low == pytest.approx(1 - 0.73979, abs=1e-5)
    assert row.method == "Wilson's limit over 4 prompt variants, no spread"


def test_orders_of_one_variant_are_left_out_together() -> None:
    answers = np.random.default_rng(2).integers(-2, 3, (40, 5)).astype(float)
    none = np.zeros((40, 10), dtype=bool)
    twice = over_variants(answers.repeat(2, axis=1), none, variants=[at // 2 for at in range(10)])
    assert {row.estimate.method for row in twice} == {"jackknife over 5 prompt variants, t"}
    alone = over_variants(answers.repeat(2, axis=1), none)
    for one, other in zip(twice, alone, strict=True):
        wide = (one.estimate.high or 0) - (one.estimate.low or 0)
        assert wide > (other.estimate.high or 0) - (other.estimate.low or 0)


def test_unscored_answers_bound_the_rates_and_not_the_others() -> None:
    gaps = [[False, False, True]]
    rows = found([[1, 1, NAN]], unscored=gaps)
    agreed = rows["raw_agreement"]
    # one of three pairs is known to be equal; the other two may be
    assert (agreed.value, agreed.lowest, agreed.highest) == pytest.approx((1, 1 / 3, 1))
    assert (rows["flip_rate"].lowest, rows["flip_rate"].highest) == pytest.approx((0, 2 / 3))
    spread = rows["variant_variance"]
    assert (spread.lowest, spread.highest, spread.unscored) == (None, None, 1)
    assert spread.method.endswith("over the scored")


def test_what_is_not_defined_is_none() -> None:
    rows = found([[1, 1, 1], [1, 1, 1]])
    assert rows["alpha"].value is None
    assert rows["alpha"].method == "no item has two answers that could differ"
    assert rows["raw_agreement"].value == 1
    assert krippendorff_alpha(*label_counts([[NAN, 1]])) is None
    assert raw_agreement(*label_counts(np.full((3, 2), NAN))) is None
    few = found([[1, 2]])["raw_agreement"]
    assert (few.value, few.low, few.method) == (
        0,
        None,
        "2 prompt variants are too few for a jackknife",
    )
