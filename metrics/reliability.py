"""How alike the answers to one item are over its wordings.

K. Krippendorff: "Content Analysis", 4th ed. (2018), chapter 12, for alpha.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from .estimate import Estimate, Target
from .inputs import Bools, Floats, Matrix, numbers, one_of
from .intervals import RATE, Bounds, student

Scale = Literal["nominal", "ordinal", "interval"]

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


STATISTICS: dict[str, tuple[Callable[[Floats, Floats], float | None], Bounds | None]] = {
    "wording_variance": (lambda values, counts: _spread(values, counts), None),
    "flip_rate": (lambda values, counts: _flip(values, counts), RATE),
    "raw_agreement": (lambda values, counts: _agree(values, counts), RATE),
    "alpha": (lambda values, counts: _alpha(values, counts, "ordinal"), None),
}


def over_wordings(name: str, answers: Floats, unscored: Bools, *, level: float) -> Estimate:
    """One of `STATISTICS` with its jackknife interval over wordings: leave out one, K times.

    θ ± t · √((K − 1)/K Σ(θ₋ₖ − θ̄)²), K − 1 degrees of freedom, clipped to the bounds. With an
    unscored answer a rate's worst case is the share of pairs without it that count, of all pairs,
    and its best one adds every pair that it could be in; other statistics have no such case.
    """
    compute, bounds = STATISTICS[name]
    values, counts = label_counts(answers)
    value = compute(values, counts)
    target: Target = "new wordings"
    n, gaps = int((counts.sum(axis=1) > 1).sum()), int((unscored.sum(axis=1) > 0).sum())
    if value is None:
        told = "no item has two answers that could differ"
        return Estimate(None, None, None, n, gaps, None, None, target, told, level)
    half, told = _jackknife(compute, answers, values, counts, level)
    worst, best = (value, value) if not gaps else _cases(value, counts, unscored, bounds)
    low = None if half is None else (value if worst is None else worst) - half
    high = None if half is None else (value if best is None else best) + half
    if bounds is not None and low is not None and high is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    if gaps and bounds is None:
        told += ", over the scored"
    return Estimate(value, low, high, n, gaps, worst, best, target, told, level)


def label_counts(answers: Matrix) -> tuple[Floats, Floats]:
    """The distinct values in order, and how often each item has each: items × values."""
    matrix = numbers(answers, "answers", dimensions=2)
    values = np.unique(matrix[~np.isnan(matrix)])
    counts = [(matrix == value).sum(axis=1) for value in values]
    if not counts:
        return values, np.zeros((len(matrix), 0))
    return values, np.stack(counts, axis=1).astype(np.float64)


def _jackknife(
    compute: Callable[[Floats, Floats], float | None],
    answers: Floats,
    values: Floats,
    counts: Floats,
    level: float,
) -> tuple[float | None, str]:
    wordings = answers.shape[1]
    if wordings < _FEWEST_JACKKNIFE:
        return None, f"{wordings} wordings are too few for a jackknife"
    left = [
        compute(values, counts - (answers[:, [place]] == values))
        for place in range(wordings)
        if not np.isnan(answers[:, place]).all()
    ]
    known = np.array([one for one in left if one is not None])
    if len(known) < max(len(left), _FEWEST_JACKKNIFE):
        return None, "without some wording there is no value: no jackknife"
    k = len(known)
    squares = float(np.square(known - known.mean()).sum()) * (k - 1) / k
    return student(level, k - 1) * squares**0.5, f"jackknife over {k} wordings, t"


def _cases(
    value: float, counts: Floats, unscored: Bools, bounds: Bounds | None
) -> tuple[float | None, float | None]:
    """A rate over pairs if none, or all, of the pairs with an unscored answer counted."""
    if bounds is None:
        return None, None
    m = counts.sum(axis=1)
    whole = m + unscored.sum(axis=1)
    usable = whole > 1
    # the pairs that are known of each item, as a share of those that there should be
    known = (m * (m - 1))[usable] / (whole * (whole - 1))[usable]
    used = float((m > 1).sum() / usable.sum())
    lost = float((1 - known).mean())
    worst = max(0.0, min(value * used, value) - lost) if lost else value
    return worst, min(1.0, value * used + lost)


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


def _agree(_: Floats, counts: Floats) -> float | None:
    return _pairs((counts * (counts - 1)).sum(axis=1), counts)


def _flip(values: Floats, counts: Floats) -> float | None:
    up, down = counts[:, values > 0].sum(axis=1), counts[:, values < 0].sum(axis=1)
    return _pairs(2 * up * down, counts)


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
