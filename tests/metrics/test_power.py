import math

import numpy as np
import pytest
from scipy import stats

from normscope.errors import UsageError
from normscope.metrics.power import (
    items_for_means,
    items_for_rates,
    smallest_mean_difference,
    smallest_rate_difference,
)


def test_items_for_rates_by_hand() -> None:
    # (1.959964 √0.3 + 0.841621 √(0.3 − 0.0025))² / 0.0025 = (1.073516 + 0.459051)² / 0.0025
    assert items_for_rates(0.05, discordant=0.3) == 940
    assert items_for_rates(-0.05, discordant=0.3) == 940


def test_the_smallest_difference_needs_just_its_items() -> None:
    smallest = smallest_rate_difference(500, discordant=0.25)
    assert smallest is not None
    assert items_for_rates(smallest, discordant=0.25) in {500, 501}
    # ten items that disagree on a tenth: one pair shows nothing
    assert smallest_rate_difference(10, discordant=0.1) is None


@pytest.mark.parametrize("effect", [0.2, 0.5, 0.8])
def test_items_for_means_reach_the_power_and_one_fewer_does_not(effect: float) -> None:
    n = items_for_means(effect, sd=1)

    def power(items: int) -> float:
        edge = stats.t.ppf(0.975, items - 1)
        shifted = stats.nct(items - 1, effect * items**0.5)
        return float(shifted.sf(edge) + shifted.cdf(-edge))

    assert power(n) >= 0.8 > power(n - 1)
    # the normal approximation ((1.959964 + 0.841621)/effect)² is a little short
    assert (2.801585 / effect) ** 2 < n < (2.801585 / effect) ** 2 + 3


@pytest.mark.parametrize("psi", [0.2, 0.3])
def test_the_items_for_rates_find_the_difference_as_often_as_asked(psi: float) -> None:
    # McNemar's χ² by simulation, 4,000 samples: a standard error of 0.006
    random = np.random.default_rng(1)
    n = items_for_rates(0.05, discordant=psi)
    drawn = random.multinomial(n, [(psi + 0.05) / 2, (psi - 0.05) / 2, 1 - psi], 4000)
    b, c = drawn[:, 0], drawn[:, 1]
    assert np.mean((b - c) ** 2 / (b + c) > stats.chi2.ppf(0.95, 1)) == pytest.approx(
        0.8, abs=0.025
    )


def test_they_are_those_of_statsmodels() -> None:
    power = pytest.importorskip("statsmodels.stats.power")
    theirs = power.TTestPower().solve_power(effect_size=0.3, alpha=0.05, power=0.9)
    assert items_for_means(0.6, sd=2, power=0.9) == math.ceil(theirs)
    smallest = power.TTestPower().solve_power(nobs=11, alpha=0.05, power=0.8)
    assert smallest_mean_difference(11, sd=0.5) == pytest.approx(0.5 * smallest)


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(UsageError, match="no larger than that share"):
        items_for_rates(0.3, discordant=0.2)
    with pytest.raises(UsageError, match="power the larger"):
        items_for_means(1, sd=1, power=0.01)
    with pytest.raises(UsageError, match="neither may be 0"):
        items_for_means(0, sd=1)
    with pytest.raises(UsageError, match="2 or more"):
        smallest_mean_difference(1, sd=1)
    with pytest.raises(UsageError, match="n is 1 or more"):
        smallest_rate_difference(0, discordant=0.2)
    with pytest.raises(UsageError, match="more than 1,000,000,000"):
        items_for_means(1e-6, sd=1)
