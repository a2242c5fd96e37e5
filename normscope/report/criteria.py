"""What a judgement comes to, in words."""

import numpy as np

from ..format import number
from ..pipeline.criteria import class_name, range_of
from ..records.judgements import Judgements
from .names import name_of


def shown_value(judgements: Judgements, row: int) -> str:
    """What a judgement comes to: a class by its name, an amount as a number, or the reason."""
    value = float(judgements.value[row])
    if np.isnan(value):
        return name_of(judgements.reason.name(row) or "no reason recorded")
    criterion = judgements.criterion.name(row) or ""
    if range_of(criterion, judgements.value[[row]]):
        return number(value)
    return name_of(class_name(criterion, value, judgements.favourite.name(row)) or "")
