"""A statistic of two runs over the same items: the difference, and the test that goes with it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..metrics.clustered import clustered_t
from ..metrics.estimate import Estimate
from ..metrics.groups import Rows, cluster_codes
from ..metrics.inputs import Bools, Floats
from ..metrics.paired import paired_mean_difference, paired_rate_difference, scored_in_both
from ..metrics.significance import Test, mcnemar, wilcoxon
from ..metrics.tango import score_test
from .outcomes import Outcome
from .result import Found, Unscored


def difference(
    outcome: Outcome, first: int, second: int, *, clusters: Sequence[str], rows: Rows = slice(None)
) -> Found:
    """The run at `second` less the run at `first`.

    Rates: Tango's interval and the score test that it inverts; scores: the t interval and its test.
    Both are of the pairs that both runs have scored, and robust to clusters. Beside stand the tests
    that are not those of the interval: McNemar's exact one, and Wilcoxon's, in clusters on their
    means, since a test of the rows would take one question for several.
    """
    kept = np.flatnonzero(outcome.kept[rows])
    a, b = (outcome.columns[run][rows][kept] for run in (second, first))
    names = np.asarray(clusters, dtype=object)[rows][kept]
    both = ~np.isnan(a - b)
    if outcome.unit == "rate":
        compute = partial(_rate, names=(outcome.runs[second], outcome.runs[first]))
    else:
        compute = partial(_score, bounds=outcome.bounds)
    found, test, beside = compute(a[both], b[both], names[both].tolist())
    whole = found if both.all() else compute(a, b, names.tolist())[0]
    why = [outcome.reasons[run][rows][kept] for run in (second, first)]
    same = np.isnan(a) & np.isnan(b) & (why[0] == why[1])
    return Found(
        scored_in_both(found, whole),
        Unscored(int((~both).sum()), int(same.sum()), whole.low, whole.high),
        test,
        (_mean(b, both), _mean(a, both)),
        beside,
    )


def _rate(
    a: Floats, b: Floats, clusters: Sequence[str], *, names: tuple[str, str]
) -> tuple[Estimate, Test, tuple[Test, ...]]:
    single = cluster_codes(clusters, len(a)) is None
    beside = mcnemar(a, b, names=names) if single else _wilcoxon(a, b, clusters)
    test = score_test(a, b, clusters=clusters, names=names)
    return paired_rate_difference(a, b, clusters=clusters), test, (beside,)


def _score(
    a: Floats, b: Floats, clusters: Sequence[str], *, bounds: tuple[float, float]
) -> tuple[Estimate, Test, tuple[Test, ...]]:
    ranks = _wilcoxon(a, b, clusters)
    single = cluster_codes(clusters, len(a)) is None
    test = clustered_t(
        a - b,
        clusters=clusters,
        bounds=(bounds[0] - bounds[1], bounds[1] - bounds[0]),
        name="paired t" if single else "clustered t",
        unit="items" if single else "clusters",
    )
    found = paired_mean_difference(a, b, bounds=bounds, clusters=clusters)
    # the share of ranks says more of ratings than a mean over its SD, and counts what is equal
    return found, replace(test, effect=ranks.effect, effect_name=ranks.effect_name), (ranks,)


def _wilcoxon(a: Floats, b: Floats, clusters: Sequence[str]) -> Test:
    """Wilcoxon's test of the pairs, or of the means of their clusters."""
    codes = cluster_codes(clusters, len(a))
    if codes is None:
        return wilcoxon(a, b)
    sizes = np.bincount(codes)
    used = sizes > 0
    means = [np.bincount(codes, weights=column)[used] / sizes[used] for column in (a, b)]
    found = wilcoxon(*means)
    return replace(found, note=f"on the means of {int(used.sum())} clusters; {found.note}")


def _mean(values: Floats, rows: Bools) -> float | None:
    return float(values[rows].mean()) if rows.any() else None
