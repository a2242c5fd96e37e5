"""Twenty fixed answers that every run judges anew, so that a judge that has changed is noticed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...files import hash_value
from ...records.item import Item, Turn
from ...yaml import load_yaml
from ..judge import Judge
from .asking import fit

FILE = Path(__file__).parent / "data" / "fixed_answers.yaml"
KEY = "fixed_answers"
"""Where they stand in `judging.json`, and in a card's `settings`."""


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


def judged_fixed_answers(judge: Judge, identity: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the judge says of the fixed answers under each rubric that it has: JSON values.

    `identity` is that of the judge's engine.

    One entry per rubric and set of criteria, named by `of`: the hash of the judge's identity, the
    rubric and the order of labels, so that a change of any of these is not taken for drift. A
    category that a rubric does not know is asked about in its fallback category.
    """
    results: dict[str, dict[str, Any]] = {}
    for benchmark, questions in judge.questions.items():
        asked_as = {
            "judge": dict(identity),
            "rubric_hash": questions.hash,
            "criteria": list(questions.criteria),
            "label_orders": judge.label_orders,
        }
        name = hash_value(asked_as)
        if name in results:
            continue
        about = [
            (fit(_item(fixed, benchmark), questions.rubric), fixed.response)
            for fixed in fixed_answers()
        ]
        rows = [
            {
                "id": fixed.id,
                "criterion": criterion,
                "probs": None if result.probs is None else list(result.probs),
                "coverage": result.coverage,
                "reason": result.reason,
            }
            for fixed, several in zip(fixed_answers(), judge.ask(about), strict=True)
            for criterion, result in zip(questions.criteria, several, strict=True)
        ]
        results[name] = {
            "of": name,
            "set": set_hash(),
            "rubric": questions.rubric.name,
            **asked_as,
            "rows": rows,
        }
    return list(results.values())


def _item(fixed: FixedAnswer, benchmark: str) -> Item:
    return Item(
        benchmark=benchmark,
        item_id=fixed.id,
        messages=(Turn("user", fixed.question),),
        language=fixed.language,
        category=fixed.category,
    )
