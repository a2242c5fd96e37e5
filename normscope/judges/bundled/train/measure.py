"""How good scores are: areas with intervals, calibration."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from ....metrics.detection import BINS, binned, error_of

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def auc(scores: Floats, labels: Labels) -> float:
    """The chance that a positive scores above a negative one, half of it where they tie.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([0, 0, 1, 1]))
    0.875
    """
    ranks = rankdata(scores)
    ones = int(labels.sum())
    zeros = len(labels) - ones
    if not ones or not zeros:
        return float("nan")
    return float((ranks[labels == 1].sum() - ones * (ones + 1) / 2) / (ones * zeros))


def area(scores: Floats, labels: Labels, groups: Sequence[str]) -> dict[str, float]:
    """The area with its interval, as the reports hold it.

    >>> area(np.array([0.1, 0.9]), np.array([0, 1]), ["a", "a"])
    {'auc': 1.0, 'low': 1.0, 'high': 1.0}
    """
    low, high = auc_interval(scores, labels, groups)
    return {"auc": auc(scores, labels), "low": low, "high": high}


def auc_interval(
    scores: Floats, labels: Labels, groups: Sequence[str], *, resamples: int = 300, seed: int = 0
) -> tuple[float, float]:
    """The 95 % percentile interval of the area, groups drawn with replacement.

    >>> auc_interval(np.array([0.1, 0.9]), np.array([0, 1]), ["a", "a"])  # one group, always drawn
    (1.0, 1.0)
    """
    rng = np.random.default_rng(seed)
    numbers = np.unique(groups, return_inverse=True)[1]
    order = np.argsort(numbers, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(numbers))[:-1])
    drawn = []
    for _ in range(resamples):
        at = np.concatenate([members[g] for g in rng.integers(len(members), size=len(members))])
        drawn.append(auc(scores[at], labels[at]))
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def expected_error(stated: Floats, truth: Floats) -> float:
    """The expected calibration error over ten bins of equal width.

    >>> round(expected_error(np.array([0.1, 0.1, 0.9, 0.9]), np.array([0, 0, 1, 0])), 9)
    0.25
    """
    one_unit = np.zeros(len(stated), dtype=np.intp)
    return float(error_of(binned(stated, truth, one_unit, BINS)[0], np.asarray(float(len(stated)))))
