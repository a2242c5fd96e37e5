"""How alike the answers to one item are over its variants, with intervals for new variants.

K. Krippendorff: "Content Analysis", 4th ed. (2018), chapter 12, for alpha.
"""

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from scipy.special import expit, logit

from ..messages import message
from .estimate import Cases, Estimate, Statistic, over_scored
from .groups import cluster_codes
from .inputs import Bools, Floats, Matrix, numbers
from .intervals import Bounds, Codes, normal, student
from .raters import coincidence_alpha
from .resampling import FEWEST, Scaling, jackknife, jackknife_error

Statistics = Callable[[Floats, Floats], float | None]


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
    used = counts[m > 1]
    if not len(used):
        return None
    weights = used / (m[m > 1] - 1)[:, None]
    observed = weights.T @ used
    # an answer makes no pair with itself
    observed[np.diag_indices_from(observed)] -= weights.sum(axis=0)
    alpha = float(coincidence_alpha(observed))
    return None if np.isnan(alpha) else alpha


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
    used = m > 1
    return float((hits[used] / (m * (m - 1))[used]).mean()) if used.any() else None


def variant_variance(values: Floats, counts: Floats) -> float | None:
    """The mean over items of the variance of an item's answers (divisor m − 1).

    >>> variant_variance(*label_counts([[1, 3], [2, 2]]))  # 2 and 0
    1.0
    """
    m = counts.sum(axis=1)
    used = m > 1
    if not used.any():
        return None
    items, m = counts[used], m[used]
    means = items @ values / m
    return float(((items @ values**2 - m * means**2) / (m - 1)).mean())


LOGIT: Scaling = (logit, expit)
LOG: Scaling = (np.log, np.exp)
# alpha is at most 1 and has no lower bound: the log is of 1 − alpha
_DISAGREEMENT: Scaling = (lambda alpha: np.log(1 - alpha), lambda scaled: 1 - np.exp(scaled))

STATISTICS: dict[str, tuple[Statistics, Scaling]] = {
    "variant_variance": (variant_variance, LOG),
    "flip_rate": (flip_rate, LOGIT),
    "raw_agreement": (raw_agreement, LOGIT),
    "alpha": (krippendorff_alpha, _DISAGREEMENT),
}
_HITS = {"flip_rate": opposite_pairs, "raw_agreement": equal_pairs}


def over_variants(
    answers: Floats,
    unscored: Bools,
    *,
    variants: Sequence[Hashable] | Codes | None = None,
) -> list[Statistic]:
    """`variant_variance`, `flip_rate`, `raw_agreement` and ordinal `alpha`, over variants.

    Their intervals are a jackknife's (`jackknife`) that leaves out each of K variants, or the
    columns that `variants` names alike, on a scale where the statistic has no bounds: the logit of
    a rate, log of the variance, log(1 − alpha). They are of pairs of variants, of which ⌊K/2⌋ are
    independent: t has that many degrees of freedom. Where no variant departs from the others, at
    most q = z²/(z² + K) of new ones would (Wilson's limit for 0 of K), and so 1 − (1 − q)² of a
    rate's pairs. With an unscored answer a rate's `lowest` counts none of the pairs that it would
    be in, its `highest` all; the others have neither.
    """
    values, counts = label_counts(answers)
    requested = np.logical_or.reduce(~np.isnan(answers))
    left = _without_each(answers, values, counts, requested, variants)
    n, gaps = int((counts.sum(axis=1) > 1).sum()), int(unscored.any(axis=1).sum())
    table = []
    for place, (name, (compute, scaling)) in enumerate(STATISTICS.items()):
        value, hits = compute(values, counts), _HITS.get(name)
        cases: Cases = (value, value)
        if gaps and value is not None:
            cases = _rate_cases(hits(values, counts), counts, unscored) if hits else (None, None)
        rate = hits is not None
        limits, method = limits_over_variants(
            value, [row[place] for row in left], scaling, rate=rate
        )
        method = over_scored(method, gaps)
        low, high = limits or (None, None)
        result = Estimate(value, low, high, n, gaps, *cases, "new prompt variants", method)
        table.append(Statistic(name, "rate" if rate else "score", result))
    return table


def limits_over_variants(
    value: float | None,
    left: list[float | None],
    scaling: Scaling,
    *,
    rate: bool,
) -> tuple[Bounds | None, str]:
    """The limits of a statistic of pairs of variants, and their method; or null, and why.

    `left` are its values without each variant.
    """
    if value is None:
        return None, message("no item has two answers that could differ")
    k = len(left)
    if k < FEWEST:
        return None, message("{n} prompt variants are too few for a jackknife", n=k)
    if None in left:
        return None, message("without some prompt variant there is no value: no jackknife")
    present = np.array(left, dtype=np.float64)
    if jackknife_error(present) > 0:
        t = student(k // 2)
        low, high = jackknife(value, present, t, scaling)
        if rate:
            # a statistic at an end of its range is not scaled (`jackknife`), and may then leave it
            low, high = max(0.0, low), min(1.0, high)
        return (low, high), message("jackknife over {n} prompt variants, t", n=k)
    if not rate:
        return None, message(
            "none of {n} prompt variants departs from the others: no interval", n=k
        )
    z2 = normal() ** 2
    alike = (1 - z2 / (z2 + k)) ** 2
    method = message("Wilson's limit over {n} prompt variants", n=k)
    limits = alike * value, alike * value + 1 - alike
    return limits, message("{method}, no spread", method=method)


def _without_each(
    answers: Floats,
    values: Floats,
    counts: Floats,
    asked: Bools,
    variants: Sequence[Hashable] | Codes | None,
) -> list[list[float | None]]:
    """The statistics without each variant that has an answer at all."""
    codes = cluster_codes(variants, answers.shape[1])
    variant_codes = np.arange(answers.shape[1]) if codes is None else codes
    result = []
    for variant in np.unique(variant_codes[asked]):
        without = counts.copy()
        for place in np.flatnonzero(variant_codes == variant):
            without -= answers[:, [place]] == values
        result.append([compute(values, without) for compute, _ in STATISTICS.values()])
    return result


def _rate_cases(hits: Floats, counts: Floats, unscored: Bools) -> Bounds:
    """A rate over pairs if none, or all, of the pairs with an unscored answer counted."""
    m = counts.sum(axis=1)
    whole = m + unscored.sum(axis=1)
    usable = whole > 1
    pairs = (whole * (whole - 1))[usable]
    lowest = float((hits[usable] / pairs).mean())
    return lowest, lowest + float((1 - (m * (m - 1))[usable] / pairs).mean())
