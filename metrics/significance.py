"""Tests of paired columns, and their effect sizes.

A pair without a difference is a fact about the two models, so every effect size counts it.

Why these are ours: scipy refuses an exact signed-rank test where there are ties or zeros.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import bdtr, ndtr

from ..errors import DataError
from ..messages import Text, joined, known, marked, message
from .inputs import Column, Floats, between, numbers, same_length
from .intervals import RATE

_EXACT_RANKS = 50
_DIGITS = 12
_LEAST_P = 1e-300


@dataclass(frozen=True, slots=True)
class Test:
    """A test of paired columns, two-sided.

    `n` counts the pairs with both values. A `p` of 1e-300 is one below it. Without pairs nothing
    was tested: `statistic`, `p` and `effect` are null. `note` says which variant of the test it is
    and what stands beside it.
    """

    __test__: ClassVar[bool] = False  # pytest takes a class of this name for one of tests

    name: str
    statistic: float | None
    p: float | None
    n: int
    effect: float | None
    effect_name: str
    note: Text


Zeros = Literal["pratt", "dropped"]
"""Whether pairs without a difference are ranked, or left out before ranking."""


def wilcoxon(a: Column, b: Column, *, zeros: Zeros = "pratt") -> Test:
    """Wilcoxon's signed-rank test of paired values, zeros as Pratt treats them.

    |a − b| is ranked with its zeros and ties share their mean rank; then the zeros' ranks are left
    out (Pratt 1959). With `zeros` dropped they are left out before ranking, as Wilcoxon did and
    scipy does unless told otherwise; `note` has Pratt's p beside. The statistic is the sum W of the
    ranks with a > b. Up to 50 differences p is exact, over all signs of these very ranks, else from
    z = (W − Σr/2) / √(Σr²/4). The effect is the matched-pairs rank-biserial correlation, −1 … 1:
    (Σ ranks with a > b − Σ ranks with a < b) / Σ all ranks, zeros always ranked with the rest
    (Kerby 2014), so that a model that differs on one item in a thousand has an effect near 0, not
    1. `note` gives the share of zeros and a sign test.

    >>> result = wilcoxon([5, 5, 5, 5], [1, 2, 3, 5])  # ranks 4, 3, 2; not the zero's rank 1
    >>> result.statistic, result.p, result.effect  # 2 · 2⁻³; 9 of the ranks' sum 10
    (9.0, 0.25, 0.9)
    >>> wilcoxon([5, 5, 5, 5], [1, 2, 3, 5], zeros="dropped").statistic  # ranks 3, 2, 1
    6.0
    """
    first, second = paired(a, b)
    if not len(first):
        return untested("Wilcoxon signed rank", "rank-biserial")
    difference = first - second
    ranks, signs = _ranked(difference)
    effect = float((ranks * signs).sum() / ranks.sum())
    equal = int((signs == 0).sum())
    counts = {"zeros": equal, "n": len(first), "share": f"{100 * equal / len(first):.3g}"}
    treated = message("Pratt's zeros: {zeros} of {n} ({share} %)", **counts)
    if zeros == "dropped":
        ranks, signs = _ranked(difference[difference != 0])
        treated = message(
            "zeros left out before ranking: {zeros} of {n} ({share} %); p = {p} with Pratt's",
            p=f"{wilcoxon(a, b).p:.3g}",
            **counts,
        )
    positive = float(ranks[signs > 0].sum())
    used = ranks[signs != 0]
    if len(used) <= _EXACT_RANKS:
        p, kind = _signed_ranks(used, positive), message("exact")
    else:
        z = (positive - used.sum() / 2) / math.sqrt(float(np.square(used).sum()) / 4)
        p, kind = normal_tail(z), message("normal approximation")
    beside = sign_test(a, b)
    note = message(
        "{kind}, {treated}; sign test p = {p}, {signs}",
        kind=kind,
        treated=treated,
        p=f"{beside.p:.3g}",
        signs=beside.note,
    )
    return tested(
        "Wilcoxon signed rank",
        positive,
        p,
        len(first),
        effect=effect,
        effect_name=marked("rank-biserial"),
        note=note,
    )


def sign_test(a: Column, b: Column) -> Test:
    """The sign test of paired values: of those that differ a fair coin would give half to each.

    The effect is the share of pairs with a > b less that with a < b, zeros in the denominator.

    >>> result = sign_test([1, 1, 1, 0], [0, 0, 0, 0])
    >>> round(result.p, 6), result.effect  # 2 · 2⁻³; 3 of 4
    (0.25, 0.75)
    """
    first, second = paired(a, b)
    name = "share above less share below"
    if not len(first):
        return untested("sign test", name)
    above, below = int((first > second).sum()), int((first < second).sum())
    return tested(
        "sign test",
        float(above),
        min(1.0, 2 * float(bdtr(min(above, below), above + below, 0.5))),
        len(first),
        effect=(above - below) / len(first),
        effect_name=name,
        note=message("{above} above, {below} below", above=above, below=below),
    )


def cohens_h(p: float, q: float) -> float:
    """Cohen's h of two rates, 2 asin √p − 2 asin √q: 0.2 is small, 0.5 medium, 0.8 large.

    >>> round(cohens_h(0.5, 0.25), 4)  # π/2 − π/3
    0.5236
    """
    between(np.array([p, q]), "rates", *RATE)
    return 2 * (math.asin(math.sqrt(p)) - math.asin(math.sqrt(q)))


def paired(a: Column, b: Column) -> tuple[Floats, Floats]:
    """The values of the items that have both.

    >>> [one.tolist() for one in paired([1, None, 3], [2, 5, 4])]
    [[1.0, 3.0], [2.0, 4.0]]
    """
    same_length({"a": a, "b": b})
    first, second = numbers(a, "a"), numbers(b, "b")
    kept = ~(np.isnan(first) | np.isnan(second))
    return first[kept], second[kept]


def counted_alone(counts: tuple[int, int], names: tuple[str, str]) -> str:
    """How many items each of the two alone has, as the notes of tests say it.

    >>> counted_alone((3, 1), ("base", "tuned"))
    '3 for base alone, 1 for tuned alone'
    """
    return joined(
        message("{n} for {name} alone", n=n, name=name)
        for n, name in zip(counts, names, strict=True)
    )


def _ranked(difference: Floats) -> tuple[Floats, Floats]:
    """The mid-ranks of the absolute differences, and their signs."""
    size = np.abs(difference)
    if size.any():  # 0.3 − 0.2 and 0.2 − 0.1 differ by a rounding error and are one tie
        size = np.round(size / size.max(), _DIGITS)
    return mid_ranks(size), np.sign(difference)


def mid_ranks(values: Floats) -> Floats:
    """The ranks from 1 on within the last axis, ties at their mean rank.

    >>> mid_ranks(np.array([5.0, 7.0, 5.0])).tolist()
    [1.5, 3.0, 1.5]
    """
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values, axis=-1)
    return ranks


def _signed_ranks(ranks: Floats, positive: float) -> float:
    """The two-sided p of the sum of positive ranks, over all signs."""
    # mid-ranks are halves at least: doubled they are places in an array
    doubled = np.rint(2 * ranks).astype(np.intp)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(ways)
        moved[rank:] = ways[: len(ways) - rank]
        # as probabilities, which do not grow with the number of ranks
        ways = (ways + moved) / 2
    fewer = min(round(2 * positive), len(ways) - 1 - round(2 * positive))
    return min(1.0, 2 * float(ways[: fewer + 1].sum()))


def normal_tail(z: float) -> float:
    """The two-sided tail of the normal.

    >>> round(normal_tail(1.959964), 4)
    0.05
    """
    return 2 * float(ndtr(-abs(z)))


def tested(
    name: str,
    statistic: float,
    p: float,
    n: int,
    *,
    effect: float | None,
    effect_name: str,
    note: str,
) -> Test:
    """A test from its p."""
    if math.isnan(p):
        raise DataError(f"{name}: no p-value for the statistic {statistic}; look at the values")
    return Test(name, statistic, max(p, _LEAST_P), n, effect, effect_name, note)


def untested(
    name: str, effect_name: str, *, n: int = 0, why: str = marked("no item is scored in both")
) -> Test:
    """A test that could not be made, and why."""
    return Test(name, None, None, n, None, effect_name, known(why))
