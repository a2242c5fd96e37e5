"""Ashman's D: how far two heaps of values stand apart.

K. M. Ashman, C. M. Bird, S. E. Zepf: "Detecting bimodality in astronomical datasets", Astronomical
Journal 108 (1994): two Gaussian components are fitted, and D = √2 |μ₁ − μ₂| / √(σ₁² + σ₂²); above 2
they are cleanly apart.
"""

import numpy as np

from ..messages import message
from .estimate import Estimate, undefined
from .groups import Clusters, cluster_codes
from .inputs import Column, Floats, between, numbers
from .intervals import Bounds
from .resampling import bootstrapped, resampled

APART = 2.0
"""From this D on two heaps are cleanly apart."""

BINS = 100
FEWEST = 20
"""Under so many values five parameters are not fitted."""

_RESAMPLES = 400
_MOST_STEPS, _STILL = 500, 1e-4


def ashman_d(
    values: Column,
    *,
    bounds: Bounds,
    clusters: Clusters | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """D of two Gaussian components fitted to the scored values, with a bootstrap interval.

    The fit is by expectation maximisation on `BINS` equal bins over the bounds, from the split in
    two that leaves the least variance within. A component's variance is at least that within a
    bin, width²/12, so two heaps of one value each are no infinite distance apart. Clusters are
    redrawn whole. Undefined under `FEWEST` values, or where all are in one bin.

    >>> result = ashman_d([0.205, 0.225] * 10 + [0.705, 0.725] * 10, bounds=(0, 1))
    >>> round(result.value, 1)  # √2 · 0.5 / √(0.01² + 0.01²)
    50.0
    """
    array = between(numbers(values, "values"), "values", *bounds)
    codes = cluster_codes(clusters, len(array))
    known = ~np.isnan(array)
    n, unscored = int(known.sum()), int((~known).sum())
    place = np.clip((array[known] - bounds[0]) / (bounds[1] - bounds[0]) * BINS, 0, BINS - 1)
    occupied, column = np.unique(place.astype(np.intp), return_inverse=True)
    if n < FEWEST or len(occupied) < 2:  # noqa: PLR2004 - two components
        why = message("all values lie in one bin")
        if n < FEWEST:
            why = message("fewer than {n} values", n=FEWEST)
        return undefined(why, target="new items of the kind", n=n, unscored=unscored, level=level)
    unit = np.arange(n) if codes is None else np.unique(codes[known], return_inverse=True)[1]
    units = int(unit.max()) + 1
    table = np.zeros((units, len(occupied)))
    np.add.at(table, (unit, column), 1)
    middles = bounds[0] + (occupied + 0.5) * (bounds[1] - bounds[0]) / BINS
    floor = ((bounds[1] - bounds[0]) / BINS) ** 2 / 12
    draws = resampled(lambda drawn: drawn @ table, units, resamples=_RESAMPLES, seed=seed)
    # one fit for all: the values themselves first, then every resample
    distances = _distances(np.vstack([table.sum(axis=0), draws]), middles, floor)
    return bootstrapped(
        float(distances[0]),
        distances[1:],
        units,
        n=n,
        unscored=unscored,
        undefined=message("all values lie in one bin"),
        level=level,
    )


def _distances(counts: Floats, middles: Floats, floor: float) -> Floats:
    """D for each row of counts of the bins, NaN where all of a row lie in one bin."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    upper = _split(shares, middles)
    result = np.full(len(counts), np.nan)
    rows = np.flatnonzero((counts > 0).sum(axis=1) > 1)
    shares, upper = shares[rows], upper[rows]
    for _ in range(_MOST_STEPS):
        weights, means, variances = _components(shares, upper, middles, floor)
        distance = np.sqrt(2) * np.abs(means[1] - means[0]) / np.sqrt(variances.sum(axis=0))
        moving = ~(np.abs(distance - result[rows]) < _STILL)
        result[rows] = distance
        # a row that stands still is left there, so that it hangs on its own counts alone
        rows, shares = rows[moving], shares[moving]
        weights, means, variances = weights[:, moving], means[:, moving], variances[:, moving]
        if not len(rows):
            break
        logs = np.log(weights) - np.log(variances) / 2
        near = [
            logs[k][:, None] - (middles - means[k][:, None]) ** 2 / (2 * variances[k][:, None])
            for k in (0, 1)
        ]
        with np.errstate(over="ignore"):
            upper = 1 / (1 + np.exp(near[0] - near[1]))
    return result


def _components(
    shares: Floats, upper: Floats, middles: Floats, floor: float
) -> tuple[Floats, Floats, Floats]:
    """Weight, mean and variance of both components (2 × rows); `upper`: the second's share."""
    parts = np.stack([shares * (1 - upper), shares * upper])
    weights = np.maximum(parts.sum(axis=2), 1e-12)
    means = (parts * middles).sum(axis=2) / weights
    squares = (parts * (middles - means[:, :, None]) ** 2).sum(axis=2) / weights
    return weights, means, np.maximum(squares, floor)


def _split(shares: Floats, middles: Floats) -> Floats:
    """1 for the bins above the cut of a row that leaves the least variance within both sides."""
    below = np.cumsum(shares, axis=1)[:, :-1]
    sums = np.cumsum(shares * middles, axis=1)
    total, left = sums[:, -1:], sums[:, :-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        between = (total * below - left) ** 2 / (below * (1 - below))
    cut = np.nan_to_num(between, nan=-1.0, posinf=-1.0).argmax(axis=1)
    chosen: Floats = (np.arange(len(middles)) > cut[:, None]).astype(np.float64)
    return chosen
