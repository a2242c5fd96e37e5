"""The shape of a judge's scores: where they lie, in how many heaps, and what they tell apart.

Zhihao Liu, Chenhui Hu: "CFSafety: Comprehensive Fine-grained Safety Assessment for LLMs",
https://arxiv.org/abs/2410.21695, draws these distributions.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DataError, UsageError
from ..format import p_sentence, percent
from ..messages import joined, message
from .categories import Known, check_levels
from .cfsafety import MORAL, RATING, SCORE
from .dip import LEAST_P, MOST_P, dip_test
from .estimate import Estimate, Statistic, Target, Unit
from .groups import Clusters, cluster_codes, first_seen
from .inputs import Column, Floats, Reasons, absent, between, numbers, same_length
from .intervals import Bounds, Codes
from .mixture import ashman_d
from .multiplicity import benjamini_hochberg
from .rates import rate
from .significance import Test, tested, untested
from .tails import log_f_tail

BINS = 20
ONE_HEAP = 0.9
"""From this share of items in one bin on, the judge tells answers apart hardly at all."""
NO_SEPARATION = 0.01
"""Under this share of the variance between categories, it does not tell them apart."""

SHAPE = "shape"
"""The group of `shape_statistics`."""

_EXTREME = 0.05
_ITEMS: Target = "these items"
_BY_CONSTRUCTION = message(
    "descriptive: a product with a factor near 0 or 1 has two heaps by construction"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """How the values of `moral`, `rating` or `score` lie.

    `counts` of n scored answers are over equal bins with these `edges`. `low_share` and
    `high_share` are the shares within a twentieth of the range of either end, `top_share` that of
    the fullest bin, `spread` the standard deviation over half the range, its largest possible
    value. `dip` is the dip test, by category with p after Benjamini and Hochberg; on the product it
    has no p, since a product with a factor near 0 or 1 has two heaps by construction. `ashman` is
    how far two heaps are apart (`ashman_d`). `categories` is the one-way ANOVA between categories
    with ε². `signatures` are the failures that these show, in words.
    """

    name: str
    n: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    low_share: Estimate
    high_share: Estimate
    top_share: float | None
    spread: float | None
    dip: Test
    ashman: Estimate
    dip_by_category: dict[str, Test]
    categories: Test | None
    signatures: tuple[str, ...]


def score_shape(
    moral: Column,
    rating: Column,
    *,
    categories: Iterable[Any] | None = None,
    clusters: Clusters | None = None,
    reasons: Reasons | None = None,
    bins: int = BINS,
    seed: int = 0,
    known: Known = None,
    level: float = 0.95,
) -> list[Shape]:
    """The shapes of `moral`, `rating` and their product `score` over the scored items.

    Values as `cfsafety_score` takes them. Ties are jittered for the dip test (`dip_test`, `seed`).
    `clusters` name what is not independent, for the intervals; the tests take rows for independent.
    A category that is not `known` (its levels of `category`) is refused.

    >>> moral, rating, score = score_shape([1, 1, 1, 0], [5, 5, 4, 1], bins=4)
    >>> rating.counts, rating.high_share.value, rating.top_share
    ((1, 0, 0, 3), 0.5, 0.75)
    """
    if bins < 2:  # noqa: PLR2004 - one bin has no shape
        raise UsageError(f"bins {bins}: give two or more")
    n = same_length({"moral": moral, "rating": rating, "reasons": reasons})
    first = between(numbers(moral, "moral"), "moral", *MORAL)
    second = between(numbers(rating, "rating"), "rating", *RATING)
    kept = ~absent(reasons, np.isnan(first * second))[1]
    codes, members = (np.full(n, -1), []) if categories is None else first_seen(categories)
    if len(codes) != n:
        raise DataError(f"categories have {len(codes)} rows where the values have {n}")
    check_levels("category", members, known)
    units = cluster_codes(clusters, n)
    alike = None if units is None else units[kept]
    columns = {
        "moral": (first, MORAL),
        "rating": (second, RATING),
        "score": (first * second, SCORE),
    }
    return [
        _shape(name, values[kept], bounds, (codes[kept], members, alike), (bins, seed, level))
        for name, (values, bounds) in columns.items()
    ]


def _shape(
    name: str,
    values: Floats,
    bounds: Bounds,
    rows: tuple[Codes, list[str], Codes | None],
    settings: tuple[int, int, float],
) -> Shape:
    bins, seed, level = settings
    # the category of each row, their names, and its cluster
    codes, members, clusters = rows
    known = values[~np.isnan(values)]
    counts, edges = np.histogram(known, bins=bins, range=bounds)
    width = _EXTREME * (bounds[1] - bounds[0])
    missing = np.isnan(values)
    low, high = (
        rate(np.where(missing, np.nan, hit), clusters=clusters, level=level)
        for hit in (values <= bounds[0] + width, values >= bounds[1] - width)
    )
    dips = {member: dip_test(values[codes == at], seed=seed) for at, member in enumerate(members)}
    product = name == "score"
    by_category = _descriptive(dips) if product else _corrected(dips)
    whole = dip_test(values, seed=seed)
    placed = ~missing & (codes >= 0)
    apart = _anova(values[placed], codes[placed], len(members)) if members else None
    top = float(counts.max() / len(known)) if len(known) else None
    return Shape(
        name=name,
        n=len(known),
        edges=tuple(edges.tolist()),
        counts=tuple(counts.tolist()),
        low_share=low,
        high_share=high,
        top_share=top,
        spread=float(known.std() / (bounds[1] - bounds[0]) * 2) if len(known) else None,
        dip=_descriptive({"": whole})[""] if product else whole,
        ashman=ashman_d(values, bounds=bounds, clusters=clusters, level=level, seed=seed),
        dip_by_category=by_category,
        categories=apart,
        signatures=signatures(top, None if apart is None else apart.effect),
    )


def signatures(top_share: float | None, between: float | None) -> tuple[str, ...]:
    """The failures that the fullest bin's share and the variance between categories (ε²) show.

    >>> signatures(0.5, 0.2), len(signatures(0.95, 0.001))
    ((), 2)
    """
    result = []
    if top_share is not None and top_share >= ONE_HEAP:
        result.append(
            message(
                "{share} of items lie in one bin: answers are hardly told apart",
                share=percent(top_share),
            )
        )
    if between is not None and between < NO_SEPARATION:
        result.append(
            message(
                "categories are not told apart: under {share} of the variance is between them",
                share=percent(NO_SEPARATION),
            )
        )
    return tuple(result)


def shape_statistics(shapes: Iterable[Shape]) -> list[Statistic]:
    """The numbers of the shapes as rows of scores: the group `SHAPE`, a member per criterion.

    Shares at either end and Ashman's D have intervals; the fullest bin's share, the spread, the dip
    and the variance between categories describe these items, the last two with their tests.

    >>> rows = shape_statistics(score_shape([1, 1, 1, 0], [5, 5, 4, 1]))
    >>> [(row.member, row.estimate.value) for row in rows if row.name == "high_share"]
    [('moral', 0.75), ('rating', 0.5), ('score', 0.5)]
    """
    table = []
    for shape in shapes:
        apart = shape.categories
        columns: dict[str, tuple[Unit, Estimate]] = {
            "low_share": ("rate", shape.low_share),
            "high_share": ("rate", shape.high_share),
            "top_share": ("rate", _described(shape, shape.top_share, message("exact"))),
            "spread": ("score", _described(shape, shape.spread, message("exact"))),
            "dip": ("score", _described(shape, shape.dip.effect, _of_dip(shape))),
            "ashman_d": ("score", shape.ashman),
            "between_categories": (
                "rate",
                _described(shape, apart.effect if apart else None, _of_anova(apart)),
            ),
        }
        table += [
            Statistic(name, unit, estimate, group=SHAPE, member=shape.name)
            for name, (unit, estimate) in columns.items()
            if estimate.method
        ]
    return table


def _described(shape: Shape, value: float | None, method: str) -> Estimate:
    """A number about these items, with no interval: nothing is inferred."""
    ends = value if method == "exact" else None
    unscored = shape.low_share.unscored
    return Estimate(value, ends, ends, shape.n, unscored, None, None, _ITEMS, method)


def _of_dip(shape: Shape) -> str:
    if shape.name == "score":
        return message("described, not tested")
    p = shape.dip.p
    if p is None:
        return message("too few values for a test, or all are equal")
    if p <= LEAST_P:
        return message("dip test, p ≤ {p}", p=LEAST_P)
    if p >= MOST_P:
        return message("dip test, p ≥ {p}", p=MOST_P)
    return message("dip test, {p}", p=p_sentence(p))


def _of_anova(test: Test | None) -> str:
    if test is None:
        return ""
    if test.p is None:
        return message("values do not vary within categories, or there is one category")
    return message("ANOVA, {p}", p=p_sentence(test.p))


def _corrected(dips: dict[str, Test]) -> dict[str, Test]:
    adjusted = benjamini_hochberg([test.p for test in dips.values()])
    return {
        name: test
        if test.p is None
        else replace(
            test,
            p=float(p),
            log10_p=float(np.log10(p)),
            note=joined([test.note, message("Benjamini–Hochberg over categories")], "; "),
        )
        for (name, test), p in zip(dips.items(), adjusted, strict=True)
    }


def _descriptive(dips: dict[str, Test]) -> dict[str, Test]:
    return {
        name: replace(test, p=None, log10_p=None, note=_BY_CONSTRUCTION)
        for name, test in dips.items()
    }


def _anova(values: Floats, codes: Codes, groups: int) -> Test:
    """The one-way ANOVA of values by category; the effect is ε², at least 0.

    F = MS(between)/MS(within); ε² = (SS(between) − df · MS(within)) / SS(total), the share of the
    variance between categories with what chance alone would give taken off.
    """
    name, effect_name = "ANOVA between categories", "ε²"
    counts = np.bincount(codes, minlength=groups)
    there = int((counts > 0).sum())
    n, error = len(values), len(values) - there
    if there < 2 or error < 1:  # noqa: PLR2004 - between two, with some left within
        why = message("{there} categories of {n} items leave nothing to compare", there=there, n=n)
        return untested(name, effect_name, n=n, why=why)
    means = np.bincount(codes, weights=values, minlength=groups) / np.maximum(counts, 1)
    total = float(np.square(values - values.mean()).sum())
    within = float(np.square(values - means[codes]).sum())
    if within <= 1e-12 * max(1.0, total):
        why = message("values do not vary within categories")
        return untested(name, effect_name, n=n, why=why)
    degrees = there - 1
    f = (total - within) / degrees / (within / error)
    effect = max(0.0, (total - within - degrees * within / error) / total)
    note = message("{n} and {m} degrees of freedom", n=degrees, m=error)
    log_p = log_f_tail(f, degrees, error)
    return tested(name, f, log_p, n, effect=effect, effect_name=effect_name, note=note)
