# ruff: noqa: PLR2004 - the designs are numbers
"""Prints how often each of our intervals holds the truth, and how often each test rejects none.

The table in docs/statistics.md is this script's. Every design has a seed of its own:

    python benchmarks/coverage.py --runs 2000
    python benchmarks/coverage.py --only variants
"""

import argparse
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from normscope.builders.slice import _choose
from normscope.metrics.differences import rate_difference
from normscope.metrics.estimate import Estimate
from normscope.metrics.facets import CHANGE, ORDER, SHARE, VARIANT, VIGNETTE, facet_statistics
from normscope.metrics.factors import factor_effects
from normscope.metrics.intervals import clopper_pearson, clustered_rate, mean_interval, wilson
from normscope.metrics.paired import (
    enumerated_difference,
    paired_mean_difference,
    paired_rate_difference,
)
from normscope.metrics.rates import enumerated
from normscope.metrics.reliability import STATISTICS, label_counts, over_variants
from normscope.metrics.significance import friedman, repeated_anova, wilcoxon
from normscope.metrics.survey import survey_agreement
from normscope.metrics.tango import score_test
from normscope.metrics.variants import variant_difference

Random = np.random.Generator
Floats = np.ndarray
Run = Callable[[Random], tuple[float | None, float | None] | float | None]
"""One sample: the interval's limits, or a test's p."""


@dataclass(frozen=True)
class Design:
    name: str
    run: Run
    truth: float | None = None
    """What the interval should hold; none: a test, and the share of p ≤ 0.05 is printed."""
    slow: int = 1


def scores(random: Random, n: int) -> Floats:
    """Products as CFSafety's: a heap near 5, one near 0, some between."""
    heap = random.random(n)
    high, low, between = 5 * random.beta(12, 1, n), random.beta(1, 6, n), 5 * random.random(n)
    return np.where(heap < 0.7, high, np.where(heap < 0.9, low, between))


SCORE = 0.7 * 5 * 12 / 13 + 0.2 / 7 + 0.1 * 2.5


def correlated(random: Random, p: float, clusters: int, size: int) -> tuple[Floats, Floats]:
    """Outcomes of rate p with correlation 1/2 within clusters."""
    rates = np.repeat(random.beta(p, 1 - p, clusters), size)
    return (random.random(clusters * size) < rates).astype(float), np.arange(clusters).repeat(size)


def twins(random: Random, n: int, p: float, q: float, shared: float) -> tuple[Floats, Floats]:
    one = random.random(n)
    other = np.where(random.random(n) < shared, one, random.random(n))
    return (one < p).astype(float), (other < q).astype(float)


def discordant(  # noqa: PLR0917
    random: Random, clusters: int, size: int, a: float, b: float, shared: float
) -> tuple[Floats, Floats]:
    """Pairs that one or the other alone has, in clusters of which a share has the same outcome."""
    chances = [a, b, 1 - a - b]
    base = random.choice([1, -1, 0], clusters, p=chances).repeat(size)
    own = random.choice([1, -1, 0], clusters * size, p=chances)
    apart = np.where(random.random(clusters * size) < shared, base, own)
    return (apart > 0).astype(float), (apart < 0).astype(float)


def discordant_names(clusters: int, size: int) -> Floats:
    return np.arange(clusters).repeat(size)


