"""How good scores are: areas, macro-F1, and bootstrap intervals of differences between readers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reading:
    """A reader's scores on a test set, the threshold from validation, labels and groups."""

    scores: Floats
    threshold: float
    labels: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]


def auc(scores: Floats, labels: npt.NDArray[np.int64]) -> float:
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


def macro_f1(guessed: npt.NDArray[np.bool_], labels: npt.NDArray[np.int64]) -> float:
    """The mean of the two classes' F1.

    >>> macro_f1(np.array([True, True, False]), np.array([1, 0, 0]))  # 2/3 for both classes
    0.6666666666666666
    """
    values = []
    for truth, guess in ((labels == 1, guessed), (labels == 0, ~guessed)):
        both = truth.sum() + guess.sum()
        values.append(2 * float((truth & guess).sum()) / float(both) if both else 0.0)
    return sum(values) / 2


def best_threshold(scores: Floats, labels: npt.NDArray[np.int64]) -> float:
    """The threshold with the best macro-F1, of the scores' own two hundred quantiles."""
    candidates = np.unique(np.quantile(scores, np.linspace(0, 1, 201)))
    candidates = np.append((candidates[1:] + candidates[:-1]) / 2, candidates[-1] + 1)
    result = [macro_f1(scores > candidate, labels) for candidate in candidates]
    best = max(result)
    # the middle one of equals: the least dependent on single scores
    near = [c for c, value in zip(candidates, result, strict=True) if value >= best - 1e-9]
    return float(near[len(near) // 2])


def summary(reading: Reading) -> dict[str, float]:
    """Area and macro-F1 of a reading."""
    return {
        "auc": auc(reading.scores, reading.labels),
        "f1": macro_f1(reading.scores > reading.threshold, reading.labels),
    }


def macro(readings: Mapping[str, Reading]) -> dict[str, float]:
    """The mean over the sets of area and macro-F1."""
    result = [summary(reading) for reading in readings.values()]
    return {
        name: float(np.nanmean([figures[name] for figures in result])) for name in ("auc", "f1")
    }


def difference(
    ours: Mapping[str, Reading], theirs: Mapping[str, Reading], *, seed: int, resamples: int = 1000
) -> dict[str, Any]:
    """The macro difference of area and macro-F1 with percentile intervals.

    Groups (questions) are drawn with replacement within each set, the same for both readers.
    """
    # both readers on the same draws, so that the difference is a paired one
    rng = np.random.default_rng(seed)
    drawn: dict[str, list[Floats]] = {"auc": [], "f1": []}
    for name, reading in ours.items():
        other = theirs[name]
        members = [np.flatnonzero(reading.groups == g) for g in np.unique(reading.groups)]
        rows: dict[str, list[float]] = {"auc": [], "f1": []}
        for _ in range(resamples):
            some = rng.integers(len(members), size=len(members))
            at = np.concatenate([members[g] for g in some])
            pair = [
                summary(Reading(r.scores[at], r.threshold, r.labels[at], r.groups[at]))
                for r in (reading, other)
            ]
            for value, of_statistic in rows.items():
                of_statistic.append(pair[0][value] - pair[1][value])
        for value, some_rows in rows.items():
            drawn[value].append(np.asarray(some_rows))
    our_means, their_means = macro(ours), macro(theirs)
    result = {}
    for value, sets in drawn.items():
        means = np.nanmean(np.stack(sets), axis=0)
        low, high = np.nanquantile(means, (0.025, 0.975))
        result[value] = {
            "difference": our_means[value] - their_means[value],
            "low": low,
            "high": high,
        }
    return result
