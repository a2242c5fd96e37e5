"""Differences of two independent groups: other items, such as questions with and without history.

For the same items in both groups see `paired`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import DataError
from ..messages import message
from .estimate import Estimate, estimated, over_scored, undefined
from .groups import Clusters, cluster_codes, first_seen
from .inputs import Column, Floats, among, numbers, same_length
from .intervals import (
    RATE,
    Codes,
    Interval,
    check_level,
    clustered_rate,
    effective_rows,
    normal,
    score_limits,
    square_and_add,
    wilson,
)
from .rates import filled

Strata = Iterable[Any]
"""What is held equal between the groups, a level per item."""

BothClusters = tuple[Clusters | None, Clusters | None]
"""The clusters of either group; none reaches from one group to the other."""


def rate_difference(
    a: Column, b: Column, *, clusters: BothClusters = (None, None), level: float = 0.95
) -> Estimate:
    """The rate of `a` less that of `b` (1, 0, NaN), two groups of other items, −1 … 1.

    With l and u Wilson's limits of either rate p, the lower limit is
    p₁ − p₂ − √((p₁ − l₁)² + (u₂ − p₂)²), the upper one likewise (Newcombe 1998, independent rates,
    method 10). With clusters l and u are those of `clustered_rate`. The interval is over the
    scored; `lowest` and `highest` put the unscored against and for `a`.

    >>> result = rate_difference([1] * 56 + [0] * 14, [1] * 48 + [0] * 32)  # 56/70 − 48/80
    >>> round(result.value, 3), round(result.low, 4), round(result.high, 4)
    (0.2, 0.0524, 0.3339)
    """
    first = among(numbers(a, "a"), "a", RATE)
    second = among(numbers(b, "b"), "b", RATE)
    check_level(level)
    scored = _scored(first, clusters[0]), _scored(second, clusters[1])

    def limits() -> Interval:
        rates = [
            (
                float(column.mean()),
                wilson(float(column.sum()), len(column), level=level)
                if codes is None
                else clustered_rate(column, codes, level=level),
            )
            for column, codes in scored
        ]
        codes_of = scored[0][1], scored[1][1]
        return _newcombe(rates, _in_clusters(message("Newcombe, independent"), codes_of))

    # one stratum: the plain difference of what is scored
    everything = np.zeros(len(first), np.intp), np.zeros(len(second), np.intp)
    return _two_groups(first, second, everything, np.ones(1), limits, level=level)


def standardised_rate_difference(
    a: Column,
    b: Column,
    strata_a: Strata,
    strata_b: Strata,
    *,
    clusters: BothClusters = (None, None),
    level: float = 0.95,
) -> Estimate:
    """The rate of `a` less that of `b` if both had the same mix of strata.

    Either group's rate is Σ W_h p_h, W_h the stratum's share of all items of both groups (direct
    standardisation). Its limits are Wilson's at the n that gives the variance
    Σ W_h² p_h(1 − p_h)/n_h, where p_h is pulled to 1/2 by z² items half of which are ones; they are
    added as Newcombe does (Zou & Donner 2008). Clusters shrink that n as they shrink that of the
    group's plain rate (`effective_rows`). A stratum that one group lacks cannot be held equal: a
    `DataError` names it.

    >>> result = standardised_rate_difference([1, 1, 0, 0], [1, 0], list("xxyy"), list("xy"))
    >>> result.value  # (1 + 0)/2 − (1 + 0)/2
    0.0
    """
    first = among(numbers(a, "a"), "a", RATE)
    second = among(numbers(b, "b"), "b", RATE)
    check_level(level)
    own, other = list(strata_a), list(strata_b)
    same_length({"a": first, "strata_a": own})
    same_length({"b": second, "strata_b": other})
    joint, names = first_seen([*own, *other])
    if (joint < 0).any():
        raise DataError(f"strata, row {int((joint < 0).argmax())}: empty; every item needs one")
    split = joint[: len(first)], joint[len(first) :]
    counts = [np.bincount(codes, minlength=len(names)) for codes in split]
    if len(first) and len(second):
        for name, one, other in zip(names, *counts, strict=True):
            if not (one and other):
                text = "leave its items out, or compare without standardising"
                raise DataError(f"stratum {name!r} has {one} items of a and {other} of b; {text}")
    share = (counts[0] + counts[1]) / max(1, len(joint))
    groups = [
        (*_scored(column, of), codes[~np.isnan(column)])
        for column, of, codes in zip((first, second), clusters, split, strict=True)
    ]

    def limits() -> Interval:
        rates = [_standardised(column, codes, share, level, of) for column, of, codes in groups]
        text = message("Newcombe, independent, standardised over {n} strata", n=len(names))
        return _newcombe(rates, _in_clusters(text, (groups[0][1], groups[1][1])))

    return _two_groups(first, second, split, share, limits, level=level)


def _over_strata(
    first: Floats, second: Floats, split: tuple[Codes, Codes], share: Floats
) -> float | None:
    """The standardised difference of what is scored; null if a stratum has nothing scored."""
    rates = []
    for column, codes in zip((first, second), split, strict=True):
        there = ~np.isnan(column)
        n = np.bincount(codes[there], minlength=len(share))
        if not n.all():
            return None
        hits = np.bincount(codes[there], weights=column[there], minlength=len(share))
        rates.append(float((share * hits / n).sum()))
    return rates[0] - rates[1]


def _scored(column: Floats, clusters: Clusters | None) -> tuple[Floats, Codes | None]:
    """The scored values and their clusters."""
    codes, there = cluster_codes(clusters, len(column)), ~np.isnan(column)
    used = column[there]
    return used, None if codes is None else cluster_codes(codes[there], len(used))


def _in_clusters(method: str, codes: tuple[Codes | None, Codes | None]) -> str:
    if all(column is None for column in codes):
        return method
    n, m = (message("single") if column is None else len(np.unique(column)) for column in codes)
    return message("{method}, over {n} and {m} clusters", method=method, n=n, m=m)


def _standardised(
    outcomes: Floats, codes: Codes, share: Floats, level: float, clusters: Codes | None
) -> tuple[float, Interval]:
    n = np.bincount(codes, minlength=len(share)).astype(np.float64)
    hits = np.bincount(codes, weights=outcomes, minlength=len(share))
    rate = float((share * hits / n).sum())
    z2 = normal(level) ** 2
    pulled = (hits + z2 / 2) / (n + z2)
    variance = float((share**2 * pulled * (1 - pulled) / n).sum())
    whole = float((share * pulled).sum())
    effective = min(len(outcomes), whole * (1 - whole) / variance)
    if clusters is not None:
        effective *= effective_rows(outcomes, clusters) / len(outcomes)
    return rate, Interval(*score_limits(rate, effective, normal(level)), message("Wilson"))


def _newcombe(rates: Sequence[tuple[float, Interval]], method: str) -> Interval:
    (rate_a, first), (rate_b, second) = rates
    difference = rate_a - rate_b
    below = square_and_add(rate_a - first.low, second.high - rate_b)
    above = square_and_add(first.high - rate_a, rate_b - second.low)
    return Interval(max(-1.0, difference - below), min(1.0, difference + above), method)


def _two_groups(
    first: Floats,
    second: Floats,
    split: tuple[Codes, Codes],
    share: Floats,
    limits: Callable[[], Interval],
    *,
    level: float,
) -> Estimate:
    missing = int(np.isnan(first).sum()), int(np.isnan(second).sum())
    n, unscored = len(first) + len(second) - sum(missing), sum(missing)
    if not len(first) or not len(second):
        return undefined(message("a group is empty"), n=n, unscored=unscored, level=level)
    value = _over_strata(first, second, split, share)
    lowest, highest = (
        _over_strata(filled(first, end), filled(second, 1 - end), split, share) for end in RATE
    )
    rest: dict[str, Any] = {"n": n, "unscored": unscored, "cases": (lowest, highest)}
    if value is None:
        return undefined(message("nothing scored"), **rest, level=level)
    result = limits()
    method = over_scored(result.method, unscored)
    return estimated(value, result, **rest, method=method, level=level)
