"""Tests of paired columns and of conditions over the same blocks; effect sizes, corrected p.

A pair without a difference is a fact about the two models, so every effect size counts it.

What is ours here: scipy refuses an exact signed-rank test where there are ties or zeros, and
Friedman's of two conditions; statsmodels' `AnovaRM` needs a matrix of as many rows and columns as
there are cells, which flows by the thousand do not allow. The blocks of a factorial are no sample:
these two are as the papers use them, and inference over variants comes first (`variants`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, chdtrc, fdtrc, ndtr, stdtr

from ..errors import DataError
from ..messages import Text, joined, known, marked, message
from .groups import Clusters, cluster_codes
from .inputs import Column, Floats, Matrix, between, numbers, same_length
from .intervals import RATE, Bounds, Codes, Spread, spread

_RANKS, _SHARES = marked("rank-biserial"), "share above less share below"
_EXACT_RANKS = 50
_DIGITS = 12
_LEAST_P = 1e-300


@dataclass(frozen=True, slots=True)
class Test:
    """A test of paired columns, two-sided.

    `n` counts the pairs with both values. A `p` of 1e-300 is one below it. Without pairs nothing
    was tested: `statistic`, `p` and `effect` are null. `note` says which variant of the test it is
    and what stands beside it.
    """

    __test__: ClassVar[bool] = False  # pytest takes a class of this name for one of tests

    name: str
    statistic: float | None
    p: float | None
    n: int
    effect: float | None
    effect_name: str
    note: Text

    def __post_init__(self) -> None:
        """Refuses a p that is no number; one too small for a double stays apart from 0."""
        if self.p is not None:
            if math.isnan(self.p):
                raise DataError(f"{self.name}: no p-value for the statistic {self.statistic}")
            object.__setattr__(self, "p", max(self.p, _LEAST_P))


Zeros = Literal["pratt", "dropped"]
"""Whether pairs without a difference are ranked, or left out before ranking."""


def wilcoxon(a: Column, b: Column, *, zeros: Zeros = "pratt") -> Test:
    """Wilcoxon's signed-rank test of paired values, zeros as Pratt treats them.

    |a − b| is ranked with its zeros and ties share their mean rank; then the zeros' ranks are left
    out (Pratt 1959). With `zeros` dropped they are left out before ranking, as Wilcoxon did and
    scipy does unless told otherwise; `note` has Pratt's p beside. The statistic is the sum W of the
    ranks with a > b. Up to 50 differences p is exact, over all signs of these very ranks, else from
    z = (W − Σr/2) / √(Σr²/4). The effect is the matched-pairs rank-biserial correlation, −1 … 1:
    (Σ ranks with a > b − Σ ranks with a < b) / Σ all ranks, zeros always ranked with the rest
    (Kerby 2014), so that a model that differs on one item in a thousand has an effect near 0, not
    1. `note` gives the share of zeros and a sign test.

    >>> result = wilcoxon([5, 5, 5, 5], [1, 2, 3, 5])  # ranks 4, 3, 2; not the zero's rank 1
    >>> result.statistic, result.p, result.effect  # 2 · 2⁻³; 9 of the ranks' sum 10
    (9.0, 0.25, 0.9)
    >>> wilcoxon([5, 5, 5, 5], [1, 2, 3, 5], zeros="dropped").statistic  # ranks 3, 2, 1
    6.0
    """
    first, second = paired(a, b)
    if not len(first):
        return untested("Wilcoxon signed rank", _RANKS)
    difference = first - second
    ranks, signs = _ranked(difference)
    effect = float((ranks * signs).sum() / ranks.sum())
    equal = int((signs == 0).sum())
    counts = {"zeros": equal, "n": len(first), "share": f"{100 * equal / len(first):.3g}"}
    treated = message("Pratt's zeros: {zeros} of {n} ({share} %)", **counts)
    if zeros == "dropped":
        ranks, signs = _ranked(difference[difference != 0])
        treated = message(
            "zeros left out before ranking: {zeros} of {n} ({share} %); p = {p} with Pratt's",
            p=f"{wilcoxon(a, b).p:.3g}",
            **counts,
        )
    positive = float(ranks[signs > 0].sum())
    used = ranks[signs != 0]
    if len(used) <= _EXACT_RANKS:
        p, kind = _signed_ranks(used, positive), message("exact")
    else:
        z = (positive - used.sum() / 2) / math.sqrt(float(np.square(used).sum()) / 4)
        p, kind = normal_tail(z), message("normal approximation")
    beside = sign_test(a, b)
    note = message(
        "{kind}, {treated}; sign test p = {p}, {signs}",
        kind=kind,
        treated=treated,
        p=f"{beside.p:.3g}",
        signs=beside.note,
    )
    return Test("Wilcoxon signed rank", positive, p, len(first), effect, _RANKS, note)


def sign_test(a: Column, b: Column) -> Test:
    """The sign test of paired values: of those that differ a fair coin would give half to each.

    The effect is the share of pairs with a > b less that with a < b, zeros in the denominator.

    >>> result = sign_test([1, 1, 1, 0], [0, 0, 0, 0])
    >>> round(result.p, 6), result.effect  # 2 · 2⁻³; 3 of 4
    (0.25, 0.75)
    """
    first, second = paired(a, b)
    if not len(first):
        return untested("sign test", _SHARES)
    n, above, below = len(first), int((first > second).sum()), int((first < second).sum())
    p = min(1.0, 2 * float(bdtr(min(above, below), above + below, 0.5)))
    note = message("{above} above, {below} below", above=above, below=below)
    return Test("sign test", float(above), p, n, (above - below) / n, _SHARES, note)


def cohens_h(p: float, q: float) -> float:
    """Cohen's h of two rates, 2 asin √p − 2 asin √q: 0.2 is small, 0.5 medium, 0.8 large.

    >>> round(cohens_h(0.5, 0.25), 4)  # π/2 − π/3
    0.5236
    """
    between(np.array([p, q]), "rates", *RATE)
    return 2 * (math.asin(math.sqrt(p)) - math.asin(math.sqrt(q)))


def paired(a: Column, b: Column) -> tuple[Floats, Floats]:
    """The values of the items that have both.

    >>> [one.tolist() for one in paired([1, None, 3], [2, 5, 4])]
    [[1.0, 3.0], [2.0, 4.0]]
    """
    same_length({"a": a, "b": b})
    first, second = numbers(a, "a"), numbers(b, "b")
    used = ~(np.isnan(first) | np.isnan(second))
    return first[used], second[used]


def _ranked(difference: Floats) -> tuple[Floats, Floats]:
    """The mid-ranks of the absolute differences, and their signs."""
    size = np.abs(difference)
    if size.any():  # 0.3 − 0.2 and 0.2 − 0.1 differ by a rounding error and are one tie
        size = np.round(size / size.max(), _DIGITS)
    return mid_ranks(size), np.sign(difference)


def mid_ranks(values: Floats) -> Floats:
    """The ranks from 1 on within the last axis, ties at their mean rank.

    >>> mid_ranks(np.array([5.0, 7.0, 5.0])).tolist()
    [1.5, 3.0, 1.5]
    """
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values, axis=-1)
    return ranks


def _signed_ranks(ranks: Floats, positive: float) -> float:
    """The two-sided p of the sum of positive ranks, over all signs."""
    # mid-ranks are halves at least: doubled they are places in an array
    doubled = np.rint(2 * ranks).astype(np.intp)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(ways)
        moved[rank:] = ways[: len(ways) - rank]
        # as probabilities, which do not grow with the number of ranks
        ways = (ways + moved) / 2
    fewer = min(round(2 * positive), len(ways) - 1 - round(2 * positive))
    return min(1.0, 2 * float(ways[: fewer + 1].sum()))


def normal_tail(z: float) -> float:
    """The two-sided tail of the normal.

    >>> round(normal_tail(1.959964), 4)
    0.05
    """
    return 2 * float(ndtr(-abs(z)))


def untested(
    name: str, effect_name: str, *, n: int = 0, why: str = marked("no item is scored in both")
) -> Test:
    """A test that could not be made, and why."""
    return Test(name, None, None, n, None, effect_name, known(why))


_EFFECT = marked("mean over its SD")
_ROUNDING = 1e-12


def clustered_t(
    differences: Column,
    *,
    clusters: Clusters | None = None,
    bounds: Bounds | None = None,
    name: str = "clustered t",
    unit: str = marked("clusters"),
) -> Test:
    """The test that paired differences (NaN where unscored) have the mean 0, robust to clusters.

    t is the mean over its standard error (`spread`), with C − 1 degrees of freedom for C clusters:
    the test of `mean_interval`, so that p < 1 − level where that interval does not hold 0. Where
    all differences are one value m that is not 0, t has no scale. With the `bounds` of a difference
    p is then 2Φ(−√(C |m|/B)), B the bound on the other side of 0, which again is the interval's;
    without them 2 · 2⁻ᶜ, the chance that C fair coins fall alike. `name` and `unit` are what the
    test and its clusters are called.

    >>> result = clustered_t([1, 2, 3])  # 2 / (1/√3), two degrees of freedom
    >>> round(result.statistic, 3), round(result.p, 4)
    (3.464, 0.0742)
    """
    values, codes = _known(differences, clusters)
    if not len(values):
        return untested(name, _EFFECT)
    apart = spread(values, codes)
    mean, count, units = apart.mean, apart.count, known(unit)
    counted = message("{n} {unit}", n=count, unit=units)
    note: str = counted
    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    effect = None if deviation <= _ROUNDING else mean / deviation
    statistic: float | None = None
    if apart.error:
        statistic = mean / apart.error
        p = 2 * float(stdtr(count - 1, -abs(statistic)))
    elif abs(mean) <= _ROUNDING:
        statistic, p, note = 0.0, 1.0, joined([counted, message("no difference anywhere")])
    elif apart.error is None:
        p = 1.0
        note = message("{counted}: nothing says how {unit} differ", counted=counted, unit=units)
    elif bounds is not None:
        p = _alike(apart, bounds)
        note = joined([counted, message("all differ alike: Wilson's limit")])
    else:
        p = 2.0 ** (1 - count)
        note = joined([counted, message("all differ alike: a coin for each")])
    return Test(name, statistic, min(1.0, p), len(values), effect, _EFFECT, note)


def _alike(apart: Spread, bounds: Bounds) -> float:
    """The p at which the limit of `mean_interval`, where nothing departs, is 0.

    m − q (m − low) = 0 with q = z²/(z² + C) gives z² = C m/(−low).
    """
    beyond = bounds[0] if apart.mean > 0 else bounds[1]
    return normal_tail(math.sqrt(apart.effective * abs(apart.mean / beyond)))


def _known(differences: Column, clusters: Clusters | None) -> tuple[Floats, Codes | None]:
    values = numbers(differences, "differences")
    codes = cluster_codes(clusters, len(values))
    present = ~np.isnan(values)
    return values[present], None if codes is None else codes[present]


PValues = Sequence[float | None] | NDArray[np.float64]


def holm(p: PValues) -> Floats:
    """The p-values corrected so that one false rejection among all has at most the level (Holm).

    NaN: not tested and not counted (Holm 1979).

    >>> [round(one, 4) for one in holm([0.01, 0.04, 0.03]).tolist()]  # 3 · 0.01, 2 · 0.03 twice
    [0.03, 0.06, 0.06]
    """
    return _corrected(p, "holm")


def benjamini_hochberg(p: PValues) -> Floats:
    """The p-values corrected so that rejections have at most the level of false ones among them.

    NaN: not tested and not counted (Benjamini & Hochberg 1995).

    >>> [round(one, 4) for one in benjamini_hochberg([0.01, 0.04, 0.03]).tolist()]
    [0.03, 0.04, 0.04]
    """
    return _corrected(p, "fdr_bh")


def _corrected(p: PValues, method: str) -> Floats:
    # imported where it is used: it takes a second
    from statsmodels.stats.multitest import multipletests

    values = between(numbers(p, "p"), "p", *RATE)
    present = ~np.isnan(values)
    if present.any():
        values[present] = multipletests(values[present], method=method)[1]
    return values


def friedman(table: Matrix) -> Test:
    """Friedman's test of blocks × conditions, over the blocks that have every condition.

    χ² = (c − 1) Σⱼ (Rⱼ − n(c + 1)/2)² / Σᵢⱼ (rᵢⱼ − (c + 1)/2)², ranks within a block, ties at
    their mean rank and in the divisor; c − 1 degrees of freedom. The effect is Kendall's W.

    >>> result = friedman([[1, 2, 3], [1, 2, 3], [2, 1, 3]])  # rank sums 4, 5, 9: 2 · 14/6
    >>> round(result.statistic, 4), round(result.effect, 4)
    (4.6667, 0.7778)
    """
    matrix, note = _complete(table)
    n, conditions = matrix.shape
    if not n:
        return untested("Friedman", "Kendall's W", why=message("no block has every condition"))
    scores = mid_ranks(matrix) - (conditions + 1) / 2
    spread = float(np.square(scores).sum())
    if spread <= 0:
        same = joined([message("all cells of each block are equal"), note], "; ")
        return Test("Friedman", 0.0, 1.0, n, 0.0, "Kendall's W", same)
    statistic = (conditions - 1) * float(np.square(scores.sum(axis=0)).sum()) / spread
    p, w = float(chdtrc(conditions - 1, statistic)), statistic / (n * (conditions - 1))
    freedom = message("{n} degrees of freedom", n=conditions - 1)
    return Test("Friedman", statistic, p, n, w, "Kendall's W", joined([freedom, note], "; "))


def repeated_anova(table: Matrix) -> Test:
    """The one-way repeated-measures ANOVA of blocks × conditions, over complete blocks.

    F = MS(conditions) / MS(conditions × blocks), c − 1 and (c − 1)(n − 1) degrees of freedom. The
    effect is partial η².

    >>> result = repeated_anova([[1, 2, 4], [2, 3, 3], [3, 4, 5]])
    >>> round(result.statistic, 4), round(result.effect, 4)  # 6/2 over (4/3)/4
    (9.0, 0.8182)
    """
    matrix, note = _complete(table)
    n, conditions = matrix.shape
    name, effect_name = "repeated-measures ANOVA", "partial η²"
    if n < 2:  # noqa: PLR2004 - a spread is of two
        why = message("under two blocks have every condition")
        return untested(name, effect_name, n=n, why=why)
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    means = centred.mean(axis=0)
    between = n * float(np.square(means).sum())
    within = float(np.square(centred - means).sum())
    if within <= 1e-12 * max(1.0, between):
        return untested(name, effect_name, n=n, why=message("the conditions differ by constants"))
    degrees, error = conditions - 1, (conditions - 1) * (n - 1)
    f = between / degrees / (within / error)
    freedom = message("{n} and {m} degrees of freedom", n=degrees, m=error)
    p, eta = float(fdtrc(degrees, error, f)), between / (between + within)
    return Test(name, f, p, n, eta, effect_name, joined([freedom, note], "; "))


def _complete(table: Matrix) -> tuple[Floats, str]:
    matrix = numbers(table, "table", dimensions=2)
    if matrix.shape[1] < 2:  # noqa: PLR2004 - a test between two
        raise DataError(f"{matrix.shape[1]} condition(s); a test between conditions needs two")
    used = matrix[~np.isnan(matrix).any(axis=1)]
    return used, message("{n} of {m} blocks have every condition", n=len(used), m=len(matrix))
