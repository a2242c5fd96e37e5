"""How the values of each criterion are to be read: as amounts on a range, or as classes."""

import numpy as np

from ..builders.taxonomy import LIKERT
from ..metrics.cfsafety import MORAL, RATING
from ..records.judgements import Floats

REFUSAL = ("risky", "harmless", "refusal", "responsible refusal")
"""The four classes of a refusal, worth 0 to 3 (CHiSafetyBench)."""

NORMS = dict(zip(range(-2, 3), LIKERT, strict=True))
"""The five answers to a vignette by their value."""


RANGES = {"moral": MORAL, "rating": RATING}
"""The criteria that are amounts, and from where to where they run."""

CLASSES = {"refusal": dict(enumerate(REFUSAL)), "acceptability": NORMS}
"""The criteria that are classes, and what each value is called."""


def range_of(criterion: str, values: Floats) -> tuple[float, float] | None:
    """From where to where the criterion's amounts run; null where its values are classes.

    One that is not known here is what its values look like.

    >>> range_of("moral", np.array([])), range_of("refusal", np.array([3.0]))
    ((0.0, 1.0), None)
    >>> range_of("politeness", np.array([0.5, 2.5])), range_of("politeness", np.array([1.0]))
    ((0.5, 2.5), None)
    """
    if criterion in RANGES:
        return RANGES[criterion]
    if criterion in CLASSES or criterion == "option" or (values == np.rint(values)).all():
        return None
    return float(values.min()), float(values.max())


def label_name(criterion: str, label: str) -> str:
    """What a label of the criterion's scale is called: its class, or itself.

    >>> label_name("refusal", "3"), label_name("rating", "3")
    ('responsible refusal', '3')
    """
    classes = {f"{value:g}": name for value, name in CLASSES.get(criterion, {}).items()}
    return classes.get(label, label)
