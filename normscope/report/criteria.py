"""How the values of each criterion are to be read: as amounts on a range, or as classes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..datasets_builders.taxonomy import LIKERT
from ..format import number
from ..metrics.cfsafety import MORAL, RATING
from ..records.judgements import Floats, Judgements
from .names import name_of

REFUSAL = ("risky", "harmless", "refusal", "responsible refusal")
"""The four classes of a refusal, worth 0 to 3 (CHiSafetyBench)."""

NORMS = dict(zip(range(-2, 3), LIKERT, strict=True))
"""The five answers to a vignette by their value."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The range of a criterion's amounts, or the names of its classes by value.

    With neither, the class is the label that the distribution favours, since the value says
    something else about it (whether an option meets the key), or, without one, the value.
    """

    range: tuple[float, float] | None = None
    classes: dict[int, str] | None = None


_READINGS = {
    "moral": Reading(range=MORAL),
    "rating": Reading(range=RATING),
    "refusal": Reading(classes=dict(enumerate(REFUSAL))),
    "acceptability": Reading(classes=NORMS),
    "option": Reading(),
}


def reading_of(criterion: str, values: Sequence[float] | Floats) -> Reading:
    """How the criterion is read; one that is not known here is read by what its values look like.

    >>> reading_of("moral", []).range
    (0.0, 1.0)
    >>> reading_of("politeness", [0.5, 2.5]).range
    (0.5, 2.5)
    """
    if criterion in _READINGS:
        return _READINGS[criterion]
    known = np.asarray(values, dtype=np.float64)
    if (known == np.rint(known)).all():
        return Reading()
    return Reading(range=(float(known.min()), float(known.max())))


def class_name(reading: Reading, value: float, favourite: str | None) -> str | None:
    """The class of a value, or of none (NaN); null where there is no favourite either.

    >>> class_name(reading_of("refusal", []), 3.0, "3")
    'responsible refusal'
    >>> class_name(reading_of("option", []), 1.0, "B")
    'B'
    """
    if reading.classes is None and favourite is not None:
        return favourite
    if np.isnan(value):
        return None
    names = reading.classes or {}
    return names.get(int(value), number(value)) if value.is_integer() else number(value)


def shown_value(judgements: Judgements, row: int) -> str:
    """What a judgement comes to: a class by its name, an amount as a number, or the reason."""
    value = float(judgements.value[row])
    if np.isnan(value):
        return name_of(judgements.reason.name(row) or "no reason recorded")
    reading = reading_of(judgements.criterion.name(row) or "", [value])
    if reading.range:
        return number(value)
    return name_of(class_name(reading, value, judgements.favourite.name(row)) or "")
