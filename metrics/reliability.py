"""How alike the answers to one item are over its variants.

K. Krippendorff: "Content Analysis", 4th ed. (2018), chapter 12, for alpha.
"""

import numpy as np

from .inputs import Floats, Matrix, numbers


def label_counts(answers: Matrix) -> tuple[Floats, Floats]:
    """The distinct values in order, and how often each item has each: items × values.

    The statistics of this module take the two: a jackknife counts once, and subtracts.
    """
    matrix = numbers(answers, "answers", dimensions=2)
    values = np.unique(matrix[~np.isnan(matrix)])
    counts = [(matrix == value).sum(axis=1) for value in values]
    if not counts:
        return values, np.zeros((len(matrix), 0))
    return values, np.stack(counts, axis=1).astype(np.float64)


def krippendorff_alpha(_: Floats, counts: Floats) -> float | None:
    """Krippendorff's ordinal alpha of the items' answers, from `label_counts`.

    1 − Dₒ/Dₑ over the pairs of answers to items with two or more: Dₒ the mean δ² within an item,
    each item's pairs weighted by 1/(mᵤ − 1), Dₑ that of all pairs. δ is, for c < k, the number of
    answers n_g with c ≤ g ≤ k less half of n_c and n_k, so that only the order of the values
    counts. Null if no two answers can be compared, or all are equal: nothing varies, so agreement
    beyond chance is not defined.

    >>> krippendorff_alpha(*label_counts([[1, 1], [2, 2], [1, 2], [2, 2]]))  # 1 − (2/8) / (30/56)
    0.5333333333333333
    """
    m = counts.sum(axis=1)
    kept = counts[m > 1]
    if not len(kept):
        return None
    weights = kept / (m[m > 1] - 1)[:, None]
    observed = weights.T @ kept
    # an answer makes no pair with itself
    observed[np.diag_indices_from(observed)] -= weights.sum(axis=0)
    total = kept.sum(axis=0)
    n = float(total.sum())
    expected = np.outer(total, total)
    expected[np.diag_indices_from(expected)] -= total
    # δ of two values is the distance of their mid-ranks
    place = np.cumsum(total) - total / 2
    apart = np.subtract.outer(place, place) ** 2
    chance = float((expected * apart).sum()) / (n - 1)
    return None if chance == 0 else 1 - float((observed * apart).sum()) / chance


def raw_agreement(values: Floats, counts: Floats) -> float | None:
    """The chance that two of an item's answers are equal: the mean over items of that share.

    >>> raw_agreement(*label_counts([[1, 1, 2], [2, 2, 2]]))  # one of three pairs, three of three
    0.6666666666666666
    """
    return _pairs(equal_pairs(values, counts), counts)


def flip_rate(values: Floats, counts: Floats) -> float | None:
    """The chance that of two of an item's answers one accepts (> 0) and one rejects (< 0).

    >>> flip_rate(*label_counts([[1, 2, -1], [1, 0, 2]]))  # two of three pairs, none of three
    0.3333333333333333
    """
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


def variant_variance(values: Floats, counts: Floats) -> float | None:
    """The mean over items of the variance of an item's answers (divisor m − 1).

    >>> variant_variance(*label_counts([[1, 3], [2, 2]]))  # 2 and 0
    1.0
    """
    m = counts.sum(axis=1)
    kept = m > 1
    if not kept.any():
        return None
    items, m = counts[kept], m[kept]
    means = items @ values / m
    return float(((items @ values**2 - m * means**2) / (m - 1)).mean())
