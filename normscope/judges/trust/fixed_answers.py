"""Twenty fixed answers that every run judges anew, so that a judge that has changed is noticed."""

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from ...files import hash_value
from ...records.item import Item, Turn
from ...records.judging import FixedAnswersJudged, FixedVerdict
from ...records.provenance import Identity
from ...yaml import load_yaml
from ..judge import LoadedJudge
from .asking import fit

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
