"""Newcombe's interval for the difference of two rates over the same items.

R. G. Newcombe: "Improved confidence intervals for the difference between binomial proportions based
on paired data", Statistics in Medicine 17 (1998), method 10.
"""

import math

import numpy as np

from .inputs import Floats
from .intervals import Codes, Interval, clustered_rate, square_and_add, wilson


def newcombe_paired(
    a: Floats, b: Floats, *, clusters: Codes | None = None, level: float = 0.95
) -> Interval:
    """The interval of a difference of paired rates, by square and add (0 and 1 without NaN).

    With l and u Wilson's limits of either rate p, and φ the correlation of the outcomes, the lower
    limit is p₁ − p₂ − √((p₁ − l₁)² − 2φ(p₁ − l₁)(u₂ − p₂) + (u₂ − p₂)²), the upper one likewise
    (Newcombe 1998, method 10, whose φ is corrected for continuity). With clusters l and u are those
    of `clustered_rate` and φ is the correlation of the clusters' summed residuals (the same
    recovery of variances: Zou & Donner 2008).

    >>> found = newcombe_paired(np.array([1.0] * 5 + [0] * 5), np.array([1.0] * 5 + [0] * 5))
    >>> round(found.low, 4), round(found.high, 4)  # φ = (25 − 5)/25; p − l = 0.2634 on both sides
    (-0.1666, 0.1666)
    """
    n, rates = len(a), (float(a.mean()), float(b.mean()))
    if clusters is None:
        one, other = (wilson(float(column.sum()), n, level=level) for column in (a, b))
        shared = _phi(a, b)
        told = "Newcombe, paired"
    else:
        one, other = (clustered_rate(column, clusters, level=level) for column in (a, b))
        shared = _correlation(_residual_sums(a, clusters), _residual_sums(b, clusters))
        told = f"Newcombe, paired, over {int((np.bincount(clusters) > 0).sum())} clusters"
    difference = rates[0] - rates[1]
    below = square_and_add(rates[0] - one.low, other.high - rates[1], shared)
    above = square_and_add(one.high - rates[0], rates[1] - other.low, shared)
    return Interval(max(-1.0, difference - below), min(1.0, difference + above), told)


def _phi(a: Floats, b: Floats) -> float:
    """Newcombe's correlation of two columns of 0 and 1; 0 where a column does not vary."""
    n = len(a)
    both, only_a, only_b = (float(x) for x in (a @ b, a @ (1 - b), (1 - a) @ b))
    neither = n - both - only_a - only_b
    product = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    if product == 0:
        return 0.0
    cross = both * neither - only_a * only_b
    if cross > 0:
        cross = max(0.0, cross - n / 2)
    return cross / math.sqrt(product)


def _correlation(one: Floats, other: Floats) -> float:
    squares = float((one * one).sum()) * float((other * other).sum())
    return float((one * other).sum()) / math.sqrt(squares) if squares > 0 else 0.0


def _residual_sums(values: Floats, clusters: Codes) -> Floats:
    sums: Floats = np.bincount(clusters, weights=values - values.mean()).astype(np.float64)
    return sums
