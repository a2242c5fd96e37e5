"""True shares of labels from a judge's, by how often it confuses which with which.

W. J. Rogan, B. Gladen: "Estimating prevalence from the results of a screening test" (1978), here
for any number of labels and with the uncertainty of the confusion matrix carried through. It
believes that the judge errs here as often as where the matrix was measured; labels of a sample of
these very answers (`ppi`) believe nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from ..errors import DataError, UsageError
from .inputs import Floats
from .intervals import check_level

MOST_CONDITION = 10.0
"""The worst condition number of a matrix that is inverted: errors grow up to tenfold."""

MOST_LABELS = 8
RESAMPLES = 2000

# a share that is 0 on paper may come out a little below it
_FEASIBLE = -1e-9


@dataclass(frozen=True, slots=True)
class Counted:
    """How often people's label (row) met the judge's (column) where both are known.

    `effective` divides each row's counts: how many times the variance is that of independent rows.
    """

    counts: Floats
    effective: float = 1.0


@dataclass(frozen=True, slots=True)
class Shares:
    """The corrected share of each label, the matrix's condition number, and draws of the shares.

    `draws` has a row per draw; any number made of the shares has the quantiles of its draws.
    `clipped` is the share of draws that lay outside the simplex and were set onto it.
    """

    shares: Floats
    condition: float
    draws: Floats
    clipped: float

    def limits(self, worth: Sequence[float], *, level: float = 0.95) -> tuple[float, float]:
        """The limits of Σ share · worth."""
        check_level(level)
        sums = self.draws @ np.asarray(worth, dtype=np.float64)
        low, high = np.quantile(sums, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)


def true_shares(
    confusion: Counted,
    observed: Sequence[float],
    *,
    design_effect: float = 1.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
    most_condition: float = MOST_CONDITION,
) -> Shares:
    """The shares π of people's labels behind the observed counts of the judge's labels.

    With M the matrix whose row k is how the judge labels what people label k, the judge's shares
    are Mᵀπ; π is the point of the simplex (all shares ≥ 0, their sum 1) for which Mᵀπ is nearest to
    what was observed, which is Rogan and Gladen's M⁻ᵀp wherever that lies in it. Each draw takes
    every row of M from its Dirichlet (counts / effective + 1/K) and the observed shares from a
    multinomial of n / design_effect rows, and solves again: parametric bootstrap, new items.

    A matrix with a condition number (largest by smallest singular value) above `most_condition` is
    refused, for noise would be multiplied by it; so is one without a row of some label.

    >>> matrix = Counted(np.array([[80.0, 20.0], [10.0, 90.0]]))
    >>> result = true_shares(matrix, [310, 690])  # (0.31 − 0.1) / (0.8 + 0.9 − 1)
    >>> result.shares.round(6).tolist(), round(result.condition, 3)
    ([0.3, 0.7], 1.456)
    """
    counts, judged = _checked(confusion, observed, design_effect)
    rows = counts / counts.sum(axis=1, keepdims=True)
    condition = float(np.linalg.cond(rows))
    if condition > most_condition:
        raise DataError(
            f"the judge's confusion matrix has the condition number {condition:.3g}, more than "
            f"{most_condition:g}: its labels say too little of people's to be turned round. Label "
            "a sample of this run (`normscope annotate sample`)"
        )
    shares = judged / judged.sum()
    result, _ = _solved(rows[None], shares[None])
    random = np.random.default_rng(seed)
    k = len(judged)
    prior = counts / confusion.effective + 1 / k
    gammas = random.standard_gamma(np.broadcast_to(prior, (resamples, k, k)))
    matrices = gammas / gammas.sum(axis=2, keepdims=True)
    size = max(1, round(float(judged.sum()) / design_effect))
    drawn = random.multinomial(size, shares, size=resamples) / size
    draws, clipped = _solved(matrices, drawn)
    return Shares(result[0], condition, draws, float(clipped.mean()))


def _checked(
    confusion: Counted, observed: Sequence[float], design_effect: float
) -> tuple[Floats, Floats]:
    counts = np.asarray(confusion.counts, dtype=np.float64)
    judged = np.asarray(observed, dtype=np.float64)
    k = len(judged)
    if counts.shape != (k, k) or not 2 <= k <= MOST_LABELS:  # noqa: PLR2004 - a confusion has two
        raise DataError(
            f"a confusion matrix of {' × '.join(map(str, counts.shape))} and {k} observed counts: "
            f"both have the same labels, from 2 to {MOST_LABELS}"
        )
    if (counts < 0).any() or (judged < 0).any() or not np.isfinite(counts).all():
        raise DataError("counts of labels are finite and not negative")
    if min(confusion.effective, design_effect) < 1:
        raise UsageError("a design effect is at least 1, that of independent rows")
    if not judged.sum():
        raise DataError("the judge gave no label: there is nothing to correct")
    if (empty := np.flatnonzero(counts.sum(axis=1) == 0)).size:
        raise DataError(
            f"people gave label {int(empty[0]) + 1} of {k} nowhere where the judge was measured: "
            "how it labels such answers is unknown"
        )
    return counts, judged


def _solved(matrices: Floats, shares: Floats) -> tuple[Floats, np.ndarray]:
    """Per draw the point of the simplex nearest to the shares, and whether it was set onto it.

    The nearest point has some labels at 0, and is the least-squares solution with sum 1 on the
    others: of all such solutions without a negative share, the one that fits best.
    """
    count, k = shares.shape
    best = np.full(count, np.inf)
    result = np.zeros((count, k))
    for support in _supports(k):
        on_support = matrices[:, support, :]
        size = len(support)
        # the normal equations with a multiplier for the sum
        system = np.zeros((count, size + 1, size + 1))
        system[:, :size, :size] = on_support @ on_support.transpose(0, 2, 1)
        system[:, :size, size] = system[:, size, :size] = 1
        right = np.ones((count, size + 1, 1))
        right[:, :size, 0] = np.einsum("bij,bj->bi", on_support, shares)
        solution = _solve(system, right)
        candidate = solution[:, :size, 0]
        misfit = np.square(np.einsum("bi,bij->bj", candidate, on_support) - shares).sum(axis=1)
        # from large supports to small: one that only ties with a larger one does not replace it
        better = (candidate.min(axis=1) >= _FEASIBLE) & (misfit < best - 1e-15)
        best = np.where(better, misfit, best)
        point = np.zeros((count, k))
        point[:, support] = np.maximum(candidate, 0)
        result = np.where(better[:, None], point, result)
    return result / result.sum(axis=1, keepdims=True), (result == 0).any(axis=1)


def _solve(system: Floats, right: Floats) -> Floats:
    """The solutions; of a system that is singular, the shortest."""
    try:
        result = np.linalg.solve(system, right)
    except np.linalg.LinAlgError:
        # numpy refuses the whole stack for one singular draw
        result = np.linalg.pinv(system) @ right
    return result.astype(np.float64)


@cache
def _supports(k: int) -> tuple[list[int], ...]:
    """Every set of labels that may be there, the largest first."""
    sizes = range(k, 0, -1)
    return tuple(list(chosen) for size in sizes for chosen in combinations(range(k), size))
