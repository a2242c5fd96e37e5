"""Agreement beyond chance of two raters, from the table of their labels.

J. Cohen: "A coefficient of agreement for nominal scales" (1960) and "Weighted kappa" (1968);
K. Krippendorff: "Content Analysis", 4th ed. (2018), chapter 12, for alpha. A table has a row per
label of the first rater and a column per label of the second, in the order of the scale; tables
may be stacked (resamples × K × K), which statsmodels' `cohens_kappa` cannot: hence our own.
"""

from typing import Literal

import numpy as np

from .inputs import Floats, one_of

Weights = Literal["none", "linear", "quadratic"]

_ROUNDING = 1e-12


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
