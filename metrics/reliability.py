"""How alike the answers to one item are over its wordings.

K. Krippendorff: "Content Analysis", 4th ed. (2018), chapter 12, for alpha.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from .estimate import Estimate, Statistic, Target
from .inputs import Bools, Floats, Matrix, numbers, one_of
from .intervals import student

Scale = Literal["nominal", "ordinal", "interval"]
Cases = tuple[float | None, float | None]

_FEWEST_JACKKNIFE = 3


def krippendorff_alpha(answers: Matrix, *, scale: Scale = "ordinal") -> float | None:
    """Krippendorff's alpha of items × wordings, NaN where there is no answer.

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
    return _alpha(values, counts, scale)


def raw_agreement(answers: Matrix) -> float | None:
    """The chance that two of an item's answers are equal: the mean over items of that share.

    >>> raw_agreement([[1, 1, 2], [2, 2, 2]])  # one of three pairs, three of three
    0.6666666666666666
    """
    return _agree(*label_counts(answers))


def flip_rate(answers: Matrix) -> float | None:
    """The chance that of two of an item's answers one accepts (> 0) and one rejects (< 0).

    >>> flip_rate([[1, 2, -1], [1, 0, 2]])  # two of three pairs, none of three
    0.3333333333333333
    """
    return _flip(*label_counts(answers))


def wording_variance(answers: Matrix) -> float | None:
    """The mean over items of the variance of an item's answers (divisor m − 1).

    >>> wording_variance([[1, 3], [2, 2]])  # 2 and 0
    1.0
    """
    return _spread(*label_counts(answers))


def over_wordings(answers: Floats, unscored: Bools, *, level: float = 0.95) -> list[Statistic]:
    """`wording_variance`, `flip_rate`, `raw_agreement` and ordinal `alpha`, over wordings.

    Their intervals are a jackknife's, which leaves out one wording, K times:
    θ ± t √((K − 1)/K Σ(θ₋ₖ − θ̄)²) with K − 1 degrees of freedom, a rate's clipped to 0 and 1. With
    an unscored answer a rate's worst case counts none of the pairs that it would be in, its best
    case all; the others have no such cases.
    """
    values, counts = label_counts(answers)
    wordings = [place for place in range(answers.shape[1]) if not np.isnan(answers[:, place]).all()]
    left = [
        [compute(values, without) for compute in _STATISTICS.values()]
        for without in (counts - (answers[:, [place]] == values) for place in wordings)
    ]
    n, gaps = int((counts.sum(axis=1) > 1).sum()), int(unscored.any(axis=1).sum())
    table = []
    for place, (name, compute) in enumerate(_STATISTICS.items()):
        value, hits = compute(values, counts), _HITS.get(name)
        bounds: Cases = (value, value)
        if gaps and value is not None:
            bounds = _cases(hits(values, counts), counts, unscored) if hits else (None, None)
        half, told = _jackknife([row[place] for row in left], level)
        if gaps and hits is None:
            told += ", over the scored"
        found = _estimate(value, bounds, half, told, level=level, n=n, unscored=gaps)
        if hits and found.low is not None and found.high is not None:
            found = replace(found, low=max(0.0, found.low), high=min(1.0, found.high))
        table.append(Statistic(name, "rate" if hits else "score", found))
    return table


def _estimate(
    value: float | None,
    cases: Cases,
    half: float | None,
    method: str,
    *,
    level: float,
    n: int,
    unscored: int,
) -> Estimate:
    target: Target = "new wordings"
    if value is None:
        told = "no item has two answers that could differ"
        return Estimate(None, None, None, n, unscored, None, None, target, told, level)
    worst, best = cases
    low = high = None
    if half is not None:
        low = (value if worst is None else worst) - half
        high = (value if best is None else best) + half
    return Estimate(value, low, high, n, unscored, worst, best, target, method, level)


def label_counts(answers: Matrix) -> tuple[Floats, Floats]:
    """The distinct values in order, and how often each item has each: items × values."""
    matrix = numbers(answers, "answers", dimensions=2)
    values = np.unique(matrix[~np.isnan(matrix)])
    counts = [(matrix == value).sum(axis=1) for value in values]
    if not counts:
        return values, np.zeros((len(matrix), 0))
    return values, np.stack(counts, axis=1).astype(np.float64)


def _jackknife(left: Sequence[float | None], level: float) -> tuple[float | None, str]:
    """Half the width of the interval, from the value without each wording."""
    known = np.array([one for one in left if one is not None])
    k = len(known)
    if k < _FEWEST_JACKKNIFE:
        return None, f"{len(left)} wordings are too few for a jackknife"
    if k < len(left):
        return None, "without some wording there is no value: no jackknife"
    squares = float(np.square(known - known.mean()).sum()) * (k - 1) / k
    return student(level, k - 1) * squares**0.5, f"jackknife over {k} wordings, t"


def _cases(hits: Floats, counts: Floats, unscored: Bools) -> tuple[float, float]:
    """A rate over pairs if none, or all, of the pairs with an unscored answer counted."""
    m = counts.sum(axis=1)
    whole = m + unscored.sum(axis=1)
    usable = whole > 1
    pairs = (whole * (whole - 1))[usable]
    worst = float((hits[usable] / pairs).mean())
    return worst, worst + float((1 - (m * (m - 1))[usable] / pairs).mean())


def _alpha(values: Floats, counts: Floats, scale: Scale) -> float | None:
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


def _agree(values: Floats, counts: Floats) -> float | None:
    return _pairs(_equal(values, counts), counts)


def _flip(values: Floats, counts: Floats) -> float | None:
    return _pairs(_opposite(values, counts), counts)


def _equal(_: Floats, counts: Floats) -> Floats:
    """Twice the pairs of equal answers of each item."""
    pairs: Floats = (counts * (counts - 1)).sum(axis=1)
    return pairs


def _opposite(values: Floats, counts: Floats) -> Floats:
    """Twice the pairs of an accepting and a rejecting answer of each item."""
    pairs: Floats = 2 * counts[:, values > 0].sum(axis=1) * counts[:, values < 0].sum(axis=1)
    return pairs


def _pairs(hits: Floats, counts: Floats) -> float | None:
    m = counts.sum(axis=1)
    kept = m > 1
    return float((hits[kept] / (m * (m - 1))[kept]).mean()) if kept.any() else None


def _spread(values: Floats, counts: Floats) -> float | None:
    m = counts.sum(axis=1)
    kept = m > 1
    if not kept.any():
        return None
    own, m = counts[kept], m[kept]
    means = own @ values / m
    return float(((own @ values**2 - m * means**2) / (m - 1)).mean())


def _ordinal(values: Floats, counts: Floats) -> float | None:
    return _alpha(values, counts, "ordinal")


_STATISTICS: dict[str, Callable[[Floats, Floats], float | None]] = {
    "wording_variance": _spread,
    "flip_rate": _flip,
    "raw_agreement": _agree,
    "alpha": _ordinal,
}
_HITS = {"flip_rate": _opposite, "raw_agreement": _equal}
