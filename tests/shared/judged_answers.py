"""Answers as a judge has judged them, without a run."""

from normscope.judges.trust.answers import JudgedAnswer
from normscope.records.item import Item, Turn
from normscope.records.judgement import Judgement, Source
from normscope.records.response import ResponseKey

LABELS = {"moral": ("0", "1"), "rating": ("1", "2", "3", "4", "5"), "refusal": tuple("0123")}


def judged_answer(
    item_id: str,
    values: dict[str, float | None],
    *,
    benchmark: str = "b",
    language: str = "en",
    category: str = "x",
    cluster: str = "",
    given: bool = False,
    facets: dict[str, str] | None = None,
) -> JudgedAnswer:
    """`given` is whether the benchmark brought the answer along, else the model wrote it."""
    item = Item(
        benchmark,
        item_id,
        (Turn("user", "?"),),
        language,
        category=category,
        cluster=cluster,
        response="!" if given else None,
        facets=facets or {},
    )
    judgements = {name: _judgement(item, name, value) for name, value in values.items()}
    return JudgedAnswer(item, judgements)


def _judgement(item: Item, criterion: str, value: float | None) -> Judgement:
    labels = LABELS[criterion]
    probs = None
    if value is not None:
        nearest = min(labels, key=lambda label: abs(int(label) - value))
        probs = tuple(float(label == nearest) for label in labels)
    key = ResponseKey(*item.key)
    return Judgement(key, criterion, Source.JUDGE_LOGITS, labels, probs, value)
