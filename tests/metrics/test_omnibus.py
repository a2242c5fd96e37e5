import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError
from normscope.metrics.omnibus import friedman, repeated_anova, skillings_mack

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


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
def test_skillings_mack_without_gaps_is_friedman_s(seed: int) -> None:
    cells = table(25, seed)
    assert skillings_mack(cells).statistic == pytest.approx(friedman(cells).statistic)


def test_skillings_mack_by_hand_with_a_missing_cell() -> None:
    # Ranks: seven blocks 1 2 3 but for one 2 1 3, weighted by √(12/4) = √3, and one block of two
    # cells 1 2, weighted by √(12/3) = 2. A = (−6√3 − 1, −√3, 7√3 + 1). Two conditions share 7, 8
    # and 7 blocks, so that the first two have the covariance 15 −7, −7 14 with determinant 161 and
    # T = (14 A₁² + 14 A₁A₂ + 15 A₂²)/161 = (14 (109 + 12√3) + 14 (18 + √3) + 45)/161.
    # The data are those of the example in R's NSM3, pSkilMack (a metronome's effect on speech).
    cells = [[3, 1, 5, 2, 0, 0, 0, 0], [5, 3, 4, NAN, 2, 2, 3, 2], [15, 18, 21, 6, 17, 10, 8, 13]]
    found = skillings_mack(np.array(cells).T)
    statistic = (14 * (109 + 12 * 3**0.5) + 14 * (18 + 3**0.5) + 45) / 161
    assert found.statistic == pytest.approx(statistic)
    # two degrees of freedom: e^(−T/2)
    assert found.p == pytest.approx(np.exp(-statistic / 2))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
def test_skillings_mack_is_what_permuting_the_ranks_says(seed: int) -> None:
    # T from the covariance of the rank sums over all permutations within each block, by drawing
    random = np.random.default_rng(seed)
    cells = random.normal(size=(12, 4))
    cells[random.random(cells.shape) < 0.15] = NAN
    sums = []
    for _ in range(4000):
        drawn = np.full(cells.shape, NAN)
        for row, own in enumerate(cells):
            there = ~np.isnan(own)
            drawn[row, there] = random.permutation(own[there])
        sums.append(weighted_rank_sums(drawn))
    spread = np.cov(np.array(sums).T)
    seen = weighted_rank_sums(cells)
    expected = seen @ np.linalg.pinv(spread, rcond=1e-6) @ seen
    # 4,000 draws know a variance to about 2 %
    assert skillings_mack(cells).statistic == pytest.approx(expected, rel=0.1)


def weighted_rank_sums(cells: np.ndarray) -> np.ndarray:
    total = np.zeros(cells.shape[1])
    for own in cells:
        there = ~np.isnan(own)
        k = int(there.sum())
        if k > 1:
            total[there] += (stats.rankdata(own[there]) - (k + 1) / 2) * (12 / (k + 1)) ** 0.5
    return total


def test_skillings_mack_of_a_balanced_incomplete_design_is_durbin_s() -> None:
    # three treatments, blocks of two, each pair once, four times over; the later always wins:
    # rank sums 8, 12, 16 about 12; Durbin's D = 12 (t − 1) / (r t (k − 1)(k + 1)) Σ(R − 12)²
    # = 12 · 2 / (8 · 3 · 1 · 3) · 32 = 32/3
    cells: list[list[float]] = [[1, 2, NAN], [1, NAN, 2], [NAN, 1, 2]] * 4
    found = skillings_mack(cells)
    assert found.statistic == pytest.approx(32 / 3)
    assert found.n == 12


def test_blocks_of_one_cell_tell_nothing() -> None:
    cells: list[list[float]] = [[1, 2, 3], [1, 2, 3], [2, 1, 3]]
    more = [*cells, [NAN, 5, NAN], [NAN] * 3]
    assert skillings_mack(more).statistic == pytest.approx(skillings_mack(cells).statistic)
    assert "3 of 5 blocks used" in skillings_mack(more).note


def test_conditions_that_no_block_ties_together_are_told() -> None:
    found = skillings_mack([[1, 2, NAN], [1, 2, NAN], [NAN, NAN, 4]])
    assert "tie only 2 of 3 conditions" in found.note


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
    assert "ε 1," in found.note


def test_nothing_to_test() -> None:
    assert friedman([[NAN, 1]]).p is None
    assert skillings_mack([[NAN, 1, NAN]]).p is None
    assert repeated_anova([[1, 2]]).p is None
    assert repeated_anova([[1, 2], [2, 3]]).note == "the conditions differ by constants"
    same = friedman([[1, 1, 1], [2, 2, 2]])
    assert (same.p, same.effect) == (1, 0)
    assert skillings_mack([[1, 1], [2, 2]]).p == 1
    with pytest.raises(DataError, match="needs two"):
        friedman([[1], [2]])
