"""How well a label is found: F1, the area under the ROC curve, sensitivity and specificity.

D. Bamber: "The area above the ordinal dominance graph" (1975), for the area as a share of pairs.
"""

from dataclasses import dataclass

import numpy as np

from .estimate import Estimate
from .groups import Clusters
from .inputs import Bools, Column, Floats, numbers, same_length
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
    level: float = 0.95,
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
            rate(right[kept], clusters=units[kept], level=level)
            for right, kept in ((predicted, is_it), (1 - predicted, ~is_it & ~np.isnan(known)))
        )
        result.append(ClassRates(label, sensitivity, specificity))
    return tuple(result)
