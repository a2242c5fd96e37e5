"""Twenty fixed answers that every run judges anew, and whether a judge has changed by them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DataError
from ...files import hash_value
from ...records.integrity import JUDGING
from ...records.item import Item, Turn
from ...records.judging import FixedAnswersJudged, FixedVerdict
from ...records.provenance import Identity
from ...records.run import Run
from ...yaml import load_yaml
from ..judge import LoadedJudge
from .answers import fit

FILE = Path(__file__).parent / "data" / "fixed_answers.yaml"


@dataclass(frozen=True, slots=True)
class FixedAnswer:
    """One fixed question and answer, of one of CFSafety's categories."""

    id: str
    category: str
    language: str
    question: str
    response: str


@cache
def fixed_answers() -> tuple[FixedAnswer, ...]:
    """The fixed answers."""
    return load_yaml(FILE, tuple[FixedAnswer, ...])


@cache
def set_hash() -> str:
    """The SHA-256 of the fixed answers: values of another set are not compared."""
    return hash_value([asdict(fixed) for fixed in fixed_answers()])


def judged_fixed_answers(judge: LoadedJudge, identity: Identity) -> tuple[FixedAnswersJudged, ...]:
    """What the judge says of the fixed answers, once for each rubric and set of criteria.

    `identity` is that of the judge's engine. A category that a rubric does not know is asked about
    in its fallback category.
    """
    # asked in the channel that counts alone: two verdicts on one answer are no drift
    judge = judge.counting
    results: dict[str, FixedAnswersJudged] = {}
    for benchmark, questions in judge.questions.items():
        criteria = tuple(questions.criteria)
        # a change of any of these is not to be taken for drift
        question = {
            "judge": dict(identity),
            "rubric_hash": questions.hash,
            "criteria": list(criteria),
            "label_orders": judge.label_orders,
            "channels": list(judge.channels),
        }
        name = hash_value(question)
        if name in results:
            continue
        about = [
            (fit(_item(fixed, benchmark), questions.rubric), fixed.response)
            for fixed in fixed_answers()
        ]
        rows = tuple(
            FixedVerdict(fixed.id, criterion, result.probs, result.coverage, result.reason)
            for fixed, several in zip(fixed_answers(), judge.ask(about), strict=True)
            for criterion, result in zip(questions.criteria, several, strict=True)
        )
        results[name] = FixedAnswersJudged(
            of=name,
            set=set_hash(),
            rubric=questions.rubric.name,
            judge=dict(identity),
            rubric_hash=questions.hash,
            criteria=criteria,
            label_orders=judge.label_orders,
            rows=rows,
        )
    return tuple(results.values())


def _item(fixed: FixedAnswer, benchmark: str) -> Item:
    return Item(
        benchmark=benchmark,
        item_id=fixed.id,
        messages=(Turn("user", fixed.question),),
        language=fixed.language,
        category=fixed.category,
    )


TOLERANCE: Mapping[str, float] = {"float32": 1e-3, "float16": 0.016, "bfloat16": 0.125}
"""The greatest change of a label's probability that is put down to rounding, by dtype.

For half precision four times the spacing of logits from 16 to 32 (2⁻⁶ and 2⁻³) at the steepest
place of a probability, slope ¼: 16 · 2⁻¹⁰ and 16 · 2⁻⁷. In float32 that would be 2 · 10⁻⁶; what
counts there is the order of the sums in another batch, kernel or device, for which it is 10⁻³.
"""
EXACT = "float32"

_ALIKE = ("set", "rubric_hash", "label_orders")
"""What two judgings of fixed answers have in common that are compared."""


@dataclass(frozen=True, slots=True)
class Drifted:
    """One criterion's answer about one fixed answer that has changed, by how much at most."""

    id: str
    criterion: str
    label: int | None
    before: float | None
    after: float | None
    change: float | None


@dataclass(frozen=True, slots=True)
class RubricDrift:
    """One rubric's fixed answers in two runs; `changed` are fields of the judge's identity."""

    rubric: str
    rubric_hash: str
    dtype: str
    tolerance: float
    compared: int
    largest: float
    changed: Mapping[str, tuple[Any, Any]]
    drifted: tuple[Drifted, ...]


