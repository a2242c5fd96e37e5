"""How well a label is found, and whether a stated probability is the share that comes true.

F1, the area under the ROC curve (D. Bamber: "The area above the ordinal dominance graph", 1975, for
the area as a share of pairs), sensitivity and specificity. The expected calibration error is that
of C. Guo et al.: "On calibration of modern neural networks" (2017): Σ over bins n_b/n · |mean
stated − share that came true|. It is never negative, so chance alone lifts it above 0, the more the
fewer rows there are.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from .estimate import Estimate
from .groups import Clusters
from .inputs import Bools, Column, Floats, among, between, numbers, same_length
from .intervals import RATE, Codes
from .rates import rate


@dataclass(frozen=True, slots=True)
class ClassRates:
    """How often a label is given where people give it, and not given where they do not."""

    label: str
    sensitivity: Estimate
    specificity: Estimate


def f1_of(table: Floats, positive: Bools) -> Floats:
    """F1 = 2·TP / (2·TP + FP + FN) of the positive labels taken together; tables may be stacked.

    A table has the true labels in its rows and the given ones in its columns. NaN where nothing is
    positive, in truth or as given.

    >>> float(f1_of(np.array([[50, 10], [5, 35]]), np.array([False, True])))  # 70 / (70 + 10 + 5)
    0.8235294117647058
    """
    whole = np.asarray(table, dtype=np.float64)
    hits = whole[..., positive, :][..., positive].sum(axis=(-2, -1))
    either = whole[..., positive, :].sum(axis=(-2, -1)) + whole[..., positive].sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = 2 * hits / np.where(either > 0, either, np.nan)
    return result


def auc_of(net: Floats, positive: Floats, negative: Floats) -> Floats:
    """The area from the pairs ordered alike less those ordered unlike, and the two numbers."""
    pairs = positive * negative
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = (net / np.where(pairs > 0, pairs, np.nan) + 1) / 2
    return result


def class_rates(
    truth: Column,
    given: Column,
    *,
    labels: tuple[str, ...],
    clusters: Clusters | None = None,
) -> tuple[ClassRates, ...]:
    """Sensitivity and specificity of each label, with Wilson's interval (`rates.rate`).

    Labels are told by their places. A row without a given label is unscored: the lowest case counts
    it as wrong, the highest as right.

    >>> result = class_rates([0, 0, 1, 1], [0, 1, 1, None], labels=("a", "b"))
    >>> [(one.label, one.sensitivity.value, one.specificity.value) for one in result]
    [('a', 0.5, 1.0), ('b', 1.0, 0.5)]
    """
    same_length({"truth": truth, "given": given})
    known, labelled = numbers(truth, "truth"), numbers(given, "given")
    units = np.arange(len(known)) if clusters is None else np.array(list(clusters), dtype=object)
    result = []
    for place, label in enumerate(labels):
        is_it, predicted = known == place, np.where(np.isnan(labelled), np.nan, labelled == place)
        sensitivity, specificity = (
            rate(right[kept], clusters=units[kept])
            for right, kept in ((predicted, is_it), (1 - predicted, ~is_it & ~np.isnan(known)))
        )
        result.append(ClassRates(label, sensitivity, specificity))
    return tuple(result)


BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """The rows whose stated probability lies in [low, high): their mean, and what came true."""

    low: float
    high: float
    n: int
    stated: float | None
    observed: Estimate


def reliability_curve(
    stated: Column,
    came_true: Column,
    *,
    bins: int = BINS,
    clusters: Clusters | None = None,
) -> tuple[Bin, ...]:
    """The observed rate per bin of equal width of the stated probability; 1 is in the last bin.

    >>> [(one.n, one.observed.value) for one in reliability_curve([0.2, 0.3, 1], [0, 1, 1], bins=2)]
    [(2, 0.5), (1, 1.0)]
    """
    probs, truth = _checked(stated, came_true)
    units = np.arange(len(probs)) if clusters is None else np.array(list(clusters), dtype=object)
    same_length({"stated": probs, "clusters": units})
    present = ~(np.isnan(probs) | np.isnan(truth))
    probs, truth, units = probs[present], truth[present], units[present]
    place = bin_of(probs, bins)
    result = []
    for at in range(bins):
        rows = place == at
        mean = float(probs[rows].mean()) if rows.any() else None
        observed = rate(truth[rows], clusters=units[rows])
        result.append(Bin(at / bins, (at + 1) / bins, int(rows.sum()), mean, observed))
    return tuple(result)


def bin_of(probs: Floats, bins: int) -> Codes:
    """The place of each probability among bins of equal width."""
    if bins < 1:
        raise UsageError(f"{bins} bins: a reliability curve needs one or more")
    return np.minimum((probs * bins).astype(np.intp), bins - 1)


def binned(probs: Floats, truth: Floats, units: Codes, bins: int) -> Floats:
    """Σ (stated − true) of each unit in each bin: units × bins."""
    many = int(units.max(initial=-1)) + 1
    place = units * bins + bin_of(probs, bins)
    sums = np.bincount(place, weights=probs - truth, minlength=many * bins)
    return sums.reshape(many, bins).astype(np.float64)


def error_of(sums: Floats, n: Floats) -> Floats:
    """The expected calibration error from the sums per bin (resamples × bins) and the n of each."""
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.abs(sums).sum(axis=-1) / np.where(n > 0, n, np.nan)
    return result


def _checked(stated: Column, came_true: Column) -> tuple[Floats, Floats]:
    same_length({"stated": stated, "came_true": came_true})
    probs = between(numbers(stated, "stated"), "stated", *RATE)
    return probs, among(numbers(came_true, "came_true"), "came_true", RATE)
