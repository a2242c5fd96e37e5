"""Several raters of the same items: how far they agree, and how many of them count.

Cohen's κ of each pair and Krippendorff's ordinal α of all; and the effective number of raters,
n / (1 + (n − 1)ρ): the number of raters with independent errors whose mean would be as good as the
mean of these (the design effect: L. Kish, "Survey Sampling", 1965). It is between 1 and n: raters
whose errors go against each other (ρ < 0) count as independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..errors import DataError
from ..messages import message
from .bootstrap import RESAMPLES
from .estimate import Estimate, Statistic, Target
from .groups import Clusters, cluster_codes
from .inputs import Floats, Matrix, numbers
from .intervals import Codes
from .kappa import cohen_kappa
from .rates import rate
from .resampling import expanded_percentiles, resampled

ALL = "all"

_KIND: Target = "new items of the kind"
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Correlated:
    """How far the errors of several raters go together.

    `pairs` has each pair's correlation (its `member` "a × b"), `mean` their mean ρ, `effective` the
    effective number of raters. The errors are less each rater's own mean: a shared bias is not in
    them.
    """

    raters: int
    pairs: tuple[Statistic, ...]
    mean: Estimate
    effective: Estimate


def effective_number(raters: int, correlation: float) -> float:
    """The effective number n / (1 + (n − 1)ρ), at most n.

    Where ρ is below 0 the formula gives more raters than there are, without a bound, since errors
    cancel out in the mean: there the raters count as independent.

    >>> effective_number(4, 0.5), effective_number(2, -0.7)  # 4 / 2.5; 2 / 0.3 would be 6.7
    (1.6, 2.0)
    """
    return raters / (1 + (raters - 1) * max(correlation, 0.0))


def correlated_errors(
    errors: Matrix,
    names: Sequence[str],
    *,
    clusters: Clusters | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Correlated:
    """The correlations of the raters' errors (items × raters), and how many raters they amount to.

    Items that some rater has not scored are left out and counted. The intervals are bootstrap
    intervals over clusters (`expanded_percentiles`).

    >>> found = correlated_errors([[1, 1], [-1, -1], [1, -1], [-1, 1]], ["a", "b"])
    >>> found.mean.value, found.effective.value  # as often alike as unlike: ρ = 0
    (0.0, 2.0)
    """
    matrix, codes, gaps = _complete(errors, names, clusters)
    n, count = matrix.shape
    units = int(codes.max(initial=-1)) + 1
    first, second = np.triu_indices(count, 1)
    if not n:
        raise DataError("no item has a score from every rater: nothing can be correlated")
    # the sums of 1, e, e² and e·e' per cluster are all that a resample needs
    centred = matrix - matrix.mean(axis=0)
    columns = np.concatenate(
        [np.ones((n, 1)), centred, centred**2, centred[:, first] * centred[:, second]], axis=1
    )
    sums = np.zeros((units, columns.shape[1]))
    np.add.at(sums, codes, columns)

    def compute(drawn: Floats) -> Floats:
        rho = _correlations(drawn @ sums, count)
        mean = rho.mean(axis=1)
        # as `effective_number`, and NaN where the mean is
        many = count / (1 + (count - 1) * np.maximum(mean, 0.0))
        return np.column_stack([rho, mean, many])

    values = compute(np.ones((1, units)))[0]
    draws = resampled(compute, units, resamples=resamples, seed=seed)
    found = [
        _estimate(float(value), draws[:, at], n, gaps, units=units, level=level)
        for at, value in enumerate(values)
    ]
    *_, average, effective = found
    if average.value is not None and average.value < 0:
        method = message(
            "{method}; at most the {n} there are, since ρ is below 0",
            method=effective.method,
            n=count,
        )
        effective = replace(effective, method=method)
    pairs = [f"{one} × {other}" for one, other in combinations(names, 2)]
    return Correlated(
        raters=count,
        pairs=tuple(
            Statistic("error_correlation", "score", one, group="pair", member=pair)
            for pair, one in zip(pairs, found, strict=False)
        ),
        mean=average,
        effective=effective,
    )


def rater_agreement(
    places: Matrix,
    names: Sequence[str],
    *,
    labels: int,
    clusters: Clusters | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Statistic]:
    """Raw agreement, κ and quadratic κ of each pair, and the ordinal α of all, of labels by place.

    `places` is items × raters, 0 … labels − 1; `kappa_quadratic` weights a disagreement by the
    square of how many labels it is apart. A pair's statistics are
    over the items that both have labelled, α over all labels of items with two or more. Intervals
    are bootstrap intervals over clusters.

    >>> table = rater_agreement([[0, 0], [0, 1], [1, 1], [1, 1]], ["a", "b"], labels=2)
    >>> [(one.name, one.estimate.value) for one in table][:2]  # 3/4; (3/4 − 1/2)/(1/2)
    [('rater_agreement', 0.75), ('kappa', 0.5)]
    """
    matrix = _checked(numbers(places, "places", dimensions=2), names, labels)
    own = cluster_codes(clusters, len(matrix))
    codes = np.arange(len(matrix)) if own is None else np.unique(own, return_inverse=True)[1]
    units, raters = int(codes.max(initial=-1)) + 1, len(names)
    cells = labels * labels
    pairs = list(combinations(range(raters), 2))
    sums = np.zeros((units, (len(pairs) + 1) * cells))
    for at, (i, j) in enumerate(pairs):
        both = ~np.isnan(matrix[:, i]) & ~np.isnan(matrix[:, j])
        cell = (matrix[both, i] * labels + matrix[both, j]).astype(np.intp)
        np.add.at(sums, (codes[both], at * cells + cell), 1.0)
    coincidences = _coincidences(matrix, labels)
    np.add.at(sums[:, -cells:], codes, coincidences.reshape(len(matrix), cells))

    def compute(drawn: Floats) -> Floats:
        stacked = (drawn @ sums).reshape(len(drawn), len(pairs) + 1, labels, labels)
        tables, whole = stacked[:, :-1], stacked[:, -1]
        columns = [cohen_kappa(tables), cohen_kappa(tables, weights="quadratic")]
        return np.concatenate([*columns, coincidence_alpha(whole)[:, None]], axis=1)

    values = compute(np.ones((1, units)))[0]
    draws = resampled(compute, units, resamples=resamples, seed=seed)
    table = []
    for at, (i, j) in enumerate(pairs):
        pair = f"{names[i]} × {names[j]}"
        lost = np.isnan(matrix[:, [i, j]]).any(axis=1)
        alike = np.where(lost, np.nan, matrix[:, i] == matrix[:, j])
        found = rate(alike, clusters=codes, level=level)
        table.append(Statistic("rater_agreement", "rate", found, group="pair", member=pair))
        n, gaps = int((~lost).sum()), int(lost.sum())
        for kind, name in enumerate(("kappa", "kappa_quadratic")):
            place = kind * len(pairs) + at
            found = _estimate(
                float(values[place]), draws[:, place], n, gaps, units=units, level=level
            )
            table.append(Statistic(name, "score", found, group="pair", member=pair))
    several = int(((~np.isnan(matrix)).sum(axis=1) > 1).sum())
    gaps = len(matrix) - several
    found = _estimate(float(values[-1]), draws[:, -1], several, gaps, units=units, level=level)
    return [*table, Statistic("alpha", "score", found, group="pair", member=ALL)]


def coincidence_alpha(tables: Floats) -> Floats:
    """Krippendorff's ordinal α from coincidence tables (… × K × K), NaN where all labels are equal.

    1 − (n − 1) Σ o δ² / Σ n_c n_k δ², n the margins of the coincidences o and δ the distance of
    the labels' mid-ranks.

    >>> table = np.array([[2.0, 1.0], [1.0, 4.0]])  # the pairs (0, 0), (0, 1), (1, 1), (1, 1)
    >>> coincidence_alpha(table).round(4)  # 1 − 7 · 2 / 30
    np.float64(0.5333)
    """
    margin = tables.sum(axis=-1)
    place = np.cumsum(margin, axis=-1) - margin / 2
    apart = np.square(place[..., :, None] - place[..., None, :])
    chance = (margin[..., :, None] * margin[..., None, :] * apart).sum(axis=(-2, -1))
    observed = (tables * apart).sum(axis=(-2, -1)) * (margin.sum(axis=-1) - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = 1 - observed / np.where(chance > _ROUNDING, chance, np.nan)
    return found


def _coincidences(matrix: Floats, labels: int) -> Floats:
    """Each item's pairs of labels, weighted by 1/(m − 1): items × K × K."""
    counts = np.stack([(matrix == label).sum(axis=1) for label in range(labels)], axis=1)
    weight = 1 / np.maximum(counts.sum(axis=1) - 1, 1)
    tables = counts[:, :, None] * counts[:, None, :].astype(np.float64)
    tables[:, np.arange(labels), np.arange(labels)] -= counts
    found: Floats = tables * weight[:, None, None]
    return found


