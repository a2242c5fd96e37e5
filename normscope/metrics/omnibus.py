"""Tests of whether any of several conditions differs, over the same blocks (flows).

As the papers use them: the blocks of a factorial are no sample, so inference over variants comes
first (`variants`).

Why these are ours: scipy's Friedman refuses two conditions, and statsmodels' `AnovaRM` needs a
matrix of as many rows and columns as there are cells, which flows by the thousand do not allow.
"""

import numpy as np
from scipy.special import chdtrc, fdtrc

from ..errors import DataError
from ..messages import joined, message
from .inputs import Floats, Matrix, numbers
from .significance import Test, mid_ranks, untested

_TWO = 2


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
    if n < _TWO:
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
    if matrix.shape[1] < _TWO:
        raise DataError(f"{matrix.shape[1]} condition(s); a test between conditions needs two")
    used = matrix[~np.isnan(matrix).any(axis=1)]
    return used, message("{n} of {m} blocks have every condition", n=len(used), m=len(matrix))
