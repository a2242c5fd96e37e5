"""Several raters of the same items, people or judges: how far they agree.

Raw agreement and Cohen's κ of each pair, and Krippendorff's ordinal α of all. J. Cohen: "A
coefficient of agreement for nominal scales" (1960) and "Weighted kappa" (1968); K. Krippendorff:
"Content Analysis", 4th ed. (2018), chapter 12, for alpha. A table has a row per label of the first
rater and a column per label of the second, in the order of the scale; tables may be stacked
(resamples × K × K), which statsmodels' `cohens_kappa` cannot: hence our own.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from ..errors import DataError
from ..messages import message
from .estimate import Estimate, Statistic
from .groups import Clusters, cluster_codes
from .inputs import Bools, Floats, Matrix, numbers, one_of
from .intervals import Codes
from .rates import rate
from .resampling import RESAMPLES, bootstrapped, resampled

ALL = "all"

Weights = Literal["none", "linear", "quadratic"]

_ROUNDING = 1e-12

_CONSTANT = message("undefined: something does not vary")


def rater_agreement(
    places: Matrix,
    names: Sequence[str],
    *,
    labels: int,
    clusters: Clusters | None = None,
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
    # the clusters as 0 … C − 1
    codes = np.unique(_checked(matrix, names, clusters), return_inverse=True)[1].astype(np.intp)
    present = matrix[~np.isnan(matrix)]
    if (present < 0).any() or (present >= labels).any() or (present % 1 != 0).any():
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
        return bootstrapped(value, draws[:, place], units, n=n, unscored=gaps, undefined=_CONSTANT)

    table = []
    for at, (i, j) in enumerate(pairs):
        pair = f"{names[i]} × {names[j]}"
        lost = np.isnan(matrix[:, i]) | np.isnan(matrix[:, j])
        alike = np.where(lost, np.nan, matrix[:, i] == matrix[:, j])
        agreement = rate(alike, clusters=codes)
        table.append(Statistic("rater_agreement", "rate", agreement, group="pair", member=pair))
        table += [
            Statistic(name, "score", estimate(place, lost), group="pair", member=pair)
            for name, place in (("kappa", at), ("kappa_quadratic", len(pairs) + at))
        ]
    alone = (~np.isnan(matrix)).sum(axis=1) < 2  # noqa: PLR2004 - a pair has two
    return [*table, Statistic("alpha", "score", estimate(-1, alone), group="pair", member=ALL)]


def cohen_kappa(table: Floats, *, weights: Weights = "none") -> Floats:
    """Cohen's κ: 1 − Σ v·o / Σ v·e, o the table's shares, e the products of its margins.

    v is 1 off the diagonal (none), |i − j| (linear) or (i − j)² (quadratic), i and j the labels'
    places. NaN where the margins allow no disagreement: both raters know one label only.

    >>> float(cohen_kappa(np.array([[20, 5], [10, 15]])))  # (0.7 − 0.5) / (1 − 0.5)
    0.4
    """
    one_of(weights, "weights", ("none", "linear", "quadratic"))
    whole = np.asarray(table, dtype=np.float64)
    place = np.arange(whole.shape[-1])
    apart = np.abs(np.subtract.outer(place, place)).astype(np.float64)
    cost = {"none": (apart > 0) * 1.0, "linear": apart, "quadratic": apart**2}[weights]
    rows, columns = whole.sum(axis=-1), whole.sum(axis=-2)
    n = whole.sum(axis=(-2, -1))
    chance = np.einsum("...i,...j,ij->...", rows, columns, cost)
    return _beyond((whole * cost).sum(axis=(-2, -1)) * n, chance)


def coincidence_alpha(tables: Floats) -> Floats:
    """Krippendorff's ordinal α from coincidence tables (… × K × K), NaN where all labels are equal.

    1 − (n − 1) Σ o δ² / Σ n_c n_k δ², n the margins of the coincidences o and δ the distance of
    the labels' mid-ranks. Of two raters the coincidences are their table and its transpose added
    (then α is `reliability.krippendorff_alpha` of items × 2).

    >>> table = np.array([[2.0, 1.0], [1.0, 4.0]])  # the pairs (0, 0), (0, 1), (1, 1), (1, 1)
    >>> coincidence_alpha(table).round(4)  # 1 − 7 · 2 / 30
    np.float64(0.5333)
    """
    margin = tables.sum(axis=-1)
    place = np.cumsum(margin, axis=-1) - margin / 2
    apart = np.square(place[..., :, None] - place[..., None, :])
    expected = np.einsum("...i,...j,...ij->...", margin, margin, apart)
    return _beyond((tables * apart).sum(axis=(-2, -1)) * (margin.sum(axis=-1) - 1), expected)


def _beyond(observed: Floats, expected: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = 1 - observed / np.where(expected > _ROUNDING, expected, np.nan)
    return result


def _coincidences(matrix: Floats, labels: int) -> Floats:
    """Each item's pairs of labels, weighted by 1/(m − 1): items × K × K."""
    counts = np.stack([(matrix == label).sum(axis=1) for label in range(labels)], axis=1)
    weight = 1 / np.maximum(counts.sum(axis=1) - 1, 1)
    tables = counts[:, :, None] * counts[:, None, :].astype(np.float64)
    # a label makes no pair with itself
    tables[:, np.arange(labels), np.arange(labels)] -= counts
    weighted: Floats = tables * weight[:, None, None]
    return weighted


def _checked(matrix: Floats, names: Sequence[str], clusters: Clusters | None) -> Codes:
    """The cluster of each row of a matrix that has a column for each of the raters."""
    if matrix.shape[1] != len(names) or len(names) < 2:  # noqa: PLR2004 - a pair has two
        raise DataError(
            f"{matrix.shape[1]} columns and {len(names)} names: give a column for each of two "
            "raters or more"
        )
    codes = cluster_codes(clusters, len(matrix))
    return np.arange(len(matrix)) if codes is None else codes
