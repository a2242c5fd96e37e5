"""Differences of two independent groups: other items, such as questions with and without history.

For the same items in both groups see `paired`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
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
    clustered_rate,
    effective_rows,
    normal,
    score_limits,
    wilson,
)
from .rates import filled

Strata = tuple[Iterable[Any], Iterable[Any]]
"""What is held equal between the two groups, a level per item of either."""

BothClusters = tuple[Clusters | None, Clusters | None]
"""The clusters of either group; none reaches from one group to the other."""


@dataclass(frozen=True, slots=True)
class _Group:
    """The outcomes of one group (1, 0, NaN), their strata and clusters."""

    outcomes: Floats
    strata: Codes
    clusters: Codes | None

    @property
    def scored(self) -> "_Group":
        """The group without what is unscored."""
        there = ~np.isnan(self.outcomes)
        values = self.outcomes[there]
        units = None
        if self.clusters is not None:
            units = cluster_codes(self.clusters[there], len(values))
        return _Group(values, self.strata[there], units)

    def rate(self, share: Floats, bound: float = np.nan) -> float | None:
        """Σ W_h p_h, the unscored at the bound; null if a stratum has nothing scored."""
        values = filled(self.outcomes, bound)
        there = ~np.isnan(values)
        n = np.bincount(self.strata[there], minlength=len(share))
        if not n.all():
            return None
        hits = np.bincount(self.strata[there], weights=values[there], minlength=len(share))
        return float((share * hits / n).sum())

    def limits(self) -> Interval:
        """The interval of the plain rate of a group without unscored outcomes."""
        if self.clusters is not None:
            return clustered_rate(self.outcomes, self.clusters)
        return wilson(float(self.outcomes.sum()), len(self.outcomes))

    def standardised_limits(self, share: Floats, rate: float) -> Interval:
        """That of the standardised rate."""
        n = np.bincount(self.strata, minlength=len(share)).astype(np.float64)
        hits = np.bincount(self.strata, weights=self.outcomes, minlength=len(share))
        z2 = normal() ** 2
        pulled = (hits + z2 / 2) / (n + z2)
        variance = float((share**2 * pulled * (1 - pulled) / n).sum())
        whole = float((share * pulled).sum())
        effective = min(len(self.outcomes), whole * (1 - whole) / variance)
        if self.clusters is not None:
            effective *= effective_rows(self.outcomes, self.clusters) / len(self.outcomes)
        return Interval(*score_limits(rate, effective, normal()), message("Wilson"))


def rate_difference(
    a: Column,
    b: Column,
    *,
    strata: Strata | None = None,
    clusters: BothClusters = (None, None),
) -> Estimate:
    """The rate of `a` less that of `b` (1, 0, NaN), two groups of other items, −1 … 1.

    With l and u Wilson's limits of either rate p, the lower limit is
    p₁ − p₂ − √((p₁ − l₁)² + (u₂ − p₂)²), the upper one likewise (Newcombe 1998, independent rates,
    method 10). With clusters l and u are those of `clustered_rate`. The interval is over the
    scored; `lowest` and `highest` put the unscored against and for `a`.

    With `strata` it is the difference if both groups had the same mix of them: either group's rate
    is Σ W_h p_h, W_h the stratum's share of all items of both groups (direct standardisation). Its
    limits are Wilson's at the n that gives the variance Σ W_h² p_h(1 − p_h)/n_h, where p_h is
    pulled to 1/2 by z² items half of which are ones; they are added as Newcombe does (Zou & Donner
    2008). Clusters shrink that n as they shrink that of the group's plain rate (`effective_rows`).
    A stratum that one group lacks cannot be held equal: a `DataError` names it.

    >>> result = rate_difference([1] * 56 + [0] * 14, [1] * 48 + [0] * 32)  # 56/70 − 48/80
    >>> round(result.value, 3), round(result.low, 4), round(result.high, 4)
    (0.2, 0.0524, 0.3339)
    >>> strata = list("xxyy"), list("xy")
    >>> rate_difference([1, 1, 0, 0], [1, 0], strata=strata).value  # (1 + 0)/2 − (1 + 0)/2
    0.0
    """
    columns = [among(numbers(of, name), name, RATE) for of, name in ((a, "a"), (b, "b"))]
    codes, share = _strata(columns, strata)
    first, second = (
        _Group(column, of, cluster_codes(units, len(column)))
        for column, of, units in zip(columns, codes, clusters, strict=True)
    )
    scored = first.scored, second.scored
    n = sum(len(group.outcomes) for group in scored)
    rest: dict[str, Any] = {"n": n, "unscored": sum(map(len, columns)) - n}
    if not all(map(len, columns)):
        return undefined(message("a group is empty"), **rest)
    rates = first.rate(share), second.rate(share)
    rest["cases"] = tuple(
        None if one is None or other is None else one - other
        for one, other in ((first.rate(share, end), second.rate(share, 1 - end)) for end in RATE)
    )
    if rates[0] is None or rates[1] is None:
        return undefined(message("nothing scored"), **rest)
    if strata is None:
        method: str = message("Newcombe, independent")
        limits = [group.limits() for group in scored]
    else:
        method = message("Newcombe, independent, standardised over {n} strata", n=len(share))
        limits = [
            group.standardised_limits(share, rate)
            for group, rate in zip(scored, (rates[0], rates[1]), strict=True)
        ]
    difference = rates[0] - rates[1]
    below = math.hypot(rates[0] - limits[0].low, limits[1].high - rates[1])
    above = math.hypot(limits[0].high - rates[0], rates[1] - limits[1].low)
    method = over_scored(_in_clusters(method, *scored), rest["unscored"])
    interval = Interval(max(-1.0, difference - below), min(1.0, difference + above), method)
    return estimated(difference, interval, **rest)


def _strata(columns: list[Floats], strata: Strata | None) -> tuple[list[Codes], Floats]:
    """The stratum of each item of either group, and each stratum's share of all items."""
    if strata is None:
        return [np.zeros(len(column), np.intp) for column in columns], np.ones(1)
    levels = [list(of) for of in strata]
    for name, column, of in zip("ab", columns, levels, strict=True):
        same_length({name: column, f"strata of {name}": of})
    joint, names = first_seen([*levels[0], *levels[1]])
    if (joint < 0).any():
        raise DataError(f"strata, row {int((joint < 0).argmax())}: empty; every item needs one")
    codes = np.split(joint, [len(levels[0])])
    counts = [np.bincount(of, minlength=len(names)) for of in codes]
    if all(levels):
        for name, one, other in zip(names, *counts, strict=True):
            if not (one and other):
                text = "leave its items out, or compare without standardising"
                raise DataError(f"stratum {name!r} has {one} items of a and {other} of b; {text}")
    return codes, (counts[0] + counts[1]) / max(1, len(joint))


def _in_clusters(method: str, *groups: _Group) -> str:
    if all(group.clusters is None for group in groups):
        return method
    n, m = (
        message("single") if group.clusters is None else len(np.unique(group.clusters))
        for group in groups
    )
    return message("{method}, over {n} and {m} clusters", method=method, n=n, m=m)
