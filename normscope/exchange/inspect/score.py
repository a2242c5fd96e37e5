"""Judgements as Inspect's scores: what is unscored is NaN, which Inspect's metrics leave out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...reasons import Reason
from ...records.judgement import Judgement
from ...records.judgements import counted_verdicts


@dataclass(frozen=True, slots=True)
class Score:
    """A score of a sample; `value` is NaN where it is unscored, and `explanation` says why."""

    value: float
    answer: str | None
    explanation: str | None
    metadata: dict[str, Any]


def score_of(judgement: Judgement) -> Score:
    """The judgement as a score: its value, likeliest label, and in metadata how it came about.

    >>> from normscope.records.judgement import Source
    >>> from normscope.records.response import ResponseKey
    >>> score = score_of(Judgement(ResponseKey("b", "1"), "moral", Source.JUDGE_LOGITS, ("0", "1"),
    ...                            probs=(0.25, 0.75), value=0.75, coverage=0.9))
    >>> score.value, score.answer, score.metadata["distribution"]
    (0.75, '1', {'0': 0.25, '1': 0.75})
    """
    probs, reason = judgement.probs, judgement.reason
    known = {
        "criterion": judgement.criterion,
        "source": str(judgement.source),
        "distribution": None if probs is None else dict(zip(judgement.labels, probs, strict=True)),
        "coverage": judgement.coverage,
        "windows": judgement.windows if judgement.windows > 1 else None,
        "judge": judgement.judge,
        "rubric_hash": judgement.rubric_hash,
        "unscored": None if reason is None else str(reason),
        "whose": None if reason is None else str(Reason(reason).origin),
    }
    return Score(
        value=math.nan if judgement.value is None else judgement.value,
        answer=judgement.favourite,
        explanation=judgement.reply if reason is None else f"unscored: {reason}",
        metadata={name: value for name, value in known.items() if value is not None},
    )


def scores_of(judgements: Sequence[Judgement]) -> dict[str, Score]:
    """The scores of one response, by criterion; where there are moral and rating, their product."""
    scores = {each.criterion: score_of(each) for each in counted_verdicts(judgements)}
    if {"moral", "rating"} <= set(scores):
        moral, rating = scores["moral"], scores["rating"]
        absent = next((each for each in (moral, rating) if math.isnan(each.value)), None)
        why = "moral × rating" if absent is None else absent.explanation
        scores["score"] = Score(moral.value * rating.value, None, why, {})
    return scores
