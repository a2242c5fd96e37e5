import numpy as np
import pytest

from normscope.errors import DataError
from normscope.metrics.mixture import APART, FEWEST, ashman_d

BOUNDS = (-5.0, 5.0)


def heaps(apart: float, n: int = 4000) -> np.ndarray:
    """Two normal heaps of SD 1/2, one three times as full as the other."""
    random = np.random.default_rng(7)
    return random.normal(np.where(np.arange(n) % 4, apart / 2, -apart / 2), 0.5).clip(*BOUNDS)


@pytest.mark.parametrize("apart", [2.0, 3.0])
def test_d_is_that_of_the_heaps_that_the_values_come_from(apart: float) -> None:
    # √2 · apart / √(0.25 + 0.25)
    result = ashman_d(heaps(apart), bounds=BOUNDS)
    assert result.low is not None and result.high is not None
    assert result.low < 2 * apart < result.high
    assert result.value == pytest.approx(2 * apart, rel=0.03)


def test_one_heap_is_not_taken_for_two() -> None:
    result = ashman_d(heaps(0.0), bounds=BOUNDS)
    assert result.value is not None
    assert result.value < APART


def test_clusters_are_redrawn_whole_and_the_unscored_are_counted() -> None:
    values = heaps(2.0, 200)
    alone = ashman_d(np.tile(values, 3), bounds=BOUNDS)
    together = ashman_d(np.tile(values, 3), clusters=np.tile(np.arange(200), 3), bounds=BOUNDS)
    assert alone.low is not None and alone.high is not None
    assert together.low is not None and together.high is not None
    assert together.value == pytest.approx(alone.value)
    assert together.high - together.low > alone.high - alone.low
    assert ashman_d([*values, np.nan], bounds=BOUNDS).unscored == 1


def test_too_few_values_and_a_single_bin_have_no_d() -> None:
    assert ashman_d([0.0, 1.0] * (FEWEST // 2 - 1), bounds=BOUNDS).value is None
    assert ashman_d([0.5] * FEWEST, bounds=BOUNDS).method == "all values lie in one bin"
    with pytest.raises(DataError, match="off the scale"):
        ashman_d([9.0], bounds=BOUNDS)
