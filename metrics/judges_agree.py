"""Several raters of the same items: how far they agree, and how many of them count.

Cohen's κ of each pair and Krippendorff's ordinal α of all; and the effective number of raters,
n / (1 + (n − 1)ρ): the number of raters with independent errors whose mean would be as good as the
mean of these (the design effect: L. Kish, "Survey Sampling", 1965). It is between 1 and n: raters
whose errors go against each other (ρ < 0) count as independent.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ..errors import DataError
from ..messages import message
from .bootstrap import RESAMPLES
from .estimate import Estimate, Statistic
from .groups import Clusters, cluster_codes
from .inputs import Bools, Floats, Matrix, numbers
from .intervals import Codes
from .kappa import cohen_kappa, coincidence_alpha
from .rates import rate
from .resampling import bootstrapped, resampled

ALL = "all"

_CONSTANT = message("undefined: something does not vary")
_ROUNDING = 1e-12


def effective_number(raters: int, correlation: Floats | float) -> Floats:
    """The effective number of raters n / (1 + (n − 1)ρ), at most n.

    Where ρ is below 0 the formula gives more raters than there are, without a bound, since errors
    cancel out in the mean: there the raters count as independent.

    >>> effective_number(4, 0.5), effective_number(2, -0.7)  # 4 / 2.5; 2 / 0.3 would be 6.7
    (np.float64(1.6), np.float64(2.0))
    """
    number: Floats = raters / (1 + (raters - 1) * np.maximum(correlation, 0.0))
    return number


def correlated_errors(
    errors: Matrix,
    names: Sequence[str],
    *,
    clusters: Clusters | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Statistic]:
    """The correlations of the raters' errors (items × raters), and how many raters they amount to.

    Each pair's correlation, of all raters the mean correlation ρ and the effective number. The
    errors are less each rater's own mean: a shared bias is not in them. Items that some rater has
    not scored are left out and counted. The intervals are bootstrap intervals over clusters
    (`bootstrapped`).

    >>> table = correlated_errors([[1, 1], [-1, -1], [1, -1], [-1, 1]], ["a", "b"])
    >>> [(row.name, row.estimate.value) for row in table][1:]  # as often alike as unlike: ρ = 0
    [('error_correlation', 0.0), ('effective_number', 2.0)]
    """
    matrix = numbers(errors, "errors", dimensions=2)
    codes, complete = _checked(matrix, names, clusters), ~np.isnan(matrix).any(axis=1)
    matrix, codes, gaps = matrix[complete], _counted(codes[complete]), int((~complete).sum())
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
        return np.column_stack([rho, mean, effective_number(count, mean)])

    values = compute(np.ones((1, units)))[0]
    draws = resampled(compute, units, resamples=resamples, seed=seed)
    *of_pairs, mean, effective = (
        bootstrapped(
            float(value), draws[:, at], units, n=n, unscored=gaps, undefined=_CONSTANT, level=level
        )
        for at, value in enumerate(values)
    )
    if mean.value is not None and mean.value < 0:
        method = message(
            "{method}; at most the {n} there are, since ρ is below 0",
            method=effective.method,
            n=count,
        )
        effective = replace(effective, method=method)
    pairs = [f"{first_name} × {second_name}" for first_name, second_name in combinations(names, 2)]
    return [
        Statistic(name, "score", estimate, group="pair", member=member)
        for name, member, estimate in (
            *(("error_correlation", *each) for each in zip(pairs, of_pairs, strict=True)),
            ("error_correlation", ALL, mean),
            ("effective_number", ALL, effective),
        )
    ]


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
    square of how many labels it is apart. A pair's statistics are over the items that both have
    labelled, α over all labels of items with two or more. Intervals are bootstrap intervals over
    clusters.

    >>> table = rater_agreement([[0, 0], [0, 1], [1, 1], [1, 1]], ["a", "b"], labels=2)
    >>> [(row.name, row.estimate.value) for row in table][:2]  # 3/4; (3/4 − 1/2)/(1/2)
    [('rater_agreement', 0.75), ('kappa', 0.5)]
    """
    matrix = numbers(places, "places", dimensions=2)
    codes = _counted(_checked(matrix, names, clusters))
    known = matrix[~np.isnan(matrix)]
    if (known < 0).any() or (known >= labels).any() or (known % 1 != 0).any():
        raise DataError(f"labels are given by their places 0 … {labels - 1} on the scale")
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

    def estimate(place: int, lost: Bools) -> Estimate:
        gaps = int(lost.sum())
        n = len(lost) - gaps
        value = float(values[place])
        return bootstrapped(
            value, draws[:, place], units, n=n, unscored=gaps, undefined=_CONSTANT, level=level
        )

    table = []
    for at, (i, j) in enumerate(pairs):
        pair = f"{names[i]} × {names[j]}"
        lost = np.isnan(matrix[:, i]) | np.isnan(matrix[:, j])
        alike = np.where(lost, np.nan, matrix[:, i] == matrix[:, j])
        agreement = rate(alike, clusters=codes, level=level)
        table.append(Statistic("rater_agreement", "rate", agreement, group="pair", member=pair))
        table += [
            Statistic(name, "score", estimate(place, lost), group="pair", member=pair)
            for name, place in (("kappa", at), ("kappa_quadratic", len(pairs) + at))
        ]
    alone = (~np.isnan(matrix)).sum(axis=1) < 2  # noqa: PLR2004 - a pair has two
    return [*table, Statistic("alpha", "score", estimate(-1, alone), group="pair", member=ALL)]


def _coincidences(matrix: Floats, labels: int) -> Floats:
    """Each item's pairs of labels, weighted by 1/(m − 1): items × K × K."""
    counts = np.stack([(matrix == label).sum(axis=1) for label in range(labels)], axis=1)
    weight = 1 / np.maximum(counts.sum(axis=1) - 1, 1)
    tables = counts[:, :, None] * counts[:, None, :].astype(np.float64)
    # a label makes no pair with itself
    tables[:, np.arange(labels), np.arange(labels)] -= counts
    weighted: Floats = tables * weight[:, None, None]
    return weighted


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


def _checked(matrix: Floats, names: Sequence[str], clusters: Clusters | None) -> Codes:
    """The cluster of each row of a matrix that has a column for each of the raters."""
    if matrix.shape[1] != len(names) or len(names) < 2:  # noqa: PLR2004 - a pair has two
        raise DataError(
            f"{matrix.shape[1]} columns and {len(names)} names: give a column for each of two "
            "raters or more"
        )
    codes = cluster_codes(clusters, len(matrix))
    return np.arange(len(matrix)) if codes is None else codes


def _counted(codes: Codes) -> Codes:
    """The same clusters as 0 … C − 1."""
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)
