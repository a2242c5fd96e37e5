"""Whether scores rise with a known order of steps, a row of steps per question."""

from dataclasses import dataclass

import numpy as np

from ..messages import message
from .association import rank_association, ranking
from .bootstrap import RESAMPLES
from .estimate import Estimate
from .groups import Clusters, cluster_codes
from .inputs import Column, Floats, Matrix, numbers, same_length
from .resampling import bootstrapped, resampled


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

    The interval is that of `bootstrapped`; rows without a score are left out and counted.

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
    if not n:
        nothing = message("nothing scored")
        return Estimate(None, None, None, 0, gaps, None, None, "new items of the kind", nothing)
    rows = ranking(values[known], grades[known], unit)

    def compute(drawn: Floats) -> Floats:
        return rank_association(rows, drawn)[1][:, None]

    return bootstrapped(
        float(compute(np.ones((1, units)))[0, 0]),
        resampled(compute, units, resamples=resamples, seed=seed)[:, 0],
        units,
        n=n,
        unscored=gaps,
        undefined=message("undefined: the scores or the steps do not vary"),
        level=level,
    )
