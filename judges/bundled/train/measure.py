"""How good scores are: areas with intervals, agreement beyond chance, calibration."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

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


def kappa(left: Labels, right: Labels) -> float:
    """Cohen's kappa of two columns of classes.

    >>> kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))  # 3 of 4 agree, 2 of 4 by chance
    0.5
    """
    agree = float((left == right).mean())
    classes = np.union1d(left, right)
    chance = sum(float((left == c).mean() * (right == c).mean()) for c in classes)
    return (agree - chance) / (1 - chance)


def expected_error(stated: Floats, truth: Floats, *, bins: int = 10) -> float:
    """The expected calibration error (Guo et al. 2017) over bins of equal width.

    >>> round(expected_error(np.array([0.1, 0.1, 0.9, 0.9]), np.array([0, 0, 1, 0])), 9)
    0.25
    """
    place = np.minimum((stated * bins).astype(int), bins - 1)
    gaps = [abs(float((stated - truth)[place == b].sum())) for b in range(bins)]
    return sum(gaps) / len(stated)