def slices() -> Iterator[Design]:
    """Shares of 1,800 vignettes from 120: drawn at random, and as `--limit` takes them."""
    flows = np.array(list(np.ndindex(10, 12, 15)))
    taken = np.array(_choose(np.vstack([np.zeros(len(flows), int), flows.T]), 120))

    def outcomes(random: Random, push: float) -> Floats:
        effects = [
            random.normal(0, 0.7, levels)[flows[:, at]] for at, levels in enumerate((10, 12, 15))
        ]
        return (sum(effects) + random.normal(push, 1, len(flows)) > 0).astype(float)

    def share(random: Random, push: float, *, balanced: bool) -> tuple[float, float]:
        every = outcomes(random, push)
        chosen = taken if balanced else random.choice(len(every), 120, replace=False)
        low, high = ends(enumerated(every[chosen], population=len(every)))
        return float(low or 0) - every.mean(), float(high or 0) - every.mean()

    def shift(random: Random, push: float, *, balanced: bool) -> tuple[float, float]:
        one = outcomes(random, push)
        other = np.where(random.random(len(one)) < 0.9, one, outcomes(random, push))
        chosen = taken if balanced else random.choice(len(one), 120, replace=False)
        found = enumerated_difference(other[chosen], one[chosen], population=len(one))
        truth = (other - one).mean()
        return float(found.low or 0) - truth, float(found.high or 0) - truth

    for push, rare in ((0.0, "about half"), (-3.0, "few")):
        for balanced, how in ((False, "at random"), (True, "balanced")):
            kind = {"push": push, "balanced": balanced}
            yield Design(
                f"share of all 1,800 vignettes, {rare}, 120 {how}",
                lambda r, k=kind: share(r, **k),  # type: ignore[misc]
                0.0,
            )
            yield Design(
                f"difference of shares of all 1,800 vignettes, {rare}, 120 {how}",
                lambda r, k=kind: shift(r, **k),  # type: ignore[misc]
                0.0,
            )


def likert(values: Floats) -> Floats:
    return np.clip(np.round(values), -2, 2)


def answered(random: Random, items: int, variants: int, spread: float = 0.4) -> Floats:
    """Answers with an effect of the item, of the variant, and of both."""
    centre = random.normal(0, 1, (items, 1)) + random.normal(0, spread, (1, variants))
    return likert(centre + random.normal(0, 0.5, (items, variants)))


def fixed_items(random: Random, variants: int) -> Floats:
    """Enumerated vignettes: the same 200 every time, worded anew."""
    centre = np.linspace(-2, 2, 200)[:, None] + random.normal(0, 0.5, (1, variants))
    return likert(centre + random.normal(0, 0.5, (200, variants)))


def ends(found: object) -> tuple[float | None, float | None]:
    return found.low, found.high  # type: ignore[attr-defined]


def rates() -> Iterator[Design]:
    for clusters, size, p in ((250, 2, 0.5), (250, 2, 0.05), (25, 8, 0.5), (25, 8, 0.1)):
        name = f"rate {p:g}, {clusters} clusters of {size}"
        yield Design(
            name,
            lambda r, c=clusters, s=size, p=p: ends(clustered_rate(*correlated(r, p, c, s))),
            p,
        )  # type: ignore[misc]


def means() -> Iterator[Design]:
    for n in (20, 50, 100, 500):
        yield Design(
            f"mean score, t, {n} items",
            lambda r, n=n: ends(  # type: ignore[misc]
                mean_interval(scores(r, n), bounds=(0, 5))
            ),
            SCORE,
        )

    def pairs(random: Random, n: int) -> tuple[float | None, float | None]:
        one = scores(random, n)
        other = np.where(random.random(n) < 0.8, one, scores(random, n))
        values, codes = np.concatenate([one, other]), np.tile(np.arange(n), 2)
        return ends(mean_interval(values, clusters=codes, bounds=(0, 5)))

    for n in (30, 250):
        yield Design(f"mean score, t, {n} pairs", lambda r, n=n: pairs(r, n), SCORE)  # type: ignore[misc]


def few_clusters() -> Iterator[Design]:
    def uneven(random: Random, k: int) -> tuple[float | None, float | None]:
        codes = np.repeat(np.arange(k), random.integers(1, 8, k))
        shared = np.where(random.random(len(codes)) < 0.8, scores(random, k)[codes], np.nan)
        values = np.where(np.isnan(shared), scores(random, len(codes)), shared)
        return ends(mean_interval(values, clusters=codes, bounds=(0, 5)))

    for k in (10, 20, 30, 50, 100):
        yield Design(f"mean score, t, {k} uneven clusters", lambda r, k=k: uneven(r, k), SCORE)  # type: ignore[misc]


