import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from normscope.errors import UsageError
from normscope.metrics.paired import paired_rate_difference
from normscope.metrics.tango import tango


@pytest.mark.parametrize(
    ("counts", "limits"),
    [
        # the tests of R's contingencytables have −0.1240 to −0.0054 for the data of Cavo (2012)
        ((6, 16, 161), (-0.1240, -0.0054)),
        # PropCIs::scoreci.mp(25, 28, 618), 90 %: −0.0148 to 0.0247, for the other way round
        ((28, 25, 618), (-0.0148, 0.0247)),
    ],
)
def test_it_is_the_interval_of_two_packages_in_r(
    counts: tuple[int, int, int], limits: tuple[float, float]
) -> None:
    found = tango(*counts, level=0.9 if counts[2] == 618 else 0.95)
    assert (found.low, found.high) == pytest.approx(limits, abs=5e-5)


def test_by_hand_where_nothing_differs() -> None:
    # b = c = 0: above 0 the share q is 0, so n δ² = z² (1 − δ): δ = z²/(n + z²) is a root of
    # n δ² = z² δ(1 − δ); below it is mirrored
    found = tango(0, 0, 20)
    assert (found.low, found.high) == pytest.approx((-0.161125, 0.161125), abs=1e-6)


def likeliest(b: int, c: int, n: int, delta: float) -> float:
    """The share of c's kind that maximises the likelihood, without any formula for it."""

    def against(q: float) -> float:
        p, rest = q + delta, 1 - 2 * q - delta
        if min(p, q, rest) <= 0:
            return math.inf
        return -(b * math.log(p) + c * math.log(q) + (n - b - c) * math.log(rest))

    low, high = max(0.0, -delta), (1 - delta) / 2
    return float(minimize_scalar(against, bounds=(low, high), method="bounded").x)


@pytest.mark.parametrize("counts", [(6, 16, 161), (1, 7, 21), (9, 2, 30), (3, 4, 12)])
def test_at_its_limits_the_score_is_z_with_the_share_that_is_likeliest(
    counts: tuple[int, int, int],
) -> None:
    b, c, n = counts
    found = tango(b, c, n)
    for delta, z in ((found.low, 1.959964), (found.high, -1.959964)):
        q = likeliest(b, c, n, delta)
        score = (b - c - n * delta) / math.sqrt(n * (2 * q + delta * (1 - delta)))
        assert score == pytest.approx(z, abs=1e-3)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_it_holds_the_difference_and_turns_round(b: int, c: int, rest: int) -> None:
    n = b + c + rest
    if not n:
        return
    there, back = tango(b, c, n), tango(c, b, n)
    assert -1 <= there.low <= (b - c) / n <= there.high <= 1
    assert there.low < there.high
    assert there.low == pytest.approx(-back.high, abs=1e-7)


def test_a_difference_of_rates_has_it_on_request() -> None:
    a, b = [1.0] * 6 + [0.0] * 16 + [1.0] * 139, [0.0] * 6 + [1.0] * 155
    found = paired_rate_difference(a, b, method="tango")
    assert (found.low, found.method) == (tango(6, 16, 161).low, "Tango")
    open_ = paired_rate_difference([*a, None], [*b, 1.0], method="tango")
    # the unscored item at 0 is one more that b alone has, at 1 one that both have
    assert (open_.low, open_.high) == (tango(6, 17, 162).low, tango(6, 16, 162).high)
    with pytest.raises(UsageError, match="use newcombe with clusters"):
        paired_rate_difference([1, 0], [0, 0], clusters=["x", "x"], method="tango")
    with pytest.raises(UsageError, match="did you mean 'tango'"):
        paired_rate_difference([1], [0], method="tang")  # type: ignore[arg-type]


def test_counts_that_cannot_be_are_refused() -> None:
    for counts in ((1, 1, 1), (-1, 0, 5), (0, 0, 0)):
        with pytest.raises(UsageError, match="counts of n items"):
            tango(*counts)


def test_it_covers_where_newcombe_s_is_wide() -> None:
    random = np.random.default_rng(5)
    hits = {"tango": 0, "newcombe": 0}
    runs, n = 400, 50
    for _ in range(runs):
        shared = random.random(n) < 0.85
        a = (shared | (random.random(n) < 2 / 3)).astype(float)
        b = (shared | (random.random(n) < 1 / 3)).astype(float)
        for method in hits:
            found = paired_rate_difference(a, b, method=method)  # type: ignore[arg-type]
            hits[method] += (found.low or 0) <= 0.05 <= (found.high or 0)
    # 0.95 against 0.9; 400 runs have a standard error of 0.011
    assert 0.92 <= hits["tango"] / runs <= 0.98
    assert hits["newcombe"] > hits["tango"]
