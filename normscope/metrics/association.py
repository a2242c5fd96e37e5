"""How two columns of amounts go together: Kendall's τ-b, Spearman's ρ and Pearson's r.

M. G. Kendall: "The treatment of ties in ranking problems", Biometrika 33 (1945), for τ-b. All
three are also given for weighted rows, many weightings at a time, which is what a bootstrap needs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..messages import message
from .estimate import Statistic, undefined
from .groups import Clusters, cluster_codes
from .inputs import Column, Floats, numbers, same_length
from .intervals import Codes
from .resampling import RESAMPLES, bootstrapped, resampled

_NAMES = ("kendall", "spearman", "pearson")
_ROUNDING = 1e-12


def associations(
    scores: Column,
    steps: Column,
    *,
    clusters: Clusters | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Statistic]:
    """`kendall` (τ-b), `spearman` (ρ) and `pearson` (r) of the scores with the steps.

    Their intervals are those of `bootstrapped`, all three of the same resamples of the clusters;
    rows without a score or a step are left out and counted.

    >>> [(row.name, row.estimate.value) for row in associations([1, 2, 3], [1, 3, 2])]
    [('kendall', 0.3333333333333333), ('spearman', 0.5), ('pearson', 0.5)]
    """
    same_length({"scores": scores, "steps": steps})
    values, grades = numbers(scores, "scores"), numbers(steps, "steps")
    codes = cluster_codes(clusters, len(values))
    present = ~(np.isnan(values) | np.isnan(grades))
    n, gaps = int(present.sum()), int((~present).sum())
    unit = np.arange(n) if codes is None else np.unique(codes[present], return_inverse=True)[1]
    units = int(unit.max(initial=-1)) + 1
    if not n:
        nothing = undefined(message("nothing scored"), unscored=gaps)
        return [Statistic(name, "score", nothing) for name in _NAMES]
    rows = ranking(values[present], grades[present], unit)
    products = np.zeros((units, 6))
    np.add.at(products, unit, moments(values[present], grades[present]))

    def compute(drawn: Floats) -> Floats:
        tau, rho, _ = rank_association(rows, drawn)
        return np.stack([tau, rho, correlation(drawn @ products)], axis=1)

    whole = compute(np.ones((1, units)))[0]
    draws = resampled(compute, units, resamples=resamples, seed=seed)
    return [
        Statistic(
            name,
            "score",
            bootstrapped(
                float(whole[at]),
                draws[:, at],
                units,
                n=n,
                unscored=gaps,
                undefined=message("undefined: the scores or the steps do not vary"),
            ),
        )
        for at, name in enumerate(_NAMES)
    ]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows by grade and amount, so that rank statistics under weights are a few running sums.

    Rows of one grade and amount are a cell; `unit` is each sorted row's, `starts` where the cells
    begin, `place` the cell's amount among all distinct ones, `bounds` where the grades begin.
    """

    unit: Codes
    starts: NDArray[np.intp]
    place: Codes
    bounds: NDArray[np.intp]
    amounts: int

    def cells(self, weights: Floats) -> Floats:
        """The weight of each cell, from the weight of each unit (resamples × units)."""
        rows = weights[:, self.unit]
        whole = len(self.starts) == len(self.unit)
        return rows if whole else np.add.reduceat(rows, self.starts, axis=1)


def ranking(amounts: Floats, grades: Floats, units: Codes | None = None) -> Ranking:
    """The rows ready for `rank_association`; few distinct grades make it fast."""
    values, place = np.unique(amounts, return_inverse=True)
    levels, grade = np.unique(grades, return_inverse=True)
    # by grade, then by amount: a cell's rows lie together, and a grade's cells are one slice
    order = np.lexsort((place, grade))
    unit = np.arange(len(amounts)) if units is None else units
    key = grade[order] * len(values) + place[order]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    bounds = np.searchsorted(key[starts], np.arange(len(levels) + 1) * len(values))
    at = place[order][starts]
    return Ranking(unit[order], starts, at, bounds, len(values))


def rank_association(rows: Ranking, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """τ-b, ρ and C − D for each weighting of the units (resamples × units), NaN if undefined.

    A row of weight 2 counts as two rows, tied with one another.
    """
    cells = rows.cells(weights)
    grades = len(rows.bounds) - 1
    below = np.zeros((len(cells), rows.amounts))
    sizes, net = np.zeros((len(cells), grades)), np.zeros(len(cells))
    for grade in range(grades):
        place, weight = rows.place[_of(rows, grade)], cells[:, _of(rows, grade)]
        if grade:
            # rows of lower grades with a smaller amount, less those with a larger one
            up_to = np.cumsum(below, axis=1)
            under = 2 * up_to - below - up_to[:, -1:]
            net += (weight * under[:, place]).sum(axis=1)
        below[:, place] += weight
        sizes[:, grade] = weight.sum(axis=1)
    rank, step = _centred_ranks(below), _centred_ranks(sizes)
    shared = np.zeros(len(cells))
    for grade in range(grades):
        place, weight = rows.place[_of(rows, grade)], cells[:, _of(rows, grade)]
        shared += (weight * rank[:, place]).sum(axis=1) * step[:, grade]
    n2 = np.square(sizes.sum(axis=1))
    untied = (n2 - np.square(below).sum(axis=1)) * (n2 - np.square(sizes).sum(axis=1))
    spread = (below * rank**2).sum(axis=1) * (sizes * step**2).sum(axis=1)
    return _over(2 * net, untied), _over(shared, spread), net


def moments(x: Floats, y: Floats) -> Floats:
    """1, x, y, x², xy and y² of every row, x and y less their means: what `correlation` adds up."""
    first, second = x - x.sum() / max(1, len(x)), y - y.sum() / max(1, len(y))
    return np.stack(
        [np.ones(len(x)), first, second, first * first, first * second, second * second], axis=1
    )


def correlation(sums: Floats) -> Floats:
    """Pearson's r from the sums of `moments` (resamples × 6), NaN where it is undefined."""
    n, x, y, xx, xy, yy = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _over(xy - x * y / n, (xx - x * x / n) * (yy - y * y / n))


def _over(top: Floats, square: Floats) -> Floats:
    """The quotient top / √square, NaN where the square is nothing but rounding."""
    defined = square > _ROUNDING
    with np.errstate(invalid="ignore"):
        ratio = top / np.sqrt(np.where(defined, square, np.nan))
    return np.clip(ratio, -1, 1)


def _of(rows: Ranking, grade: int) -> slice:
    return slice(int(rows.bounds[grade]), int(rows.bounds[grade + 1]))


def _centred_ranks(sizes: Floats) -> Floats:
    """The mid-rank of each value less the mean rank, from how many rows have it."""
    up_to = np.cumsum(sizes, axis=1)
    centred: Floats = up_to - sizes / 2 - up_to[:, -1:] / 2
    return centred