def differences() -> Iterator[Design]:
    for n, p, q, shared in (
        (50, 0.7, 0.55, 0.5),
        (50, 0.95, 0.9, 0.8),
        (500, 0.7, 0.68, 0.8),
        (200, 0.02, 0.01, 0.0),
        (150, 0.5, 0.5, 0.5),
    ):
        yield Design(
            f"paired rates {p:g} and {q:g}, {n} items",
            lambda r, a=(n, p, q, shared): ends(  # type: ignore[misc]
                paired_rate_difference(*twins(r, *a))
            ),
            p - q,
        )
    for n, a, b in (
        (150, 0.005, 0.005),
        (500, 0.005, 0.005),
        (150, 0.025, 0.025),
        (500, 0.025, 0.025),
        (150, 0.01, 0.0),
        (150, 0.05, 0.0),
        (500, 0.05, 0.0),
    ):
        yield Design(
            f"paired rates, {100 * a:g} % for one alone and {100 * b:g} % for the other, {n} items",
            lambda r, d=(n, 1, a, b, 1.0): ends(  # type: ignore[misc]
                paired_rate_difference(*discordant(r, *d))
            ),
            a - b,
        )
    for clusters, size, a, b, shared in (
        (250, 2, 0.005, 0.005, 0.9),
        (250, 2, 0.025, 0.025, 0.9),
        (250, 2, 0.025, 0.025, 0.3),
        (250, 2, 0.02, 0.0, 0.9),
        (75, 2, 0.05, 0.0, 0.3),
        (25, 8, 0.025, 0.025, 0.5),
        (25, 8, 0.1, 0.02, 0.5),
        (25, 8, 0.3, 0.2, 0.5),
    ):
        alike = f"{clusters} clusters of {size}, {100 * shared:g} % alike"
        yield Design(
            f"paired rates, {100 * a:g} % for one alone and {100 * b:g} % for the other, {alike}",
            lambda r, d=(clusters, size, a, b, shared): ends(  # type: ignore[misc]
                paired_rate_difference(*discordant(r, *d), clusters=discordant_names(*d[:2]))
            ),
            a - b,
        )

    def clustered(random: Random) -> tuple[float | None, float | None]:
        one, other = twins(random, 100, 0.7, 0.6, 0.5)
        again = twins(random, 100, 0.7, 0.6, 0.5)
        same = random.random(100) < 0.7
        pair = [
            np.concatenate([x, np.where(same, x, y)])
            for x, y in zip((one, other), again, strict=True)
        ]
        codes = np.tile(np.arange(100), 2)
        return ends(paired_rate_difference(pair[0], pair[1], clusters=codes))

    yield Design("paired rates 0.7 and 0.6, 100 clusters of 2", clustered, 0.1)

    def two_groups(random: Random) -> tuple[float | None, float | None]:
        drawn = (random.random(n) < p for n, p in ((101, 0.3), (462, 0.73)))
        one, other = (outcome.astype(float) for outcome in drawn)
        return ends(rate_difference(one, other))

    yield Design("independent rates, 101 and 462 items", two_groups, 0.3 - 0.73)

    def standardised(random: Random) -> tuple[float | None, float | None]:
        codes = np.repeat([0, 1], [49, 52]), np.repeat([0, 1], [196, 266])
        rates = np.array([0.39, 0.17]), np.array([0.53, 0.87])
        drawn = [
            (random.random(len(c)) < p[c]).astype(float) for c, p in zip(codes, rates, strict=True)
        ]
        return ends(rate_difference(*drawn, strata=(codes[0], codes[1])))

    share = np.array([245, 318]) / 563
    held = float(share @ (np.array([0.39, 0.17]) - np.array([0.53, 0.87])))
    yield Design("the same, standardised over two areas", standardised, held)

    def several_answers(random: Random) -> tuple[float | None, float | None]:
        pairs = [correlated(random, p, n, 3) for n, p in ((101, 0.3), (200, 0.73))]
        (one, own), (other, theirs) = pairs
        return ends(rate_difference(one, other, clusters=(own, theirs)))

    yield Design("independent rates, 101 and 200 clusters of 3", several_answers, 0.3 - 0.73)

    def mean_pairs(random: Random, n: int) -> tuple[float | None, float | None]:
        one, other = scores(random, n), scores(random, n)
        shared = random.random(n) < 0.6
        return ends(paired_mean_difference(one, np.where(shared, one, other), bounds=(0, 5)))

    for n in (30, 500):
        yield Design(f"paired means, t, {n} items", lambda r, n=n: mean_pairs(r, n), 0.0)  # type: ignore[misc]


