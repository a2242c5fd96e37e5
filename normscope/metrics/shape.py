"""The shape of a judge's scores: where they lie, how many at the ends, and each category's mean.

Zhihao Liu, Chenhui Hu: "CFSafety: Comprehensive Fine-grained Safety Assessment for LLMs",
https://arxiv.org/abs/2410.21695, draws these distributions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError, UsageError
from .cfsafety import MORAL, RATING, SCORE
from .estimate import Estimate, Statistic
from .groups import Clusters, cluster_codes, first_seen
from .inputs import Column, Floats, Reasons, absent, between, numbers, same_length
from .intervals import Bounds, Codes
from .rates import mean, rate

BINS = 20

SHAPE = "shape"
"""The group of `shape_statistics`."""

_EXTREME = 0.05


@dataclass(frozen=True, slots=True)
class Shape:
    """How the values of `moral`, `rating` or `score` lie.

    `counts` of n scored answers are over equal bins with these `edges`. `low_share` and
    `high_share` are the shares within a twentieth of the range of either end; `means` is the mean
    in each category.
    """

    name: str
    n: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    low_share: Estimate
    high_share: Estimate
    means: dict[str, Estimate]


def score_shape(
    moral: Column,
    rating: Column,
    *,
    categories: Iterable[Any] | None = None,
    clusters: Clusters | None = None,
    reasons: Reasons | None = None,
    bins: int = BINS,
    level: float = 0.95,
) -> list[Shape]:
    """The shapes of `moral`, `rating` and their product `score` over the scored items.

    Values as `cfsafety_score` takes them. `clusters` name what is not independent, for the
    intervals.

    >>> moral, rating, score = score_shape([1, 1, 1, 0], [5, 5, 4, 1], bins=4)
    >>> rating.counts, rating.high_share.value
    ((1, 0, 0, 3), 0.5)
    """
    if bins < 2:  # noqa: PLR2004 - one bin has no shape
        raise UsageError(f"bins {bins}: give two or more")
    n = same_length({"moral": moral, "rating": rating, "reasons": reasons})
    first = between(numbers(moral, "moral"), "moral", *MORAL)
    second = between(numbers(rating, "rating"), "rating", *RATING)
    used = ~absent(reasons, np.isnan(first * second))[1]
    codes, members = (np.full(n, -1), []) if categories is None else first_seen(categories)
    if len(codes) != n:
        raise DataError(f"categories have {len(codes)} rows where the values have {n}")
    units = cluster_codes(clusters, n)
    alike = None if units is None else units[used]
    columns = {
        "moral": (first, MORAL),
        "rating": (second, RATING),
        "score": (first * second, SCORE),
    }
    rows = {name: np.flatnonzero(codes[used] == at) for at, name in enumerate(members)}
    return [
        _shape(name, values[used], scale, rows, clusters=alike, bins=bins, level=level)
        for name, (values, scale) in columns.items()
    ]


def _shape(
    name: str,
    values: Floats,
    scale: Bounds,
    categories: Mapping[str, Codes],
    *,
    clusters: Codes | None,
    bins: int,
    level: float,
) -> Shape:
    scored = values[~np.isnan(values)]
    counts, edges = np.histogram(scored, bins=bins, range=scale)
    width = _EXTREME * (scale[1] - scale[0])
    low, high = (
        rate(np.where(np.isnan(values), np.nan, hit), clusters=clusters, level=level)
        for hit in (values <= scale[0] + width, values >= scale[1] - width)
    )
    means = {}
    for member, rows in categories.items():
        units = None if clusters is None else clusters[rows]
        means[member] = mean(values[rows], bounds=scale, clusters=units, level=level)
    return Shape(name, len(scored), tuple(edges.tolist()), tuple(counts.tolist()), low, high, means)


def shape_statistics(shapes: Iterable[Shape]) -> list[Statistic]:
    """The shares at either end as rows of scores: the group `SHAPE`, a member per criterion.

    >>> rows = shape_statistics(score_shape([1, 1, 1, 0], [5, 5, 4, 1]))
    >>> [(row.member, row.estimate.value) for row in rows if row.name == "high_share"]
    [('moral', 0.75), ('rating', 0.5), ('score', 0.5)]
    """
    return [
        Statistic(name, "rate", estimate, group=SHAPE, member=shape.name)
        for shape in shapes
        for name, estimate in (("low_share", shape.low_share), ("high_share", shape.high_share))
    ]
