"""Tests of whether any of several conditions differs, over the same blocks (flows).

As the papers use them: the blocks of a factorial are no sample, so inference over variants comes
first (`variants`).

Why these are ours: scipy's Friedman refuses two conditions, no library here has Skillings and
Mack's test, and statsmodels' `AnovaRM` has no Greenhouse–Geisser correction.
"""

import math

import numpy as np

from ..errors import DataError
from ..messages import joined, message
from .inputs import Floats, Matrix, numbers
from .significance import Test, tested, untested
from .tails import log_chi2_tail, log_f_tail

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
    scores = _scores(matrix)
    spread = float(np.square(scores).sum())
    if spread <= 0:
        return _equal("Friedman", "Kendall's W", n, note)
    statistic = (conditions - 1) * float(np.square(scores.sum(axis=0)).sum()) / spread
    log_p = log_chi2_tail(statistic, conditions - 1)
    return tested(
        "Friedman",
        statistic,
        log_p,
        n,
        effect=statistic / (n * (conditions - 1)),
        effect_name="Kendall's W",
        note=joined([_freedom(conditions - 1), note], "; "),
    )


def skillings_mack(table: Matrix) -> Test:
    """Skillings and Mack's test of blocks × conditions with missing cells (NaN).

    Ranks within a block of k present cells, centred and weighted by √(12/(k + 1)), summed per
    condition to A; T = A′ Σ⁻ A with Σ the covariance of A when a block's ranks are permuted, rank Σ
    degrees of freedom (Skillings & Mack 1981). Ties have their mean rank, and Σ is that of the tied
    ranks, so that T is Friedman's where nothing is missing; the paper's own Σ ignores ties and is
    too large with them. Blocks with one cell tell nothing and are left out.

    >>> result = skillings_mack([[1, 2, 3], [1, 2, 3], [2, 1, 3]])
    >>> round(result.statistic, 4)
    4.6667
    """
    matrix = _table(table)
    used = matrix[(~np.isnan(matrix)).sum(axis=1) >= _TWO]
    n, conditions = used.shape
    if not n:
        return untested("Skillings–Mack", "none", why=message("no block has two conditions"))
    there = ~np.isnan(used)
    cells = there.sum(axis=1)
    scores = _scores(used) * np.sqrt(12 / (cells + 1))[:, None]
    total = scores.sum(axis=0)
    worth = np.square(scores).sum(axis=1) / (cells - 1)
    mask = there.astype(np.float64)
    covariance = np.diag(mask.T @ worth) - (mask * (worth / cells)[:, None]).T @ mask
    degrees = int(np.linalg.matrix_rank(covariance, hermitian=True))
    note: str = message(
        "{n} of {m} blocks used, {cells} of their cells missing",
        n=n,
        m=len(matrix),
        cells=int((~there).sum()),
    )
    if degrees == 0:
        return _equal("Skillings–Mack", "none", n, note)
    # the scores of a block add up to 0, so Σ is singular and is inverted on its rank
    statistic = float(total @ np.linalg.pinv(covariance, hermitian=True) @ total)
    if degrees < conditions - 1:
        tied = message(
            "the blocks tie only {n} of {m} conditions together", n=degrees + 1, m=conditions
        )
        note = joined([note, tied], "; ")
    return tested(
        "Skillings–Mack",
        statistic,
        log_chi2_tail(statistic, degrees),
        n,
        effect=None,
        effect_name="none",
        note=joined([_freedom(degrees), note], "; "),
    )


def repeated_anova(table: Matrix) -> Test:
    """The one-way repeated-measures ANOVA of blocks × conditions, over complete blocks.

    F = MS(conditions) / MS(conditions × blocks), c − 1 and (c − 1)(n − 1) degrees of freedom. The
    effect is partial η². `note` has p with Greenhouse and Geisser's ε, for conditions whose
    differences vary unequally.

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
    epsilon = _sphericity(centred - means)
    corrected = math.exp(log_f_tail(f, epsilon * degrees, epsilon * error))
    sphericity = message(
        "Greenhouse–Geisser ε {epsilon}, p {p}", epsilon=f"{epsilon:.3g}", p=f"{corrected:.3g}"
    )
    return tested(
        name,
        f,
        log_f_tail(f, degrees, error),
        n,
        effect=between / (between + within),
        effect_name=effect_name,
        note=joined([_freedom(degrees, error), note, sphericity], "; "),
    )


def _sphericity(residuals: Floats) -> float:
    # Greenhouse and Geisser's ε, (tr S)²/((c − 1) tr S²) of the doubly centred covariance
    covariance = residuals.T @ residuals
    conditions = len(covariance)
    return float(np.trace(covariance)) ** 2 / (
        (conditions - 1) * float(np.square(covariance).sum())
    )


def _scores(matrix: Floats) -> Floats:
    """The mid-ranks within each row less their mean, 0 where a cell is missing."""
    missing = np.isnan(matrix)
    with np.errstate(invalid="ignore"):
        below = (matrix[:, None, :] < matrix[:, :, None]).sum(axis=2)
        equal = (matrix[:, None, :] == matrix[:, :, None]).sum(axis=2)
    middle = ((~missing).sum(axis=1) + 1) / 2
    scores = below + (equal + 1) / 2 - middle[:, None]
    return np.where(missing, 0.0, scores)


def _complete(table: Matrix) -> tuple[Floats, str]:
    matrix = _table(table)
    kept = matrix[~np.isnan(matrix).any(axis=1)]
    note = message("{n} of {m} blocks have every condition", n=len(kept), m=len(matrix))
    return kept, note


def _freedom(degrees: int, error: int | None = None) -> str:
    if error is None:
        return message("{n} degrees of freedom", n=degrees)
    return message("{n} and {m} degrees of freedom", n=degrees, m=error)


def _table(table: Matrix) -> Floats:
    matrix = numbers(table, "table", dimensions=2)
    if matrix.shape[1] < _TWO:
        raise DataError(f"{matrix.shape[1]} condition(s); a test between conditions needs two")
    return matrix


def _equal(name: str, effect_name: str, n: int, detail: str) -> Test:
    effect = 0.0 if effect_name != "none" else None
    note = joined([message("all cells of each block are equal"), detail], "; ")
    return tested(name, 0.0, 0.0, n, effect=effect, effect_name=effect_name, note=note)
