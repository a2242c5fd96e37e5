"""The score interval and the score test of the difference of two rates over the same items.

T. Tango: "Equivalence test and confidence interval for the difference in proportions for the
paired-sample design", Statistics in Medicine 17 (1998). The test is McNemar's of 1947, without
Edwards's correction for continuity: the interval inverts it.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtr

from ..errors import UsageError
from ..messages import joined, marked, message
from .groups import Clusters, cluster_codes
from .inputs import Column, Floats, among, numbers, same_length
from .intervals import (
    LEVEL,
    RATE,
    Bounds,
    Codes,
    Interval,
    finite_rows,
    normal,
    spread,
    student,
    whole_rows,
)
from .significance import Test, cohens_h, normal_tail, untested

_NAME, _EFFECT = marked("McNemar's score"), marked("Cohen's h")
_OFF = 1e-9


@dataclass(frozen=True, slots=True)
class _Pairs:
    """How many of n pairs `a` alone, and `b` alone, has; `degrees` of t, null: the normal.

    With clusters these are the counts of as many independent pairs as say as much.
    """

    only_a: float
    only_b: float
    n: float
    degrees: int | None


def tango(only_a: float, only_b: float, n: float, *, level: float = LEVEL) -> Interval:
    """The interval of p_a − p_b from the items that a alone, and b alone, has of n.

    All δ with |b − c − nδ| ≤ z √(n(2q + δ(1 − δ))), b and c the two counts and q the share of c's
    kind that is likeliest if the difference is δ: the larger root of
    2n q² + ((2n − b + c)δ − b − c) q − cδ(1 − δ) = 0. With b = c = 0 it is ± z²/(n + z²).

    >>> result = tango(5, 5, 10)  # all discordant, so q = (1 − δ)/2: δ² = z²/(n + z²) = 0.27753
    >>> round(result.low, 4), round(result.high, 4)
    (-0.5268, 0.5268)
    """
    if min(only_a, only_b) < 0 or n <= 0 or only_a + only_b > n:
        raise UsageError(f"{only_a} and {only_b} of {n}: counts of n items, n above 0")
    return Interval(*_limits(_Pairs(only_a, only_b, n, None), level), message("Tango"))


def score_interval(
    a: Floats, b: Floats, *, clusters: Codes | None = None, level: float = LEVEL
) -> Interval:
    """Tango's interval of the rate of `a` less that of `b` (0 and 1 without NaN).

    With clusters it is that of the effective number of pairs, n_e = (p₁₀ + p₀₁ − d²)/var, at most
    n: d is the difference, p₁₀ and p₀₁ the shares that one alone has, var the variance of d by
    linearisation (`spread`); z is Student's t with C − 1 degrees of freedom. Where nothing says how
    clusters differ, because all pairs are concordant or all are discordant one way, n_e is the
    effective number of clusters (Σm)²/Σm² with z. One cluster: [−1, 1].

    >>> result = score_interval(np.ones(150), np.ones(150))  # ± 3.8415/(150 + 3.8415)
    >>> round(result.low, 5), round(result.high, 5)
    (-0.02497, 0.02497)
    """
    pairs = _pairs(a, b, clusters)
    if pairs is None:
        return Interval(-1.0, 1.0, message("one cluster: the bounds"))
    method = message("Tango")
    if clusters is not None:
        method = message("Tango over {n} clusters", n=len(np.unique(clusters)))
    return Interval(*_limits(pairs, level), method)


def score_interval_of_all(
    a: Floats, b: Floats, population: int, *, level: float = LEVEL
) -> Interval:
    """The interval of the difference over all N items of an enumeration, of which these were drawn.

    Tango's at `finite_rows`, as `whole_rows`. With n = N it has no width.

    >>> result = score_interval_of_all(np.array([1.0, 1]), np.array([0.0, 1]), 2)
    >>> result.low, result.high
    (0.5, 0.5)
    """
    n, apart = len(a), a - b
    rows, rest = finite_rows(n, population), population - n
    method = message("Tango, {n} of {m}", n=f"{n:,}", m=f"{population:,}")
    if rows == math.inf:
        return Interval(float(apart.mean()), float(apart.mean()), method)
    scale, moved = rows / n, float(apart.sum())
    only_a, only_b = (float((sign * apart > 0).sum()) * scale for sign in (1, -1))
    limits = _limits(_Pairs(only_a, only_b, rows, None), level)
    return Interval(*whole_rows(limits, (moved - rest, moved + rest), population), method)


def score_test(
    a: Column,
    b: Column,
    *,
    clusters: Clusters | None = None,
    names: tuple[str, str] = ("a", "b"),
) -> Test:
    """McNemar's score test of two rates over the same items (1, 0, NaN), with Cohen's h.

    z = (b − c)/√(b + c) of the discordant pairs, against the normal. With clusters z is that of the
    effective number of pairs, against Student's t with C − 1 degrees of freedom: of one level,
    p < 1 − level where `score_interval` does not hold 0 and nowhere else. `note` says how many
    items each of the two has alone, by their `names`.

    >>> result = score_test([1] * 6 + [0] * 4, [0] * 6 + [0] * 4)
    >>> round(result.statistic, 4), round(result.p, 4)  # 6/√6
    (2.4495, 0.0143)
    """
    same_length({"a": a, "b": b})
    first, second = (among(numbers(x, name), name, RATE) for x, name in ((a, "a"), (b, "b")))
    known, codes = ~np.isnan(first + second), cluster_codes(clusters, len(first))
    first, second = first[known], second[known]
    if not len(first):
        return untested(_NAME, _EFFECT)
    codes = None if codes is None else cluster_codes(codes[known], len(first))
    pairs = _pairs(first, second, codes)
    only = int((first > second).sum()), int((second > first).sum())
    notes: list[str] = [
        joined(
            message("{n} for {name} alone", n=n, name=name)
            for n, name in zip(only, names, strict=True)
        )
    ]
    z, p = 0.0, 1.0
    if pairs is None:
        notes.append(message("one cluster says nothing of how clusters differ"))
    elif sum(only):
        z = (pairs.only_a - pairs.only_b) / math.sqrt(pairs.only_a + pairs.only_b)
        p = normal_tail(z) if pairs.degrees is None else 2 * float(stdtr(pairs.degrees, -abs(z)))
    if pairs is not None and codes is not None:
        worth = message(
            "{n} clusters, as good as {pairs} pairs on their own",
            n=len(np.unique(codes)),
            pairs=f"{pairs.n:.4g}",
        )
        notes.append(worth)
    h = cohens_h(float(first.mean()), float(second.mean()))
    note = joined(notes, "; ")
    return Test(_NAME, z, p, len(first), h, _EFFECT, note)


def _pairs(a: Floats, b: Floats, clusters: Codes | None) -> _Pairs | None:
    """The discordant pairs of as many as are independent; null for one cluster."""
    n, only_a, only_b = len(a), int((a > b).sum()), int((b > a).sum())
    if clusters is None:
        return _Pairs(only_a, only_b, n, None)
    result = spread(a - b, clusters)
    if result.error is None:
        return None
    alone = (only_a + only_b) / n - result.mean**2
    rows = float(n)
    degrees: int | None = result.count - 1
    if only_a + only_b == 0 or max(only_a, only_b) == n:
        rows, degrees = result.effective, None
    elif result.error > 0:
        rows = min(rows, alone / result.error**2)
    return _Pairs(only_a * rows / n, only_b * rows / n, rows, degrees)


def _limits(pairs: _Pairs, level: float) -> Bounds:
    quantile = normal(level) if pairs.degrees is None else student(pairs.degrees, level)
    apart, n = pairs.only_a - pairs.only_b, pairs.n

    def beyond(delta: float) -> float:
        variance = 2 * _share(pairs, delta) + delta * (1 - delta)
        # `way` is that of the loop below: 1 for the lower limit, −1 for the upper
        half = quantile * math.sqrt(n * max(0.0, variance))
        return apart - n * delta - math.copysign(half, way)

    ends = []
    for way, end in ((1.0, -1.0), (-1.0, 1.0)):
        value = apart / n
        # at the value itself both sides can be 0, which is no limit
        inner = value - way * _OFF
        ends.append(end if abs(value - end) < _OFF else float(brentq(beyond, end, inner)))
    return ends[0], ends[1]


def _share(pairs: _Pairs, delta: float) -> float:
    """The likeliest share of items that only the second has, if the difference is delta."""
    b, c, n = pairs.only_a, pairs.only_b, pairs.n
    linear = (2 * n - b + c) * delta - b - c
    root = math.sqrt(max(0.0, linear**2 + 8 * n * c * delta * (1 - delta)))
    return (root - linear) / (4 * n)
