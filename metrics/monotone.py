"""Whether scores rise with a known order of steps, a row of steps per question."""

from dataclasses import dataclass

import numpy as np

from ..messages import message
from .association import rank_association, ranking
from .bootstrap import RESAMPLES
from .estimate import Estimate, Target
from .groups import Clusters, cluster_codes
from .inputs import Column, Matrix, numbers, same_length
from .resampling import expanded_percentiles, resampled

_KIND: Target = "new items of the kind"


@dataclass(frozen=True, slots=True)
class Inversion:
    """A step down where a step up was meant: from `lower` to the next, in a row (both from 0)."""

    row: int
    lower: int
    before: float
    after: float


def inversions(rows: Matrix) -> list[Inversion]:
    """Every step from one column to the next that goes down, the deepest first; gaps are no steps.

    >>> [(one.row, one.lower) for one in inversions([[1, 2, 3], [2, 1, 0.5]])]
    [(1, 0), (1, 1)]
    """
    matrix = numbers(rows, "rows", dimensions=2)
    steps = np.diff(matrix, axis=1)
    found = [
        Inversion(int(row), int(at), float(matrix[row, at]), float(matrix[row, at + 1]))
        for row, at in np.argwhere(steps < 0)
    ]
    return sorted(found, key=lambda one: one.after - one.before)


def rank_correlation(
    scores: Column,
    steps: Column,
    *,
    clusters: Clusters | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Spearman's ρ of the scores with the steps, with a bootstrap interval over the clusters.

    The interval is `expanded_percentiles`; rows without a score are left out and counted.

    >>> rank_correlation([1, 2, 4, 3], [1, 2, 3, 4]).value  # 1 − 6 · (1 + 1)/(4 · 15)
    0.8
    """
    same_length({"scores": scores, "steps": steps})
    values, grades = numbers(scores, "scores"), numbers(steps, "steps")
    codes = cluster_codes(clusters, len(values))
    known = ~(np.isnan(values) | np.isnan(grades))
    n, gaps = int(known.sum()), int((~known).sum())
    unit = np.arange(n) if codes is None else np.unique(codes[known], return_inverse=True)[1]
    units = int(unit.max(initial=-1)) + 1
    value, limits, told = None, None, message("nothing scored")
    if n:
        rows = ranking(values[known], grades[known], unit)
        rho = float(rank_association(rows, np.ones((1, units)))[1][0])
        value = None if np.isnan(rho) else rho
        told = message("undefined: the scores or the steps do not vary")
    if value is not None:
        draws = resampled(
            lambda drawn: rank_association(rows, drawn)[1][:, None],
            units,
            resamples=resamples,
            seed=seed,
        )[:, 0]
        limits = expanded_percentiles(draws, units, level=level)
        told = message(
            "bootstrap of {n} clusters, {resamples} resamples", n=units, resamples=resamples
        )
        if limits is None:
            told = message(
                "no interval: no resample of the {n} clusters differs from another", n=units
            )
    low, high = limits or (None, None)
    case = None if gaps else value
    if gaps and value is not None:
        told = message("{method}, over the scored", method=told)
    return Estimate(value, low, high, n, gaps, case, case, _KIND, told, level)
