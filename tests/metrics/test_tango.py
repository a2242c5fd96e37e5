import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq, minimize_scalar

from normscope.errors import UsageError
from normscope.metrics.paired import paired_rate_difference
from normscope.metrics.tango import score_interval_of_all, score_test, tango


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


def likeliest(b: float, c: float, n: float, delta: float) -> float:
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


@pytest.mark.parametrize("clusters", [None, range(150)])
def test_150_rows_alike_leave_two_and_a_half_points(clusters: range | None) -> None:
    rows = [1.0] * 90 + [0.0] * 60
    found = paired_rate_difference(rows, rows, clusters=clusters)
    # z²/(n + z²) = 3.841459/153.841459
    assert (found.low, found.high) == pytest.approx((-0.0249702, 0.0249702), abs=1e-7)


def test_clusters_by_hand() -> None:
    # differences by cluster of two: (1, 1), (0, 0), (−1, 0), (0, 0): mean 1/8, residual sums
    # 2 − 1/4, −1/4, −1 − 1/4, −1/4, squares 3.0625 + 0.0625 + 1.5625 + 0.0625 = 4.75;
    # var = 4/3 · 4.75/64 = 0.0989583; (3/8 − 1/64)/var = 3.6315789 pairs, t(3) = 3.1824463
    a, b = [1.0, 1, 1, 0, 0, 1, 0, 1], [0.0, 0, 1, 0, 1, 1, 0, 1]
    names = list("wwxxyyzz")
    found = paired_rate_difference(a, b, clusters=names)
    rows, t = 3.6315789, 3.1824463
    for delta, sign in ((found.low or 0, 1), (found.high or 0, -1)):
        q = likeliest(2 * rows / 8, rows / 8, rows, delta)
        score = (rows / 8 - rows * delta) / math.sqrt(rows * (2 * q + delta * (1 - delta)))
        assert score == pytest.approx(sign * t, abs=1e-3)
    assert found.method == "Tango over 4 clusters"
    # z = (2 − 1)/√3 · √(3.6315789/8), against t with three degrees of freedom
    test = score_test(a, b, clusters=names)
    assert test.statistic == pytest.approx((3.6315789 / 24) ** 0.5)
    assert test.p == pytest.approx(2 * stats.t.sf((3.6315789 / 24) ** 0.5, 3))


def tango_at(b: float, c: float, n: float, quantile: float) -> tuple[float, float]:
    """The limits by looking for them, with the likeliest share and no formula."""

    def beyond(delta: float, sign: float) -> float:
        q = likeliest(b, c, n, delta)
        return (b - c - n * delta) - sign * quantile * math.sqrt(n * (2 * q + delta * (1 - delta)))

    middle = (b - c) / n
    return (
        brentq(beyond, -0.99, middle - 1e-6, args=(1.0,)),
        brentq(beyond, middle + 1e-6, 0.99, args=(-1.0,)),
    )


def test_a_difference_over_all_is_held_as_often_as_it_says() -> None:
    # 40 of 60 with 9 and 3 alone: each count's chance is hypergeometric, no simulation
    n, population = 40, 60
    drawn = stats.multivariate_hypergeom([9, 3, 48], n)
    covered = 0.0
    for b in range(10):
        for c in range(4):
            a = np.array([1.0] * b + [0.0] * (n - b))
            other = np.array([0.0] * b + [1.0] * c + [0.0] * (n - b - c))
            found = score_interval_of_all(a, other, population)
            covered += float(drawn.pmf([b, c, n - b - c])) * (found.low <= 0.1 <= found.high)
    assert covered > 0.94


def test_one_cluster_says_nothing() -> None:
    a, b = [1.0, 1.0], [0.0, 0.0]
    found, test = paired_rate_difference(a, b, clusters="xx"), score_test(a, b, clusters="xx")
    assert (found.low, found.high, found.method) == (-1, 1, "one cluster: the bounds")
    assert test.p == 1


