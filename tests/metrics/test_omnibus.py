import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError
from normscope.metrics.significance import friedman, repeated_anova

NAN = float("nan")


def table(blocks: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-2, 3, (blocks, 4)).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_friedman_is_scipy_s_with_ties(seed: int) -> None:
    cells = table(30, seed)
    theirs = stats.friedmanchisquare(*cells.T)
    found = friedman(cells)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_friedman_by_hand() -> None:
    # ranks 1 2 3, 1 2 3: sums 2, 4, 6 about 4; χ² = 2 · 8 / 4 = 4, W = 4/(2 · 2) = 1
    found = friedman([[1, 5, 9], [0, 1, 2], [NAN, 1, 2]])
    assert (found.statistic, found.effect, found.n) == pytest.approx((4, 1, 2))
    assert "2 of 3 blocks have every condition" in found.note


@pytest.mark.parametrize("seed", range(3))
def test_the_anova_is_that_of_statsmodels(seed: int) -> None:
    anova = pytest.importorskip("statsmodels.stats.anova")
    pandas = pytest.importorskip("pandas")
    cells = table(20, seed)
    rows = [(i, j, cells[i, j]) for i in range(20) for j in range(4)]
    frame = pandas.DataFrame(rows, columns=["flow", "model", "value"])
    theirs = anova.AnovaRM(frame, "value", "flow", within=["model"]).fit().anova_table
    found = repeated_anova(cells)
    assert found.statistic == pytest.approx(theirs["F Value"].iloc[0])
    assert found.p == pytest.approx(theirs["Pr > F"].iloc[0])


def test_two_conditions_are_the_paired_t_test() -> None:
    cells = table(20, 7)[:, :2]
    theirs = stats.ttest_rel(cells[:, 0], cells[:, 1])
    found = repeated_anova(cells)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic**2, theirs.pvalue))


def test_nothing_to_test() -> None:
    assert friedman([[NAN, 1]]).p is None
    assert repeated_anova([[1, 2]]).p is None
    assert repeated_anova([[1, 2], [2, 3]]).note == "the conditions differ by constants"
    same = friedman([[1, 1, 1], [2, 2, 2]])
    assert (same.p, same.effect) == (1, 0)
    with pytest.raises(DataError, match="needs two"):
        friedman([[1], [2]])