@dataclass(frozen=True, slots=True)
class Drift:
    """What the fixed answers of two runs say; `same` is whether nothing has drifted."""

    first: str
    second: str
    same: bool
    rubrics: tuple[RubricDrift, ...]
    not_alike: tuple[str, ...]


def read_fixed_answers(run: Path) -> tuple[FixedAnswersJudged, ...]:
    """What the judge said of the fixed answers in the run."""
    judging = Run.open(run).judging
    if judging is None:
        raise DataError(f"{run} has no {JUDGING}: judge the run again")
    if not judging.fixed_answers:
        raise DataError(f"{run / JUDGING} has no fixed answers")
    return judging.fixed_answers


def check_drift(
    first: Sequence[FixedAnswersJudged],
    second: Sequence[FixedAnswersJudged],
    *,
    names: tuple[str, str],
) -> Drift:
    """The fixed answers of the second run against those of the first."""
    rubrics, not_alike = [], []
    for after in second:
        # a criterion's question does not hang on which other criteria are asked
        alike = (
            before
            for before in first
            if all(getattr(before, name) == getattr(after, name) for name in _ALIKE)
            and set(before.criteria) & set(after.criteria)
        )
        before = next(alike, None)
        if before is None:
            not_alike.append(f"{after.rubric} {after.rubric_hash[:12]}")
        else:
            rubrics.append(_compare(before, after))
    if not rubrics:
        raise DataError(
            f"{names[0]} and {names[1]} have no fixed answers that were judged alike: the rubric, "
            "its criteria, the order of labels or the set of answers differs"
        )
    same = not any(rubric.drifted for rubric in rubrics)
    return Drift(names[0], names[1], same, tuple(rubrics), tuple(not_alike))


def tolerance_of(*dtypes: str | None) -> tuple[str, float]:
    """The coarsest of the dtypes and its tolerance; an unknown one is taken as float32.

    >>> tolerance_of("float32", "bfloat16"), tolerance_of(None)
    (('bfloat16', 0.125), ('float32', 0.001))
    """
    names = [name for name in dtypes if name in TOLERANCE] or [EXACT]
    coarsest = max(names, key=lambda name: TOLERANCE[str(name)])
    return str(coarsest), TOLERANCE[str(coarsest)]


def _compare(before: FixedAnswersJudged, after: FixedAnswersJudged) -> RubricDrift:
    dtype, tolerance = tolerance_of(before.judge.get("dtype"), after.judge.get("dtype"))
    old = {(row.id, row.criterion): row for row in before.rows}
    shared = [(old[key], row) for row in after.rows if (key := (row.id, row.criterion)) in old]
    # what could be read neither before nor after has not changed
    moves = [_moved(*pair) for pair in shared if any(row.probs is not None for row in pair)]
    drifted = [each for each in moves if each.change is None or each.change > tolerance]
    # what was lost or won altogether stands before any change of a probability
    drifted.sort(key=lambda moved: -(2.0 if moved.change is None else moved.change))
    return RubricDrift(
        rubric=after.rubric,
        rubric_hash=after.rubric_hash,
        dtype=dtype,
        tolerance=tolerance,
        compared=len(shared),
        largest=max((moved.change or 0.0 for moved in moves), default=0.0),
        changed={
            name: (before.judge.get(name), after.judge.get(name))
            for name in dict.fromkeys((*before.judge, *after.judge))
            if before.judge.get(name) != after.judge.get(name)
        },
        drifted=tuple(drifted),
    )


def _moved(before: FixedVerdict, after: FixedVerdict) -> Drifted:
    """The label that has changed most; without a change where one of the two could not be read."""
    if before.probs is None or after.probs is None:
        old, new = (None if each.probs is None else 1.0 for each in (before, after))
        return Drifted(after.id, after.criterion, None, old, new, None)
    moves = np.abs(np.array(after.probs) - np.array(before.probs))
    at = int(moves.argmax())
    change = float(moves[at])
    return Drifted(after.id, after.criterion, at, before.probs[at], after.probs[at], change)
