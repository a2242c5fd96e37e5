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
from ..rubric import Rubric

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
    return hash_value([asdict(one) for one in fixed_answers()])


def judged_fixed_answers(judge: Judge, identity: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the judge says of the fixed answers under each rubric that it has: JSON values.

    `identity` is that of the judge's engine.

    One entry per rubric and set of criteria, named by `of`: the hash of the judge's identity, the
    rubric and the order of labels, so that a change of any of these is not taken for drift. A
    category that a rubric does not know is asked about in its fallback category.
    """
    found: dict[str, dict[str, Any]] = {}
    for benchmark, asks in judge.questions.items():
        told = {
            "judge": dict(identity),
            "rubric_hash": asks.hash,
            "criteria": list(asks.criteria),
            "label_orders": judge.label_orders,
        }
        name = hash_value(told)
        if name in found:
            continue
        about = [(_item(one, benchmark, asks.rubric), one.response) for one in fixed_answers()]
        rows = [
            {
                "id": one.id,
                "criterion": criterion,
                "probs": None if read.probs is None else list(read.probs),
                "coverage": read.coverage,
                "reason": read.reason,
            }
            for one, reads in zip(fixed_answers(), judge.ask(about), strict=True)
            for criterion, read in zip(asks.criteria, reads, strict=True)
        ]
        found[name] = {"of": name, "set": set_hash(), "rubric": asks.rubric.name, **told}
        found[name] |= {"rows": rows}
    return list(found.values())


def _item(one: FixedAnswer, benchmark: str, used: Rubric) -> Item:
    known: Mapping[str, Any] = used.categories
    category = one.category
    if known and category not in known:
        category = used.fallback_category or next(iter(known))
    return Item(
        benchmark=benchmark,
        item_id=one.id,
        messages=(Turn("user", one.question),),
        language=one.language,
        category=category,
    )
