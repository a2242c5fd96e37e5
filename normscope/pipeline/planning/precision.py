"""How wide the interval of each benchmark's headline will be."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...categorical import group_by
from ...metrics.intervals import RATE, Bounds, normal, score_limits, wilson_of_all
from ...records.item import Item
from ...records.provenance import BenchmarkItems

_LEVEL = 0.95

_STATISTICS: Mapping[str, tuple[str, Bounds]] = {
    "cfsafety_score": ("score", (0.0, 5.0)),
    "refusal_rates": ("hr", RATE),
    "risk_identification": ("agreement", RATE),
    "norm_consensus": ("accept_share", RATE),
}
"""The statistic by which a metric's precision is told, and from where to where it goes."""

ENUMERATED = "norm_consensus"
"""The metric of items of which a benchmark has all that there are."""


@dataclass(frozen=True, slots=True)
class Precision:
    """How precisely `items` of a benchmark tell a statistic.

    `effective` is how many independent items they count as where answers to a cluster are alike;
    `population` is how many there are, null where they stand for endless others. `half_width` is
    half the 95 % interval in the middle of the `bounds`, where it is widest; of a score it is the
    most that it can be.
    """

    benchmark: str
    statistic: str
    bounds: Bounds
    items: int
    effective: float
    population: int | None
    half_width: float


def precisions(items: Sequence[Item], benchmarks: Mapping[str, BenchmarkItems]) -> list[Precision]:
    """Return the precision of every benchmark's headline."""
    of_benchmark = group_by(items, lambda item: item.benchmark)
    return [
        _of_benchmark(name, requested, of_benchmark.get(name, []))
        for name, requested in benchmarks.items()
    ]


def _of_benchmark(name: str, requested: BenchmarkItems, items: Sequence[Item]) -> Precision:
    metric = next((metric for metric in requested.metrics if metric in _STATISTICS), None)
    # of a benchmark without a metric of ours the share of responses with a label
    default = f"criterion:{requested.criteria[0]}", RATE
    statistic, bounds = _STATISTICS[metric] if metric else default
    # an item has a row per variant and order, and is one item all the same
    rows = [of_item[0] for of_item in group_by(items, lambda item: item.item_id).values()]
    effective = _independent(item.cluster_or_id for item in rows)
    population = requested.items_in_dataset if metric == ENUMERATED else None
    if population is None:
        low, high = score_limits(0.5, effective, normal(_LEVEL))
    else:
        low, high = wilson_of_all(round(0.5 * len(rows)), len(rows), population)
    width = (bounds[1] - bounds[0]) * (high - low) / 2
    return Precision(name, statistic, bounds, len(rows), effective, population, width)


def _independent(clusters: Iterable[str]) -> float:
    """Return (Σm)²/Σm² of the clusters' sizes: so many rows that depend on none say as much.

    >>> _independent(["a", "a", "b", "b"]), _independent("abc")
    (2.0, 3.0)
    """
    sizes = Counter(clusters).values()
    return sum(sizes) ** 2 / sum(size * size for size in sizes)
