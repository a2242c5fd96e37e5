"""What a judge brings along, as `judging.json` keeps it beside the judgements."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..files import read_json, typed_of_file
from ..reasons import Reason
from .provenance import Identity


@dataclass(frozen=True, slots=True)
class CriterionUsed:
    """A criterion that a benchmark was judged by: of which rubric, on which scale, how read."""

    benchmark: str
    rubric: str
    rubric_version: int
    rubric_hash: str
    criterion: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    read: Literal["mean", "mode"]


@dataclass(frozen=True, slots=True)
class OrderBias:
    """How much higher a criterion's expected value is with the labels as given than reversed."""

    benchmark: str
    criterion: str
    n: int
    shift: float
    low: float | None
    high: float | None
    level: float
    method: str | None
    mean_absolute_shift: float


@dataclass(frozen=True, slots=True)
class InWindows:
    """How many of a benchmark's responses were judged in several windows, and in how many."""

    benchmark: str
    responses: int
    in_several_windows: int
    most_windows: int


@dataclass(frozen=True, slots=True)
class FixedVerdict:
    """What the judge says of one fixed answer under one criterion."""

    id: str
    criterion: str
    probs: tuple[float, ...] | None
    coverage: float | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class FixedAnswersJudged:
    """The fixed answers under one rubric and some of its criteria.

    `of` is the hash of what makes them comparable but for the `set` of answers, which is a hash
    itself: the judge's identity, the rubric, its criteria and the order of labels.
    """

    of: str
    set: str
    rubric: str
    judge: Identity
    rubric_hash: str
    criteria: tuple[str, ...]
    label_orders: str
    rows: tuple[FixedVerdict, ...]


@dataclass(frozen=True, slots=True)
class Judging:
    """The criteria of a judging, and what the judge brings along under them."""

    label_orders: Literal["given", "both"] = "given"
    min_coverage: float = 0.0
    channels: tuple[str, ...] = ("labels",)
    criteria: tuple[CriterionUsed, ...] = ()
    order_bias: tuple[OrderBias, ...] = ()
    windows: tuple[InWindows, ...] = ()
    fixed_answers: tuple[FixedAnswersJudged, ...] = ()

    @property
    def failed(self) -> int:
        """How many of the prompts that need no response are unanswered because a call failed."""
        verdicts = (row for judged in self.fixed_answers for row in judged.rows)
        return sum(row.reason == Reason.CALL_FAILED for row in verdicts)


def read_judging(path: Path) -> Judging:
    """What the file keeps; a `DataError` names what is wrong with a damaged one."""
    return typed_of_file(Judging, read_json(path), path=path, remedy="judge anew")
