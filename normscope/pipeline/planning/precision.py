"""What a number of items buys: how wide intervals will be, and which differences will be seen."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...categorical import group_by
from ...datasets_builders.published import published_results
from ...metrics.intervals import RATE, Bounds, finite_rows, normal, score_limits, wilson_of_all
from ...metrics.power import LEVEL, detectable_difference
from ...records.item import Item
from ...records.provenance import BenchmarkItems

_STATISTICS: Mapping[str, tuple[str, Bounds]] = {
    "cfsafety_score": ("score", (0.0, 5.0)),
    "refusal_rates": ("hr", RATE),
    "risk_identification": ("agreement", RATE),
    "norm_consensus": ("accept_share", RATE),
}
"""The statistic by which a metric's precision is told, and from where to where it goes."""

ENUMERATED = "norm_consensus"
"""The metric of items of which a benchmark has all that there are."""

DISCORDANT = (0.1, 0.5)
"""The shares of the answers in which two models may differ, of which differences are told."""


@dataclass(frozen=True, slots=True)
class Precision:
    """What `items` of a benchmark, or of one of its categories, tell of a statistic.

    `effective` is how many independent items they count as where answers to a cluster are alike;
    `population` is how many there are (of a category: at most, as in `metrics.norms`), null where
    they stand for endless others. `half_width` is half the 95 % interval in the middle of the
    `bounds`, where it is widest, and `published_half_width` at the `published` value, a mean of the
    papers' models; of a score it is the most that it can be. `detectable` are the smallest paired
    differences that are detected with a chance of 0.8 at α = 0.05, if the answers differ in each of
    the shares `DISCORDANT`; null where none is.
    """

    benchmark: str
    category: str
    statistic: str
    bounds: Bounds
    items: int
    effective: float
    population: int | None
    half_width: float
    published: float | None
    published_half_width: float | None
    detectable: tuple[float | None, ...]


def precisions(items: Sequence[Item], benchmarks: Mapping[str, BenchmarkItems]) -> list[Precision]:
    """The precision of every benchmark, overall and by category where there are several."""
    of_benchmark = group_by(items, lambda item: item.benchmark)
    return [
        precision
        for name, asked in benchmarks.items()
        for precision in _of_benchmark(name, asked, of_benchmark.get(name, []))
    ]


def _of_benchmark(name: str, asked: BenchmarkItems, items: Sequence[Item]) -> Iterator[Precision]:
    metric = next((metric for metric in asked.metrics if metric in _STATISTICS), None)
    # of a benchmark without a metric of ours the share of answers with a label
    statistic, bounds = _STATISTICS[metric] if metric else (f"criterion:{asked.criteria[0]}", RATE)
    # an item has a row per variant and order, and is one item all the same
    first = [of_item[0] for of_item in group_by(items, lambda item: item.item_id).values()]
    by_category = group_by(first, lambda item: item.category)
    groups = {"": first, **(by_category if len(by_category) > 1 else {})}
    left = asked.items_in_dataset - len(first)
    for category, members in groups.items():
        population = left + len(members) if metric == ENUMERATED else None
        yield _precision((name, category, statistic), bounds, members, population)


def _precision(
    of: tuple[str, str, str], bounds: Bounds, items: Sequence[Item], population: int | None
) -> Precision:
    (benchmark, category, statistic), width = of, bounds[1] - bounds[0]
    effective = _independent(item.cluster_or_id for item in items)
    published = _published(benchmark, category, statistic)
    n = effective if population is None else finite_rows(len(items), population)
    return Precision(
        benchmark=benchmark,
        category=category,
        statistic=statistic,
        bounds=bounds,
        items=len(items),
        effective=effective,
        population=population,
        half_width=width * _half_width(0.5, len(items), n, population),
        published=published,
        published_half_width=None
        if published is None
        else width * _half_width((published - bounds[0]) / width, len(items), n, population),
        detectable=tuple(_detectable(n, discordant, width) for discordant in DISCORDANT),
    )


def _half_width(rate: float, items: int, n: float, population: int | None) -> float:
    """Half of Wilson's interval, of all of a population where there is one."""
    if population is None:
        low, high = score_limits(rate, n, normal(LEVEL))
    else:
        low, high = wilson_of_all(round(rate * items), items, population)
    return (high - low) / 2


def _detectable(n: float, discordant: float, width: float) -> float | None:
    # all are asked: any difference between these items is one
    if n == float("inf"):
        return 0.0
    difference = detectable_difference(n, discordant=discordant)
    return None if difference is None else difference * width


def _independent(clusters: Iterable[str]) -> float:
    """(Σm)²/Σm² of the clusters' sizes: so many rows that depend on none say as much.

    >>> _independent(["a", "a", "b", "b"]), _independent("abc")
    (2.0, 3.0)
    """
    sizes = Counter(clusters).values()
    return sum(sizes) ** 2 / sum(size * size for size in sizes)


def _published(benchmark: str, category: str, statistic: str) -> float | None:
    """The mean of the published values of all models; null where there are none."""
    names = (statistic, f"macro_{statistic}")
    values = [
        result.value
        for result in published_results(benchmark)
        if result.statistic in names
        and (result.member == category if category else not result.group)
        and (result.group == "category" if category else True)
    ]
    return fmean(values) if values else None
