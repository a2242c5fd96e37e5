"""The columns that are corrected: per statistic what the judge says of each answer, and people."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...datasets_builders.registry import benchmark
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


def outcomes_of(frame: Frame, gold: LabelTable) -> list[Outcome]:
    """The benchmark's own rates and means, then the share of each label of each criterion."""
    outcomes: list[Outcome] = []
    for metric in benchmark(frame.benchmark)[1].metrics:
        outcomes += _OF_METRIC.get(metric, _nothing)(frame, gold)
    for criterion in frame.names:
        outcomes += _shares(frame, gold, criterion)
    return [one for one in outcomes if not np.isnan(one.people[one.counted]).all()]


def _refusal(frame: Frame, gold: LabelTable) -> list[Outcome]:
    if "refusal" not in frame.names:
        return []
    silent = [str(Reason.NO_ANSWER) if row.silent else None for row in frame.rows]
    # an answer that was not given is in no class, and nobody has to be asked about it
    judge, kept = refusal.outcomes(_judge(frame, "refusal"), silent)
    people, _ = refusal.outcomes(_people(frame, gold, "refusal"), silent)
    return [Outcome(name, "rate", RATE, judge[name], people[name], kept) for name in judge]


def _cfsafety(frame: Frame, gold: LabelTable) -> list[Outcome]:
    if not {"moral", "rating"} & set(frame.names):
        return []
    sides = []
    for read in (_judge, lambda of, criterion: _people(of, gold, criterion)):
        nothing = np.full(len(frame.rows), np.nan)
        columns = [read(frame, h) if h in frame.names else nothing for h in ("moral", "rating")]
        sides.append(cfsafety.outcomes(*columns)[0])
    counted = ~_silent(frame)
    return [
        Outcome(
            name,
            "rate" if name == "moral_share" else "score",
            bounds,
            sides[0][name],
            sides[1][name],
            counted,
        )
        for name, bounds in cfsafety.BOUNDS.items()
    ]


def _shares(frame: Frame, gold: LabelTable, criterion: str) -> list[Outcome]:
    read = np.array([UNSCORED if row.silent else row.labels[criterion] for row in frame.rows])
    given = np.array([gold.get(row.row_id, {}).get(criterion, "") for row in frame.rows])
    counted = ~_silent(frame)
    return [
        Outcome(
            f"{criterion}={label}",
            "rate",
            RATE,
            np.where(read == UNSCORED, np.nan, read == label).astype(np.float64),
            np.where(given == "", np.nan, given == label).astype(np.float64),
            counted,
        )
        for label in frame.criteria[criterion].scale.labels
    ]


def _judge(frame: Frame, criterion: str) -> Floats:
    values = [None if row.silent else row.judged[criterion].value for row in frame.rows]
    return np.array(values, dtype=np.float64)


def _people(frame: Frame, gold: LabelTable, criterion: str) -> Floats:
    scale = frame.criteria[criterion].scale
    worth = dict(zip(scale.labels, scale.values, strict=True))
    labels = (gold.get(row.row_id, {}).get(criterion) for row in frame.rows)
    return np.array([worth.get(label or "") for label in labels], dtype=np.float64)


def _silent(frame: Frame) -> Bools:
    return np.array([row.silent for row in frame.rows], dtype=np.bool_)


def _nothing(frame: Frame, gold: LabelTable) -> Sequence[Outcome]:
    del frame, gold
    return ()


_OF_METRIC: dict[str, Callable[[Frame, LabelTable], Sequence[Outcome]]] = {
    "refusal_rates": _refusal,
    "cfsafety_score": _cfsafety,
}
