"""The reliability curve and the calibration error."""

import numpy as np
import pytest
from numpy.typing import ArrayLike

from normscope.errors import DataError, UsageError
from normscope.metrics.detection import (
    binned,
    error_of,
    reliability_curve,
)


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


def test_a_stated_one_is_in_the_last_bin() -> None:
    curve = reliability_curve([0.0, 1.0], [0, 1])
    assert [one.n for one in curve] == [1, *[0] * 8, 1]
    assert curve[0].observed.value == 0
    assert curve[3].stated is None


def test_sums_per_unit_add_up_to_the_whole() -> None:
    random = np.random.default_rng(1)
    stated, truth = random.random(60), random.integers(0, 2, 60).astype(float)
    sums = binned(stated, truth, np.arange(60) // 3, 10).sum(axis=0)
    whole = float(error_of(sums, np.array(60.0)))
    assert whole == pytest.approx(calibration_error(stated, truth))


def test_gaps_are_left_out() -> None:
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
