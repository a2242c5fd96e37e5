"""The numbers over answers that a judge has judged outside of a run: in a file, or in Python."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..judges.judge import Questions
from ..judges.rubric_choice import is_usual
from ..metrics.criterion import criterion_score
from ..metrics.estimate import Statistic
from ..metrics.registry import measures_of
from ..records.item import Item
from ..records.judgements import counted_verdicts
from .judged_rows import Judged


def statistics(questions: Questions, items: Sequence[Item], judged: Judged) -> Iterator[Statistic]:
    """The benchmarks' own statistics (`MEASURES`), of other criteria the level and the shares.

    Overall, and by category and language where the answers differ in them. A criterion that is
    only called like a benchmark's, on another scale or read in another way, is one of the others.
    Answers to one question are not independent: the intervals take them as one cluster.
    """
    rows = [{each.criterion: each for each in counted_verdicts(several)} for several in judged]
    common: dict[str, Any] = {
        "clusters": ["\n".join(turn.content for turn in item.messages) for item in items],
        "groups": groups_of(items),
    }
    values = {name: [row[name].value for row in rows] for name in questions.criteria}
    reasons = {name: [row[name].reason for row in rows] for name in questions.criteria}
    rest = dict(questions.criteria)
    usual = [name for name, criterion in rest.items() if is_usual(name, criterion)]
    for measure in measures_of(usual):
        if measure.statistics is not None:
            first, *_ = names = measure.criteria
            yield from measure.statistics(
                *(values[name] for name in names), reasons=reasons[first], **common
            )
            rest = {name: criterion for name, criterion in rest.items() if name not in names}
    for name, criterion in rest.items():
        yield from criterion_score(
            values[name],
            [row[name].favourite for row in rows],
            name=name,
            labels=criterion.scale.labels,
            worth=criterion.scale.values,
            reasons=reasons[name],
            **common,
        )


def groups_of(items: Sequence[Item]) -> dict[str, list[str]]:
    """Category and language, where the answers differ in them."""
    members = {
        "category": [item.category for item in items],
        "language": [item.language for item in items],
    }
    return {name: of for name, of in members.items() if len(set(of)) > 1}
