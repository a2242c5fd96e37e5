import numpy as np
import pytest

from normscope.errors import DataError
from normscope.metrics.differences import rate_difference

NAN = float("nan")


def outcomes(ones: int, n: int) -> list[float]:
    return [1.0] * ones + [0.0] * (n - ones)


def test_by_hand() -> None:
    # 4 of 4 and 0 of 4: Wilson from 4/(4 + 3.8415) = 0.51011, and to 0.48989
    found = rate_difference(outcomes(4, 4), outcomes(0, 4))
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(1 - 0.48989 * 2**0.5, abs=1e-5)


@pytest.mark.parametrize("counts", [(56, 70, 48, 80), (9, 10, 3, 10), (20, 101, 340, 462)])
def test_it_is_statsmodels_newcombe_s(counts: tuple[int, int, int, int]) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    theirs = proportion.confint_proportions_2indep(*counts, method="newcomb")
    ones, n, others, m = counts
    found = rate_difference(outcomes(ones, n), outcomes(others, m))
    assert (found.low, found.high) == pytest.approx(theirs)


def test_doubled_rows_in_their_clusters_add_no_certainty() -> None:
    a, b = outcomes(12, 40), outcomes(25, 60)
    codes = [*range(40)] * 2, [*range(60)] * 2
    strata = ["x", "y"] * 20, ["x", "y"] * 30
    for twice, once in (
        (rate_difference(a * 2, b * 2, clusters=codes), rate_difference(a, b)),
        (
            rate_difference(a * 2, b * 2, strata=(strata[0] * 2, strata[1] * 2), clusters=codes),
            rate_difference(a, b, strata=strata),
        ),
    ):
        assert twice.value == pytest.approx(once.value)
        # t for z, and the variance's divisor
        assert (twice.low, twice.high) == pytest.approx((once.low, once.high), abs=0.01)
        assert twice.method.endswith(", over 40 and 60 clusters")


def test_unscored_items_stand_against_and_for_the_first() -> None:
    found = rate_difference([1, 0, NAN], [1, NAN])
    # 1/2 − 1; worst 1/3 − 1, best 2/3 − 1/2
    assert (found.value, found.lowest, found.highest) == pytest.approx((-0.5, -2 / 3, 1 / 6))
    assert (found.n, found.unscored) == (3, 2)


def test_standardising_by_hand() -> None:
    # strata x (4 of a, 2 of b) and y (1, 3): shares 6/10 and 4/10
    # a: x 3/4, y 0/1 → 0.45; b: x 1/2, y 3/3 → 0.7
    strata = list("xxxxy"), list("xxyyy")
    found = rate_difference([1, 1, 1, 0, 0], [1, 0, 1, 1, 1], strata=strata)
    assert found.value == pytest.approx(0.45 - 0.7)
    assert found.method == "Newcombe, independent, standardised over 2 strata"


def test_a_standardised_difference_is_what_pandas_weighs() -> None:
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(9)
    columns = [(random.random(n) < p).astype(float) for n, p in ((90, 0.4), (150, 0.6))]
    strata = [random.choice(list("xyz"), len(one)).tolist() for one in columns]
    weights = pandas.Series([*strata[0], *strata[1]]).value_counts(normalize=True)
    rates = [
        (pandas.Series(one).groupby(own).mean() * weights).sum()
        for one, own in zip(columns, strata, strict=True)
    ]
    found = rate_difference(columns[0], columns[1], strata=(strata[0], strata[1]))
    assert found.value == pytest.approx(rates[0] - rates[1])


def test_one_stratum_is_nearly_the_plain_difference() -> None:
    a, b = outcomes(40, 100), outcomes(30, 120)
    plain = rate_difference(a, b)
    one = rate_difference(a, b, strata=(["x"] * 100, ["x"] * 120))
    assert one.value == pytest.approx(plain.value)
    assert (one.low, one.high) == pytest.approx((plain.low, plain.high), abs=0.005)


def test_a_stratum_of_one_group_alone_is_refused() -> None:
    with pytest.raises(DataError, match=r"stratum 'y' has 1 items of a and 0 of b"):
        rate_difference([1, 0], [1], strata=(["x", "y"], ["x"]))
    with pytest.raises(DataError, match="empty; every item needs one"):
        rate_difference([1], [1], strata=([None], ["x"]))
    with pytest.raises(DataError, match="a 1, strata of a 2"):
        rate_difference([1], [1], strata=(["x", "x"], ["x"]))


def test_an_empty_group_has_no_difference() -> None:
    found = rate_difference([], [1])
    assert (found.value, found.low, found.method) == (None, None, "a group is empty")
    blank = rate_difference([NAN], [1])
    assert (blank.value, blank.lowest, blank.highest) == (None, -1, 0)


def test_a_standardised_difference_is_covered_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(4)
    rates = {"a": np.array([0.3, 0.9]), "b": np.array([0.2, 0.6])}
    mix = {"a": np.array([40, 60]), "b": np.array([90, 30])}
    codes = {name: np.repeat([0, 1], counts) for name, counts in mix.items()}
    share = (mix["a"] + mix["b"]) / 220
    truth = float(share @ (rates["a"] - rates["b"]))
    hits, runs = 0, 400
    for _ in range(runs):
        drawn = {
            name: (random.random(len(own)) < rates[name][own]).astype(float)
            for name, own in codes.items()
        }
        found = rate_difference(drawn["a"], drawn["b"], strata=(codes["a"], codes["b"]))
        hits += (found.low or 0) <= truth <= (found.high or 0)
    # 400 runs at 0.95: a standard error of 0.011
    assert 0.92 <= hits / runs <= 0.985
