"""What a judge says of the fixed answers, as `judging.json` keeps it beside the judgements."""

from dataclasses import dataclass
from pathlib import Path

from ..files import read_json, typed_of_file
from ..reasons import Reason
from .provenance import Identity


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
    """What the judge says of the fixed answers."""

    fixed_answers: tuple[FixedAnswersJudged, ...] = ()

    @property
    def failed(self) -> int:
        """How many of the prompts that need no response are unanswered because a call failed."""
        verdicts = (row for judged in self.fixed_answers for row in judged.rows)
        return sum(row.reason == Reason.CALL_FAILED for row in verdicts)


def read_judging(path: Path) -> Judging:
    """What the file keeps; a `DataError` names what is wrong with a damaged one."""
    return typed_of_file(Judging, read_json(path), path=path, remedy="judge anew")
