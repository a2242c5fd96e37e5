"""Inference over variants: how the same vignettes would be answered if they were worded anew.

The vignettes of a context are enumerated and no sample; the variants are. So the unit is a
variant's mean over the vignettes, and K variants are K facts, however many vignettes there are.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from ..messages import marked, message
from .answers import item_means
from .estimate import Cases, Estimate, Target, estimated, over_scored, undefined
from .groups import cluster_codes, first_seen, group_means
from .inputs import Bools, Floats, Matrix, among, numbers, same_length
from .intervals import LEVEL, Bounds
from .majority import LIKERT
from .norms import interval_of_means
from .significance import Test, clustered_t

EFFECT = "share above less share below"
_SHIFT: Bounds = (LIKERT[0] - LIKERT[-1], LIKERT[-1] - LIKERT[0])


def variant_difference(
    a: Matrix,
    b: Matrix,
    *,
    variants: Sequence[Hashable] | None = None,
    unscored: tuple[Bools, Bools] | None = None,
    level: float = LEVEL,
) -> Estimate:
    """The mean answer of `a` less that of `b` (items × variants, −2 … 2 or NaN), over variants.

    For each variant the difference of the means over the items answered in both; the interval is
    Student's t over the variants, or clusters of columns that `variants` names alike. Its `n` is
    the number of variants. A NaN is an answer that was not given; those that `unscored` marks, in
    either matrix, stand against and for `a` in the lowest and the highest case. Where no variant
    differs from the others the interval is not empty: `mean_interval` says what so few variants can
    exclude, and `method` so.

    >>> result = variant_difference([[1, 2], [2, 1]], [[0, 0], [0, 1]])
    >>> result.value, result.n  # (1.5 + 1)/2
    (1.25, 2)
    """
    apart = _apart(a, b)
    shift = item_means(apart.T)
    used = ~np.isnan(shift)
    codes = cluster_codes(variants, len(shift))
    place = np.arange(len(shift)) if codes is None else codes
    n = len(np.unique(place[used]))
    unused = len(np.unique(place)) - n
    target: Target = "new prompt variants"
    if not n:
        why = message("no prompt variant is answered in both")
        return undefined(why, target=target, unscored=unused, level=level)
    means = shift[used]
    units = None if codes is None else cluster_codes(codes[used], len(means))
    limits = interval_of_means(means, units, bounds=_SHIFT, level=level)
    value = float(means.mean())
    cases: Cases = value, value
    if unscored is not None:
        lowest, highest = (_mean_shift(*completed(a, b, unscored, end)) for end in LIKERT[::4])
        cases = lowest, highest
    gaps = 0 if unscored is None else int((unscored[0] | unscored[1]).sum())
    method = over_scored(limits.method, gaps)
    result = estimated(
        value, limits, n=n, unscored=unused, cases=cases, target=target, method=method
    )
    return replace(result, level=level)


def variant_means(answers: Matrix, variants: Sequence[Hashable]) -> dict[str, float]:
    """The mean answer in each variant, columns of one name together; NaN where there is none.

    >>> variant_means([[1, 2, 0]], ["v0", "v0", "v1"])
    {'v0': 1.5, 'v1': 0.0}
    """
    matrix = numbers(answers, "answers", dimensions=2)
    same_length({"variants": variants, "columns of answers": matrix.T})
    codes, names = first_seen(variants)
    means = group_means(matrix.ravel(), np.tile(codes, len(matrix)), len(names))
    return dict(zip(names, means.tolist(), strict=True))


def variant_test(a: Matrix, b: Matrix, *, variants: Sequence[Hashable] | None = None) -> Test:
    """Student's t test of `variant_difference` over the answered: p < 1 − level where it misses 0.

    The effect is the share of variants with a difference above zero less that below.

    >>> result = variant_test([[0, 1, 2]], [[-1, -1, -1]])  # 2/(1/√3), 2 degrees of freedom
    >>> round(result.p, 4), result.effect
    (0.0742, 1.0)
    """
    shift = item_means(_apart(a, b).T)
    used = ~np.isnan(shift)
    codes = cluster_codes(variants, len(shift))
    units = None if codes is None else codes[used]
    t = clustered_t(
        shift[used],
        clusters=units,
        bounds=_SHIFT,
        name=marked("t over prompt variants"),
        unit=marked("variants"),
    )
    sums = shift[used]
    if units is not None:
        sums = np.bincount(units, weights=sums)[np.unique(units)].astype(np.float64)
    effect = float((sums > 0).mean() - (sums < 0).mean()) if len(sums) else None
    return replace(t, n=len(sums), effect=effect, effect_name=marked(EFFECT))


def _apart(a: Matrix, b: Matrix) -> Floats:
    """The difference of each answer, NaN where either is missing."""
    first, second = (
        among(numbers(matrix, name, dimensions=2), name, LIKERT)
        for matrix, name in ((a, "a"), (b, "b"))
    )
    same_length({"a": first, "b": second})
    same_length({"variants of a": first.T, "variants of b": second.T})
    return first - second


def _mean_shift(a: Matrix, b: Matrix) -> float:
    return float(np.nanmean(item_means(_apart(a, b).T)))


def completed(
    a: Matrix, b: Matrix, unscored: tuple[Bools, Bools], bound: float
) -> tuple[Floats, Floats]:
    """The answers, the first's unscored ones at the bound and the second's at its opposite.

    >>> gaps = np.array([[True]]), np.array([[False]])
    >>> [answers.tolist() for answers in completed([[np.nan]], [[1]], gaps, -2)]
    [[[-2.0]], [[1.0]]]
    """
    first, second = (
        np.where(gap, end, numbers(matrix, "answers", dimensions=2))
        for matrix, gap, end in zip((a, b), unscored, (bound, -bound), strict=True)
    )
    return first, second
