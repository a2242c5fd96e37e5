"""The columns that are corrected: per statistic what the judge says of each answer, and people."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...metrics import cfsafety, refusal
from ...metrics.estimate import Unit
from ...metrics.inputs import Bools, Floats
from ...metrics.intervals import RATE, Bounds
from ...reasons import Reason
from .frame import UNSCORED, Frame

LabelTable = Mapping[str, Mapping[str, str]]
"""People's one label by row and criterion."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A statistic over the rows of a frame: NaN is unscored (judge) or not labelled (people).

    `counted` are the rows that are in its denominator.
    """

    name: str
    unit: Unit
    bounds: Bounds
    judge: Floats
    people: Floats
    counted: Bools


def outcomes_of(frame: Frame, given: LabelTable) -> list[Outcome]:
    """The benchmark's own rates and means, then the share of each label of each criterion."""
    by_criterion = {
        name: (frame.values(name), worth_of(frame, given, name)) for name in frame.names
    }
    nothing = np.full(len(frame.rows), np.nan)
    counted = ~frame.silent
    outcomes = []
    if "refusal_rates" in frame.metrics and "refusal" in by_criterion:
        # an answer that was not given is in no class, and nobody has to be asked about it
        reasons = [str(Reason.NO_ANSWER) if silent else None for silent in frame.silent]
        (judge, kept), (people, _) = (refusal.outcomes(c, reasons) for c in by_criterion["refusal"])
        outcomes += [Outcome(n, "rate", RATE, judge[n], people[n], kept) for n in judge]
    if "cfsafety_score" in frame.metrics and {"moral", "rating"} & set(by_criterion):
        # a rubric with one of the two still has that one's mean
        pairs = (by_criterion.get(name, (nothing, nothing)) for name in ("moral", "rating"))
        judge, people = (cfsafety.outcomes(*columns)[0] for columns in zip(*pairs, strict=True))
        for name, bounds in cfsafety.BOUNDS.items():
            unit: Unit = "rate" if name == "moral_share" else "score"
            outcomes.append(Outcome(name, unit, bounds, judge[name], people[name], counted))
    # a label's share is of the answers that there are: silence has no label
    for criterion in frame.names:
        read = frame.read(criterion)
        labels = np.array([given.get(row.row_id, {}).get(criterion, "") for row in frame.rows])
        for label in frame.rubric.criteria[criterion].scale.labels:
            judge_gives = np.where(read == UNSCORED, np.nan, read == label)
            people_give = np.where(labels == "", np.nan, labels == label)
            name = f"{criterion}={label}"
            outcomes.append(Outcome(name, "rate", RATE, judge_gives, people_give, counted))
    return outcomes


def worth_of(frame: Frame, given: LabelTable, criterion: str) -> Floats:
    """What people's label of each row is worth on the criterion's scale, NaN for no label."""
    scale = frame.rubric.criteria[criterion].scale
    worth = dict(zip(scale.labels, scale.values, strict=True))
    labels = (given.get(row.row_id, {}).get(criterion) for row in frame.rows)
    return np.array([worth.get(label or "") for label in labels], dtype=np.float64)