def variants() -> Iterator[Design]:
    for k in (3, 5, 11):
        # symmetric about 0, so that the truth is 0
        yield Design(
            f"mean acceptability, t over {k} prompt variants",
            lambda r, k=k: ends(  # type: ignore[misc]
                mean_interval(fixed_items(r, k).mean(axis=0), bounds=(-2, 2))
            ),
            0.0,
        )
    yield Design(
        "difference of two models, t over 11 prompt variants",
        lambda r: ends(variant_difference(fixed_items(r, 11), fixed_items(r, 11))),
        0.0,
    )
    many = label_counts(fixed_items(np.random.default_rng(0), 4000))
    for name, (compute, _) in STATISTICS.items():
        yield Design(
            f"{name}, jackknife over 11 prompt variants",
            lambda r, n=name: alikeness(r, n),  # type: ignore[misc]
            compute(*many),
            2,
        )

    push = np.repeat([-1.0, 0.0, 1.0], 16)
    factors = {"sender": np.repeat([0, 1, 2], 16), "recipient": np.tile(np.arange(4), 12)}

    def flows(random: Random, k: int) -> Floats:
        per_variant = 1 + random.normal(0, 0.3, (1, k))
        base = push[:, None] * per_variant + 0.3 * np.arange(4)[factors["recipient"]][:, None]
        return likert(base + random.normal(0, 0.5, (48, k)))

    def share(random: Random) -> tuple[float | None, float | None]:
        return ends(factor_effects(flows(random, 11), factors)[0].estimate)

    large = np.random.default_rng(1)
    elevens = [factor_effects(flows(large, 11), factors)[0].estimate.value for _ in range(300)]
    yield Design(
        "share of a factor, jackknife over 11 prompt variants", share, float(np.mean(elevens)), 4
    )


def alikeness(random: Random, name: str) -> tuple[float | None, float | None]:
    matrix = fixed_items(random, 11)
    table = over_variants(matrix, np.zeros(matrix.shape, dtype=bool))
    return ends(next(row.estimate for row in table if row.name == name))


def facets() -> Iterator[Design]:
    """What moves an answer, for new prompt variants of these vignettes in these three orders."""
    fixed = np.random.default_rng(0)
    n, orders = 150, 3
    centre = fixed.normal(0, 0.8, (n, 1, 1)) + fixed.normal(0, 0.2, (1, 1, orders))
    centre = centre + fixed.normal(0, 0.3, (n, 1, orders))

    def answers(random: Random, k: int) -> Floats:
        shapes = {(1, k, 1): 0.4, (n, k, 1): 0.5, (1, k, orders): 0.2, (n, k, orders): 0.5}
        return likert(centre + sum(random.normal(0, sd, of) for of, sd in shapes.items()))

    def table(random: Random, k: int) -> dict[tuple[str, str], Estimate]:
        columns = np.arange(k).repeat(orders).tolist(), list(range(orders)) * k
        rows = facet_statistics(answers(random, k).reshape(n, -1), *columns)
        return {(row.name, row.member): row.estimate for row in rows}

    many = [table(fixed, 100) for _ in range(10)]
    measured = {
        "pairs that change with the wording": (CHANGE, VARIANT),
        "pairs that change with the order": (CHANGE, ORDER),
        "share of variance of the vignettes": (SHARE, VIGNETTE),
        "share of variance of the wording": (SHARE, VARIANT),
        "share of variance of vignette × wording": (SHARE, f"{VIGNETTE} × {VARIANT}"),
        "share of variance of the order": (SHARE, ORDER),
    }
    for name, key in measured.items():
        truth = float(np.mean([of[key].value for of in many]))
        yield Design(
            f"{name}, jackknife over 11 prompt variants",
            lambda r, key=key: ends(table(r, 11)[key]),  # type: ignore[misc]
            truth,
            4,
        )


