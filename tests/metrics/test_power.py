"""The smallest difference of paired rates: by hand, by simulation, and by what must hold of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.errors import UsageError
from normscope.metrics.power import detectable_difference, paired_power


def test_by_hand() -> None:
    # 196 pairs, ψ 0.25, d 0.1: (0.1·14 − 1.95996·0.5)/√(0.25 − 0.01) = 0.42004/0.48990 = 0.85740
    assert paired_power(196, difference=0.1, discordant=0.25) == pytest.approx(0.80439, abs=1e-4)


def test_it_is_what_a_simulation_finds() -> None:
    random = np.random.default_rng(7)
    n, discordant = 400, 0.3
    difference = detectable_difference(n, discordant=discordant)
    assert difference is not None
    only_a, only_b = (discordant + difference) / 2, (discordant - difference) / 2
    counts = random.multinomial(n, [only_a, only_b, 1 - discordant], size=20_000)
    b, c = counts[:, 0], counts[:, 1]
    detected = (b - c) ** 2 > 1.95996**2 * (b + c)
    assert detected.mean() == pytest.approx(0.8, abs=0.02)


@given(st.integers(20, 100_000), st.floats(0.01, 1.0))
def test_it_is_found_with_just_that_chance_and_shrinks_with_more_pairs(
    n: int, discordant: float
) -> None:
    difference = detectable_difference(n, discordant=discordant)
    if difference is None:
        assert paired_power(n, difference=discordant * 0.999, discordant=discordant) < 0.81
        return
    assert paired_power(n, difference=difference, discordant=discordant) == pytest.approx(0.8)
    more = detectable_difference(2 * n, discordant=discordant)
    assert more is not None
    assert more < difference <= discordant


@pytest.mark.parametrize(("n", "discordant"), [(0, 0.5), (10, 0.0), (10, 1.5)])
def test_what_cannot_be_is_refused(n: int, discordant: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        detectable_difference(n, discordant=discordant)


def test_no_difference_is_larger_than_the_share_that_differs() -> None:
    with pytest.raises(UsageError, match="cannot be larger"):
        paired_power(10, difference=0.5, discordant=0.2)
