"""Bootstrap intervals of a mean: rows or clusters redrawn within strata, or items and variants.

All draws come from one seed, so that the same values give the same interval.
"""

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ..errors import UsageError
from ..messages import message
from .groups import Clusters, cluster_codes, first_seen
from .inputs import Column, Floats, Matrix, numbers, same_length
from .intervals import Bounds, Codes, Interval, check_level, mean_interval, student

RESAMPLES = 1000
FEWEST_CLUSTERS = 50
"""From here on the interval covers as often as it says; see docs/statistics.md for fewer."""

# resamples at a time: all thousand of a large matrix would not fit into memory
_BLOCK = 16


def bootstrap_mean(
    values: Column,
    *,
    clusters: Clusters | None = None,
    strata: Clusters | None = None,
    bounds: Bounds | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> Interval | None:
    """The bias-corrected and accelerated interval of the mean of values without gaps.

    Within each stratum as many clusters (rows) are drawn as it has, with replacement; a resample's
    mean is Σ W_h · its mean in stratum h, W_h the stratum's share of all rows. The limits are the
    quantiles Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))) of the resamples, z₀ from the share under the mean, a
    from the skewness of the clusters' influence (Efron 1987). A cluster that lies in several strata
    is drawn in each on its own, so give a stratum that holds it whole. With fewer than 50 clusters,
    or without spread, it is `mean_interval`, and `method` says so.

    >>> result = bootstrap_mean(range(100))
    >>> round(result.low), round(result.high)  # 49.5 ± 1.96 · 28.9/10 = 43.8 … 55.2
    (44, 55)
    """
    check_level(level)
    # with fewer not even one resample is expected in both tails together
    if resamples < 1 / min(level, 1 - level):
        raise UsageError(f"{resamples} resamples cannot show a level of {level}; take 1000")
    array = numbers(values, "values")
    if np.isnan(array).any() or not len(array):
        raise UsageError("a bootstrap needs values without gaps, and at least one")
    codes = cluster_codes(clusters, len(array))
    layer = _strata(strata, len(array))
    units = _Units(array, codes, layer)
    if units.count < FEWEST_CLUSTERS:
        result = mean_interval(array, clusters=codes, bounds=bounds, level=level)
        if result is None:
            return None
        few = message(
            "{method}; fewer than {n} for a bootstrap", method=result.method, n=FEWEST_CLUSTERS
        )
        return Interval(result.low, result.high, few)
    influence = units.influence()
    if not np.abs(influence).max() > 1e-12:  # noqa: PLR2004 - rounding
        return mean_interval(array, clusters=codes, bounds=bounds, level=level)
    means = np.sort(units.resampled(resamples, seed))
    middle = units.mean()
    low, high = (_quantile(means, share) for share in _accelerated(means, middle, influence, level))
    method = message(
        "bootstrap of {n} values, {resamples} resamples", n=units.count, resamples=resamples
    )
    if codes is not None:
        method = message(
            "bootstrap of {n} clusters, {resamples} resamples", n=units.count, resamples=resamples
        )
    if units.layers > 1:
        method = message("{method}, {n} strata", method=method, n=units.layers)
    return Interval(low, high, method)


def crossed_bootstrap(
    answers: Matrix,
    *,
    variants: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """The interval of the mean of the variants' means, if items and variants were drawn anew.

    Rows and columns are redrawn independently (Owen 2007: never too narrow for large numbers of
    both). With K variants a resample varies too little by √((K − 1)/K) and its quantiles are a
    normal's: the distances of the quantiles from the mean are stretched by √(K/(K − 1)) · t/z with
    K − 1 degrees of freedom. NaN answers are left out of their column's mean. Columns that
    `variants` names alike (orders of the scale) are one variant and redrawn together.

    >>> cells = np.add.outer(np.arange(40.0), [0.0, 10.0, 20.0])
    >>> result = crossed_bootstrap(cells)
    >>> result.low < 29.5 - 10 and result.high > 29.5 + 10  # three variants ten apart say little
    True
    """
    matrix = numbers(answers, "answers", dimensions=2)
    items, columns = matrix.shape
    codes = cluster_codes(variants, columns)
    place = np.arange(columns) if codes is None else np.unique(codes, return_inverse=True)[1]
    there = ~np.isnan(matrix)
    k = int(place.max(initial=-1)) + 1
    if items < 2 or k < 2 or not there.any():  # noqa: PLR2004 - what varies needs two
        raise UsageError(
            f"{items} items × {k} prompt variants: a crossed bootstrap needs two of each"
        )
    random = np.random.default_rng(seed)
    filled, valid = np.where(there, matrix, 0.0), there.astype(np.float64)
    result = np.empty(resamples)
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        rows = multiplicities(random, size, items)
        weights = multiplicities(random, size, k)[:, place]
        answered = rows @ valid
        # a variant to which none of the redrawn items has an answer has no mean in this resample
        weights *= answered > 0
        means = (rows @ filled) / np.maximum(answered, 1)
        with np.errstate(invalid="ignore"):
            result[start : start + size] = (means * weights).sum(axis=1) / weights.sum(axis=1)
    count = valid.sum(axis=0)
    middle = float((filled.sum(axis=0)[count > 0] / count[count > 0]).mean())
    stretch = math.sqrt(k / (k - 1)) * student(level, k - 1)
    stretch /= -float(ndtri((1 - level) / 2))
    tails = np.nanquantile(result, [(1 - level) / 2, (1 + level) / 2])
    low, high = (middle + stretch * (float(tail) - middle) for tail in tails)
    method = message(
        "crossed bootstrap of {n} items and {m} prompt variants, {resamples} resamples",
        n=items,
        m=k,
        resamples=resamples,
    )
    return Interval(low, high, method)


def crossed_limits(
    answers: Floats, bounds: Bounds, *, variants: Codes | None, level: float
) -> Interval | None:
    """`crossed_bootstrap` within the bounds; the bounds with one of either, null without spread."""
    items, columns = answers.shape
    k = columns if variants is None else len(np.unique(variants))
    if min(items, k) < 2:  # noqa: PLR2004 - what varies needs two
        return Interval(
            *bounds, message("{n} items and {m} prompt variants: the bounds", n=items, m=k)
        )
    names = None if variants is None else list(variants)
    result = crossed_bootstrap(answers, variants=names, level=level)
    if result.high - result.low <= 1e-12:  # noqa: PLR2004 - rounding
        return None
    return Interval(max(bounds[0], result.low), min(bounds[1], result.high), result.method)


class _Units:
    """What is redrawn: the sum and the size of each cluster, stratum after stratum."""

    def __init__(self, values: Floats, clusters: Codes | None, strata: Codes) -> None:
        rows = np.arange(len(values)) if clusters is None else clusters
        joint = strata * (int(rows.max()) + 1) + rows
        codes, place = np.unique(joint, return_inverse=True)
        self.count, self.layers = len(codes), int(strata.max()) + 1
        self.sums = np.bincount(place, weights=values)
        self.sizes = np.bincount(place).astype(np.float64)
        self.layer: Codes = codes // (int(rows.max()) + 1)
        self.units = np.bincount(self.layer)
        self.share = np.bincount(self.layer, weights=self.sizes) / len(values)
        self.means = np.bincount(self.layer, weights=self.sums) / (self.share * len(values))

    def mean(self) -> float:
        return float((self.share * self.means).sum())

    def influence(self) -> Floats:
        """What the mean gains by one more of each cluster."""
        residuals: Floats = self.sums - self.means[self.layer] * self.sizes
        return residuals / len(self.layer) / float(self.sizes.mean())

    def resampled(self, resamples: int, seed: int) -> Floats:
        random = np.random.default_rng(seed)
        starts = np.cumsum(self.units) - self.units
        first, width = starts[self.layer], self.units[self.layer]
        equal = bool((self.sizes == self.sizes[0]).all())
        result = np.empty(resamples)
        for at in range(resamples):
            if self.layers == 1:
                drawn = random.integers(0, self.count, self.count, dtype=np.int32)
            else:
                # one draw for all strata: each index falls into its unit's stratum
                drawn = first + (random.random(self.count) * width).astype(np.int32)
            # clusters of one size: the size cancels out of the ratio of sums
            if equal and self.layers == 1:
                result[at] = self.sums[drawn].mean() / self.sizes[0]
                continue
            sums = np.add.reduceat(self.sums[drawn], starts)
            result[at] = (self.share * sums / np.add.reduceat(self.sizes[drawn], starts)).sum()
        return result


def _accelerated(
    means: Floats, middle: float, influence: Floats, level: float
) -> tuple[float, float]:
    # a resample that equals the mean counts half: of few distinct scores many do
    under = (means < middle).mean() + (means == middle).mean() / 2
    # a share of 0 or 1 would be an infinite z₀: half a resample is left on either side
    bias = float(ndtri(min(max(under, 1 / (2 * len(means))), 1 - 1 / (2 * len(means)))))
    squares = float(np.square(influence).sum())
    skew = float((influence**3).sum()) / (6 * squares**1.5)
    z = float(ndtri((1 - level) / 2))
    low, high = (float(ndtr(bias + (bias + tail) / (1 - skew * (bias + tail)))) for tail in (z, -z))
    return low, high


def _quantile(ordered: Floats, share: float) -> float:
    return float(np.quantile(ordered, share))


def multiplicities(random: np.random.Generator, size: int, n: int) -> Floats:
    """How often each of n is drawn in each of so many resamples."""
    drawn = random.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
    counted: NDArray[np.intp] = np.bincount(drawn.ravel(), minlength=size * n)
    return counted.reshape(size, n).astype(np.float64)


def _strata(strata: Clusters | None, n: int) -> Codes:
    if strata is None:
        return np.zeros(n, dtype=np.intp)
    codes, names = first_seen(strata)
    same_length({"values": range(n), "strata": codes})
    # the rows without a stratum are one together
    codes = np.where(codes < 0, len(names), codes)
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)
