"""Graded answers as a judge has judged them, as a run that stands in no folder."""

from collections.abc import Iterable

from normscope.records.integrity import ITEMS, JUDGEMENTS
from normscope.records.item import SCHEMA as ITEM_SCHEMA
from normscope.records.item import Item, Turn
from normscope.records.judgement import SCHEMA, Judgement, Source
from normscope.records.model_spec import ModelSpec
from normscope.records.response import ResponseKey
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.records.tables import to_table

LABELS = ("1", "2", "3", "4", "5")
Rated = tuple[Item, float | None]
"""An answer, and the judge's rating of it; null: unscored."""


def rated(
    question: str, grade: int, rating: float | None, *, language: str = "en", category: str = "x"
) -> Rated:
    """An answer of this grade to a question."""
    item = Item(
        benchmark="b",
        item_id=f"{question}-{language}-{grade}",
        messages=(Turn("user", "?"),),
        language=language,
        category=category,
        cluster=question,
        response="!",
        facets={"grade": str(grade)} if grade else {},
    )
    return item, rating


def rated_run(answers: Iterable[Rated], name: str = "toy") -> Run:
    """The run whose judge has rated the answers so."""
    items, judgements = [], []
    for item, value in answers:
        items.append(item)
        nearest = min(LABELS, key=lambda label: abs(int(label) - (value or 0)))
        probs = None if value is None else tuple(float(label == nearest) for label in LABELS)
        key = ResponseKey(*item.key)
        judgements.append(Judgement(key, "rating", Source.JUDGE_LOGITS, LABELS, probs, value))
    return Run(
        name,
        Settings(judge=ModelSpec(name)),
        contents={ITEMS: to_table(items, ITEM_SCHEMA), JUDGEMENTS: to_table(judgements, SCHEMA)},
    )