def test_the_score_test_is_mcnemar_s_without_a_correction() -> None:
    # the tests of R's contingencytables have P = 0.033006, Z = −2.132 for Cavo's data (2012)
    a, b = [1.0] * 65 + [0.0] * 96, [1.0] * 59 + [0.0] * 6 + [1.0] * 16 + [0.0] * 80
    found = score_test(a, b)
    assert (found.statistic, found.p) == pytest.approx((-2.132, 0.033006), abs=5e-4)
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    theirs = tables.mcnemar([[59, 6], [16, 80]], exact=False, correction=False)
    assert found.p == pytest.approx(theirs.pvalue)
    assert found.n == 161
    assert found.note == "6 for a alone, 16 for b alone"


def test_nothing_discordant_and_nothing_scored() -> None:
    assert score_test([1, 0, None], [1, 0, 1]).p == 1
    assert score_test([None], [1]).p is None


ROWS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1.0, None]), st.sampled_from([0.0, 1.0, None]), st.integers(0, 9)
    ),
    min_size=1,
    max_size=40,
)


@given(ROWS, st.booleans(), st.sampled_from([0.8, 0.95, 0.99]))
def test_p_is_small_where_the_interval_leaves_out_zero_and_nowhere_else(
    rows: list[tuple[float | None, float | None, int]], clustered: bool, level: float
) -> None:
    names = [name for _, _, name in rows] if clustered else None
    a, b = [one for one, _, _ in rows], [other for _, other, _ in rows]
    known = [at for at, row in enumerate(rows) if None not in row[:2]]
    complete = paired_rate_difference(
        [a[at] for at in known],
        [b[at] for at in known],
        clusters=None if names is None else [names[at] for at in known],
        level=level,
    )
    p = score_test(a, b, clusters=names).p
    if p is None:
        assert complete.low is None
        return
    assert complete.low is not None
    assert complete.high is not None
    # a limit is found to 1e-9
    if min(abs(complete.low), abs(complete.high)) > 1e-8:
        assert (p < 1 - level) == (not complete.low <= 0 <= complete.high)


def test_a_slice_of_an_enumeration_by_hand() -> None:
    # 3 and 1 of 20 alone, of 100: n_e = 20 · 99/80 = 24.75
    a, b = [1.0] * 3 + [0.0] * 17, [0.0] * 3 + [1.0] + [0.0] * 16
    found = score_interval_of_all(np.array(a), np.array(b), 100)
    scale = 24.75 / 20
    low, high = tango_at(3 * scale, scale, 24.75, 1.959964)
    # −0.0635 and 0.2870, outwards to whole items of the hundred
    expected = math.floor(100 * low) / 100, math.ceil(100 * high) / 100
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.method == "Tango, 20 of 100"
    every = score_interval_of_all(np.array(a), np.array(b), 20)
    assert every.low == every.high == pytest.approx(0.1)
    # one of 21 was not drawn: it moves the 2 in 21 by one at most
    nearly = score_interval_of_all(np.array(a), np.array(b), 21)
    assert (nearly.low, nearly.high) == pytest.approx((1 / 21, 3 / 21))


def test_counts_that_cannot_be_are_refused() -> None:
    for counts in ((1, 1, 1), (-1, 0, 5), (0, 0, 0)):
        with pytest.raises(UsageError, match="counts of n items"):
            tango(*counts)


@pytest.mark.parametrize(
    ("only_a", "only_b", "n", "least"),
    [
        (0.0, 0.0, 150, 1.0),  # the same model twice
        (0.005, 0.005, 150, 0.99),  # 1 % discordant
        (0.025, 0.025, 150, 0.94),  # 5 %
        (0.05, 0.0, 150, 0.93),  # all one way
        (0.2, 0.05, 50, 0.93),
        (0.25, 0.25, 150, 0.94),
    ],
)
def test_what_it_covers_is_counted_over_all_outcomes(
    only_a: float, only_b: float, n: int, least: float
) -> None:
    # no simulation: the chance of each pair of counts, and whether its interval holds the truth
    covered = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            chance = stats.multinomial.pmf(
                [b, c, n - b - c], n, [only_a, only_b, 1 - only_a - only_b]
            )
            if chance > 1e-5:
                found = tango(b, c, n)
                covered += chance * (found.low <= only_a - only_b <= found.high)
    assert covered >= least - 0.005
