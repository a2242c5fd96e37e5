"""Sums and ratios of what is expected: by hand, and their cover by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.pipeline.planning.ranges import Range, added, ratio, spread_over


def test_a_sum_of_what_is_known_is_known() -> None:
    assert added([Range.exact(3), Range.exact(4)]).is_exact


def test_nothing_is_known_of_a_sum_with_a_part_of_which_nothing_is() -> None:
    assert added([Range.exact(3), Range(4, None, None)]) == Range(7, None, None)


def test_one_of_several_units_has_no_interval_and_all_of_them_no_width() -> None:
    assert ratio([2], [1], of=9) == Range(2, None, None)
    assert ratio([2, 6], [1, 3], of=2).is_exact
    assert ratio([2], [1], of=1).is_exact


def test_the_interval_holds_the_whole_as_often_as_it_says() -> None:
    random = np.random.default_rng(11)
    sizes = random.uniform(50, 150, 400)
    values = sizes * random.normal(2, 0.4, 400)
    truth = values.sum() / sizes.sum()
    held = 0
    for _ in range(600):
        drawn = random.choice(400, 8, replace=False)
        result = ratio(values[drawn], sizes[drawn], of=400)
        assert result.low is not None
        assert result.high is not None
        held += result.low <= truth <= result.high
    assert held / 600 == pytest.approx(0.95, abs=0.03)


@given(st.integers(0, 300), st.integers(0, 20))
def test_numbers_are_spread_and_none_comes_twice(total: int, count: int) -> None:
    numbers = spread_over(total, count)
    assert len(numbers) == len(set(numbers)) == min(total, count)
    assert all(0 <= number < total for number in numbers)
    # a shorter list is the beginning of a longer one
    assert spread_over(total, count + 1)[: len(numbers)] == numbers
