import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.errors import UsageError
from normscope.metrics.estimate import Estimate
from normscope.metrics.reliability import (
    Scale,
    flip_rate,
    krippendorff_alpha,
    over_wordings,
    raw_agreement,
    wording_variance,
)

NAN = float("nan")
SCALES: list[Scale] = ["nominal", "ordinal", "interval"]


def found(answers: list[list[float]], **kwargs: object) -> dict[str, Estimate]:
    matrix = np.array(answers, dtype=float)
    gaps = kwargs.pop("unscored", np.zeros(matrix.shape, dtype=bool))
    table = over_wordings(matrix, np.asarray(gaps), level=0.95)
    return {row.name: row.estimate for row in table}


def test_alpha_by_hand() -> None:
    # items (1, 1), (2, 2), (1, 2), (2, 2): of 8 values three 1s and five 2s; observed unlike pairs
    # 2 of 8, expected 2 · 3 · 5 / (8 · 7)
    answers = [[1, 1], [2, 2], [1, 2], [2, 2]]
    assert krippendorff_alpha(answers, scale="nominal") == pytest.approx(1 - (2 / 8) / (30 / 56))
    # with two values every scale is nominal
    assert krippendorff_alpha(answers) == pytest.approx(1 - (2 / 8) / (30 / 56))


def test_alpha_is_krippendorff_s_own_example() -> None:
    # four observers, twelve units, with gaps: 0.743 nominal, 0.815 ordinal, 0.849 interval
    # (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", data of section D)
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
    units = np.array(observers).T
    values = [krippendorff_alpha(units, scale=scale) for scale in SCALES]
    assert values == pytest.approx([0.743, 0.815, 0.849], abs=5e-4)


@pytest.mark.parametrize("scale", SCALES)
def test_alpha_is_that_of_the_package(scale: Scale) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    random = np.random.default_rng(1)
    for _ in range(10):
        answers = random.choice([-2, -1, 0, 1, 2, NAN], (40, 7))
        theirs = krippendorff.alpha(answers.T, level_of_measurement=scale)
        assert krippendorff_alpha(answers, scale=scale) == pytest.approx(theirs)


def test_pairs_by_hand() -> None:
    # (2, 2, −1): one equal pair of three, two opposite; (0, 1, none): of one pair nothing
    answers: list[list[float]] = [[2, 2, -1], [0, 1, NAN], [NAN, NAN, 1]]
    assert raw_agreement(answers) == pytest.approx((1 / 3 + 0) / 2)
    assert flip_rate(answers) == pytest.approx((2 / 3 + 0) / 2)
    # variances 3 and 0.5
    assert wording_variance(answers) == pytest.approx((3 + 0.5) / 2)


@given(st.lists(st.lists(st.integers(-2, 2), min_size=4, max_size=4), min_size=1, max_size=12))
def test_they_do_not_know_the_order_of_wordings(answers: list[list[int]]) -> None:
    matrix = np.array(answers, dtype=float)
    turned = matrix[:, [2, 0, 3, 1]]
    for statistic in (krippendorff_alpha, raw_agreement, flip_rate, wording_variance):
        assert statistic(matrix) == pytest.approx(statistic(turned))
    assert wording_variance(matrix) == pytest.approx(matrix.var(axis=1, ddof=1).mean())


def test_the_jackknife_by_hand() -> None:
    # raw agreement of one item (1, 1, 1, 2): 3/6; without a 1: 1/3, without the 2: 1
    # mean 0.5, squares 3/36 + 1/4 = 1/3; √(3/4 · 1/3) = 0.5; t(3) = 3.182446
    row = found([[1, 1, 1, 2]])["raw_agreement"]
    assert row.value == 0.5
    assert (row.low, row.high) == (0, 1)
    mild = found([[1, 1, 1, 2], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]])["raw_agreement"]
    assert mild.low == pytest.approx(0.875 - 3.182446 * 0.125, abs=1e-5)


def test_unscored_answers_bound_the_rates_and_not_the_others() -> None:
    gaps = [[False, False, True]]
    rows = found([[1, 1, NAN]], unscored=gaps)
    agreed = rows["raw_agreement"]
    # one of three pairs is known to be equal; the other two may be
    assert (agreed.value, agreed.worst, agreed.best) == pytest.approx((1, 1 / 3, 1))
    assert (rows["flip_rate"].worst, rows["flip_rate"].best) == pytest.approx((0, 2 / 3))
    spread = rows["wording_variance"]
    assert (spread.worst, spread.best, spread.unscored) == (None, None, 1)
    assert spread.method.endswith("over the scored")


def test_what_is_not_defined_is_none() -> None:
    rows = found([[1, 1, 1], [1, 1, 1]])
    assert rows["alpha"].value is None
    assert rows["alpha"].method == "no item has two answers that could differ"
    assert rows["raw_agreement"].value == 1
    assert krippendorff_alpha([[NAN, 1]]) is None
    assert raw_agreement(np.full((3, 2), NAN)) is None
    few = found([[1, 2]])["raw_agreement"]
    assert (few.value, few.low, few.method) == (0, None, "2 wordings are too few for a jackknife")
    with pytest.raises(UsageError, match="did you mean 'ordinal'"):
        krippendorff_alpha([[1, 2]], scale="ordinl")  # type: ignore[arg-type]