def _correlations(sums: Floats, count: int) -> Floats:
    """Each pair's Pearson r from the sums (resamples × columns), NaN where one does not vary."""
    first, second = np.triu_indices(count, 1)
    n = sums[:, :1]
    means = sums[:, 1 : 1 + count] / n
    variances = sums[:, 1 + count : 1 + 2 * count] / n - means**2
    both = sums[:, 1 + 2 * count :] / n - means[:, first] * means[:, second]
    square = variances[:, first] * variances[:, second]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Floats = both / np.sqrt(np.where(square > _ROUNDING**2, square, np.nan))
    return np.clip(ratio, -1, 1)


def _complete(
    errors: Matrix, names: Sequence[str], clusters: Clusters | None
) -> tuple[Floats, Codes, int]:
    matrix = numbers(errors, "errors", dimensions=2)
    if matrix.shape[1] != len(names) or len(names) < 2:  # noqa: PLR2004 - a pair has two
        told = f"{matrix.shape[1]} columns of errors and {len(names)} names"
        raise DataError(f"{told}: give a column for each of two raters or more")
    own = cluster_codes(clusters, len(matrix))
    codes = np.arange(len(matrix)) if own is None else own
    whole = ~np.isnan(matrix).any(axis=1)
    kept = np.unique(codes[whole], return_inverse=True)[1].astype(np.intp)
    return matrix[whole], kept, int((~whole).sum())


