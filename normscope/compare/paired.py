"""A statistic of two runs over the same items: the difference, and the test that goes with it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..metrics.groups import Rows, cluster_codes
from ..metrics.inputs import Floats
from ..metrics.paired import paired_mean_difference, paired_rate_difference
from ..metrics.significance import Test, cohens_h, mcnemar, wilcoxon
from .outcomes import Outcome
from .result import Found


def difference(
    outcome: Outcome, first: int, second: int, *, clusters: Sequence[str], rows: Rows = slice(None)
) -> Found:
    """The run at `second` less the run at `first`.

    Rates: Newcombe's interval and McNemar's test; scores: a t interval and Wilcoxon's. Where rows
    come in clusters the interval is robust to them, and the test is Wilcoxon's on the clusters'
    means, since a test of the rows would take one question for several.
    """
    kept = outcome.kept[rows]
    a, b = (outcome.columns[run][rows][kept] for run in (second, first))
    own = np.asarray(clusters, dtype=object)[rows][kept].tolist()
    rate = outcome.unit == "rate"
    if rate:
        estimate = paired_rate_difference(a, b, clusters=own)
    else:
        estimate = paired_mean_difference(a, b, bounds=outcome.bounds, clusters=own)
    both = ~(np.isnan(a) | np.isnan(b))
    values = (float(b[both].mean()), float(a[both].mean())) if both.any() else (None, None)
    names = (outcome.runs[second], outcome.runs[first])
    return Found(estimate, _test(a, b, own, rate=rate, names=names), values)


def _test(
    a: Floats, b: Floats, clusters: Sequence[str], *, rate: bool, names: tuple[str, str]
) -> Test:
    codes = cluster_codes(clusters, len(a))
    if codes is None:
        return mcnemar(a, b, names=names) if rate else wilcoxon(a, b)
    both = ~(np.isnan(a) | np.isnan(b))
    sizes = np.bincount(codes[both], minlength=int(codes.max(initial=0)) + 1)
    used = sizes > 0
    means = [
        np.bincount(codes[both], weights=column[both], minlength=len(sizes))[used] / sizes[used]
        for column in (a, b)
    ]
    found = wilcoxon(*means)
    told = f"on the means of {int(used.sum())} clusters; {found.note}"
    if rate and both.any():
        effect = cohens_h(float(a[both].mean()), float(b[both].mean()))
        return replace(found, note=told, effect=effect, effect_name="Cohen's h")
    return replace(found, note=told)
