"""How alike the answers to one item are over its variants.

K. Krippendorff: "Content Analysis", 4th ed. (2018), chapter 12, for alpha.
"""

from typing import Literal

import numpy as np

from .inputs import Floats, Matrix, numbers, one_of

Scale = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(answers: Matrix, *, scale: Scale = "ordinal") -> float | None:
    """Krippendorff's alpha of items × variants, NaN where there is no answer.

    1 − Dₒ/Dₑ over the pairs of answers to items with two or more: Dₒ the mean δ² within an item,
    each item's pairs weighted by 1/(mᵤ − 1), Dₑ that of all pairs. δ is 0 or 1 (nominal), the
    difference (interval), or, for c < k, the number of answers n_g with c ≤ g ≤ k less half of n_c
    and n_k (ordinal). Null if no two answers can be compared, or all are equal: nothing varies, so
    agreement beyond chance is not defined.

    >>> krippendorff_alpha([[1, 1], [2, 2], [1, 2], [2, 2]], scale="nominal")  # 1 − (2/8) / (30/56)
    0.5333333333333333
    """
    one_of(scale, "scale", ("nominal", "ordinal", "interval"))
    values, counts = label_counts(answers)
    return alpha_of(values, counts, scale)


def raw_agreement(answers: Matrix) -> float | None:
    """The chance that two of an item's answers are equal: the mean over items of that share.

    >>> raw_agreement([[1, 1, 2], [2, 2, 2]])  # one of three pairs, three of three
    0.6666666666666666
    """
    return agreement_of(*label_counts(answers))


def flip_rate(answers: Matrix) -> float | None:
    """The chance that of two of an item's answers one accepts (> 0) and one rejects (< 0).

    >>> flip_rate([[1, 2, -1], [1, 0, 2]])  # two of three pairs, none of three
    0.3333333333333333
    """
    return flips_of(*label_counts(answers))


def variant_variance(answers: Matrix) -> float | None:
    """The mean over items of the variance of an item's answers (divisor m − 1).

    >>> variant_variance([[1, 3], [2, 2]])  # 2 and 0
    1.0
    """
    return variance_of(*label_counts(answers))


def label_counts(answers: Matrix) -> tuple[Floats, Floats]:
    """The distinct values in order, and how often each item has each: items × values."""
    matrix = numbers(answers, "answers", dimensions=2)
    values = np.unique(matrix[~np.isnan(matrix)])
    counts = [(matrix == value).sum(axis=1) for value in values]
    if not counts:
        return values, np.zeros((len(matrix), 0))
    return values, np.stack(counts, axis=1).astype(np.float64)


def alpha_of(values: Floats, counts: Floats, scale: Scale = "ordinal") -> float | None:
    """`krippendorff_alpha` from `label_counts`."""
    m = counts.sum(axis=1)
    kept = counts[m > 1]
    if not len(kept):
        return None
    weights = kept / (m[m > 1] - 1)[:, None]
    observed = weights.T @ kept
    observed[np.diag_indices_from(observed)] -= weights.sum(axis=0)
    total = kept.sum(axis=0)
    n = float(total.sum())
    expected = np.outer(total, total)
    expected[np.diag_indices_from(expected)] -= total
    apart = _distances(values, total, scale)
    chance = float((expected * apart).sum()) / (n - 1)
    return None if chance == 0 else 1 - float((observed * apart).sum()) / chance


def _distances(values: Floats, total: Floats, scale: Scale) -> Floats:
    if scale == "nominal":
        return 1 - np.eye(len(values))
    place = values if scale == "interval" else np.cumsum(total) - total / 2
    squares: Floats = np.subtract.outer(place, place) ** 2
    return squares


def agreement_of(values: Floats, counts: Floats) -> float | None:
    """`raw_agreement` from `label_counts`."""
    return _pairs(equal_pairs(values, counts), counts)


def flips_of(values: Floats, counts: Floats) -> float | None:
    """`flip_rate` from `label_counts`."""
    return _pairs(opposite_pairs(values, counts), counts)


def equal_pairs(_: Floats, counts: Floats) -> Floats:
    """Twice the pairs of equal answers of each item."""
    pairs: Floats = (counts * (counts - 1)).sum(axis=1)
    return pairs


def opposite_pairs(values: Floats, counts: Floats) -> Floats:
    """Twice the pairs of an accepting and a rejecting answer of each item."""
    pairs: Floats = 2 * counts[:, values > 0].sum(axis=1) * counts[:, values < 0].sum(axis=1)
    return pairs


def _pairs(hits: Floats, counts: Floats) -> float | None:
    m = counts.sum(axis=1)
    kept = m > 1
    return float((hits[kept] / (m * (m - 1))[kept]).mean()) if kept.any() else None


def variance_of(values: Floats, counts: Floats) -> float | None:
    """`variant_variance` from `label_counts`."""
    m = counts.sum(axis=1)
    kept = m > 1
    if not kept.any():
        return None
    own, m = counts[kept], m[kept]
    means = own @ values / m
    return float(((own @ values**2 - m * means**2) / (m - 1)).mean())