def others() -> Iterator[Design]:
    def correlation(random: Random, at: int) -> tuple[float | None, float | None]:
        both = random.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 98)
        return ends(survey_agreement(both[:, 0], both[:, 1])[at].estimate)

    yield Design("Pearson's r 0.6, 98 flows", lambda r: correlation(r, 0), 0.6)
    rank = 6 / np.pi * np.arcsin(0.3)
    yield Design("Spearman's ρ, 98 flows", lambda r: correlation(r, 1), float(rank))


def tests() -> Iterator[Design]:
    for a in ((60, 0.7, 0.7, 0.8), (500, 0.7, 0.7, 0.8), (150, 0.5, 0.5, 0.98)):
        yield Design(
            f"score test of paired rates, {a[0]} items, {100 * a[3]:g} % alike",
            lambda r, a=a: score_test(*twins(r, *a)).p,  # type: ignore[misc]
        )
    for n in (12, 200):
        yield Design(
            f"Wilcoxon, {n} ratings with ties and zeros",
            lambda r, n=n: (
                wilcoxon(  # type: ignore[misc]
                    r.integers(1, 6, n), r.integers(1, 6, n)
                ).p
            ),
        )

    def table(random: Random) -> Floats:
        return random.integers(-2, 3, (40, 4)).astype(float)

    yield Design("Friedman, 40 flows with ties", lambda r: friedman(table(r)).p)
    yield Design("repeated-measures ANOVA, 40 flows", lambda r: repeated_anova(table(r)).p)


def exact() -> None:
    print("| rate of n items | interval | mean over p | least over p |\n|---|---|---|---|")
    grid = np.linspace(0.001, 0.999, 999)
    for n in (20, 50, 100, 500):
        for interval in (wilson, clopper_pearson):
            limits = np.array([(i.low, i.high) for i in (interval(k, n) for k in range(n + 1))])
            mass = stats.binom.pmf(np.arange(n + 1)[:, None], n, grid)
            inside = (limits[:, :1] <= grid) & (grid <= limits[:, 1:])
            cover = (mass * inside).sum(axis=0)
            name = interval(1, 2).method
            print(f"| {n} | {name} | {100 * cover.mean():.1f} | {100 * cover.min():.1f} |")


def told(design: Design, runs: int) -> str:
    random = np.random.default_rng(zlib.crc32(design.name.encode()))
    runs //= design.slow
    if design.truth is None:
        p = np.array(
            [found for found in (design.run(random) for _ in range(runs)) if found is not None]
        )
        return f"| {design.name} | rejects {100 * (p <= 0.05).mean():.1f} | | | {len(p)} |"
    limits = np.array([design.run(random) for _ in range(runs)], dtype=float)
    limits = limits[~np.isnan(limits).any(axis=1)]
    below, above = limits[:, 1] < design.truth, limits[:, 0] > design.truth
    covers = 100 * (1 - below.mean() - above.mean())
    misses = f"{100 * below.mean():.1f} | {100 * above.mean():.1f}"
    return f"| {design.name} | {covers:.1f} | {misses} | {len(limits)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", default="", help="designs whose name holds this")
    given = parser.parse_args()
    if not given.only:
        exact()
    print("\n| design | covers, % | interval too low | too high | samples |\n|---|---|---|---|---|")
    for group in (rates, slices, means, few_clusters, differences, variants, facets, others, tests):
        for design in group():
            if given.only in design.name:
                print(told(design, given.runs), flush=True)


if __name__ == "__main__":
    main()
