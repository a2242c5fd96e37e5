"""A margin and an interval: what the one says of the other, and how many pairs it takes."""

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.errors import UsageError
from normscope.metrics.definitions import Better
from normscope.metrics.inputs import Floats
from normscope.metrics.intervals import mean_interval
from normscope.metrics.noninferiority import Bound, outcome, units_needed
from normscope.metrics.tango import score_interval

ENDS = st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted)
MARGINS = st.floats(0, 1)
WIDE = (-4.0, 4.0)


def spaced(mean: float, sd: float, n: int = 40) -> Floats:
    """Values with exactly this mean and standard deviation."""
    values: Floats = np.linspace(-1, 1, n)
    values *= sd / float(values.std(ddof=1))
    return values + mean


@given(ends=ENDS, margin=MARGINS)
def test_lower_is_better_is_higher_is_better_in_a_mirror(ends: list[float], margin: float) -> None:
    low, high = ends
    assert outcome(low, high, margin, "higher") == outcome(-high, -low, margin, "lower")
    # without a direction both must hold, and either may be broken
    either = {outcome(low, high, margin, "higher"), outcome(low, high, margin, "lower")}
    expected = "worse" if "worse" in either else "pass" if either == {"pass"} else "inconclusive"
    assert outcome(low, high, margin, "") == expected


@given(ends=ENDS, margin=MARGINS, more=st.floats(0, 1), better=st.sampled_from(get_args(Better)))
def test_a_wider_margin_never_turns_a_pass_and_a_wider_interval_settles_nothing_more(
    ends: list[float], margin: float, more: float, better: Better
) -> None:
    low, high = ends
    before = outcome(low, high, margin, better)
    if before == "pass":
        assert outcome(low, high, margin + more, better) == "pass"
    if before == "inconclusive":
        assert outcome(low - more, high + more, margin, better) == "inconclusive"


def test_an_end_on_the_margin_settles_nothing() -> None:
    assert outcome(-0.5, 0.5, 0.5, "higher") == "inconclusive"
    assert outcome(-1, -0.5, 0.5, "higher") == "inconclusive"
    with pytest.raises(UsageError, match=r"-0\.1"):
        outcome(0, 1, -0.1, "higher")


@pytest.mark.parametrize(("mean", "alpha"), [(0.0, 0.05), (0.1, 0.05), (0.1, 0.01), (-0.19, 0.05)])
def test_the_number_is_that_of_statsmodels(mean: float, alpha: float) -> None:
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    bound = Bound.of(spaced(mean, 0.5), -0.2, above=True, bounds=WIDE)
    assert bound is not None
    expected = power.solve_power(
        effect_size=(mean + 0.2) / 0.5, alpha=alpha, power=0.8, alternative="larger"
    )
    assert units_needed([bound], alpha=alpha) == math.ceil(expected)


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.5])
def test_where_nothing_varies_the_number_is_where_the_interval_gets_there(margin: float) -> None:
    alike = Bound.of(np.zeros(20), -margin, above=True, bounds=(-1, 1))
    assert alike is not None
    n = units_needed([alike])
    assert n is not None
    for size, there in ((n, True), (n - 1, False)):
        rates = score_interval(np.ones(size), np.ones(size), level=0.9)
        scores = mean_interval(np.zeros(size), bounds=(-1, 1), level=0.9)
        assert scores is not None
        assert [interval.low > -margin for interval in (rates, scores)] == [there, there]


def test_clusters_are_what_is_counted() -> None:
    values = spaced(0.1, 0.5)
    alone = Bound.of(values, 0, above=True, bounds=WIDE)
    thrice = Bound.of(
        values.repeat(3), 0, above=True, bounds=WIDE, clusters=np.arange(40).repeat(3)
    )
    assert alone is not None
    assert thrice is not None
    assert thrice.count == 40
    assert thrice.sd == pytest.approx(alone.sd)
    assert Bound.of([0.1, 0.2], 0, above=True, bounds=WIDE, clusters=["a", "a"]) is None


def test_on_the_limit_and_beyond_it_no_number_would_do() -> None:
    for mean in (-0.2, -0.3):
        bound = Bound.of(spaced(mean, 0.5), -0.2, above=True, bounds=WIDE)
        assert bound is not None
        # a mean that is equal on paper may be so near that it takes too many
        assert units_needed([bound]) is None