def _checked(matrix: Floats, names: Sequence[str], labels: int) -> Floats:
    if matrix.shape[1] != len(names) or len(names) < 2:  # noqa: PLR2004 - a pair has two
        told = f"{matrix.shape[1]} columns of labels and {len(names)} names"
        raise DataError(f"{told}: give a column for each of two raters or more")
    there = matrix[~np.isnan(matrix)]
    if (there < 0).any() or (there >= labels).any() or (there % 1 != 0).any():
        raise DataError(f"labels are told by their places 0 … {labels - 1} on the scale")
    return matrix


def _estimate(
    value: float, draws: Floats, n: int, gaps: int, *, units: int, level: float
) -> Estimate:
    if np.isnan(value):
        why = message("undefined: something does not vary")
        return Estimate(None, None, None, n, gaps, None, None, _KIND, why, level)
    limits = expanded_percentiles(draws, units, level=level)
    low, high = limits or (None, None)
    method = message(
        "bootstrap of {n} clusters, {resamples} resamples", n=units, resamples=len(draws)
    )
    if limits is None:
        method = message("no interval: the {n} clusters say too little", n=units)
    if gaps:
        method = message("{method}, over the scored", method=method)
    case = None if gaps else value
    return Estimate(value, low, high, n, gaps, case, case, _KIND, method, level)
