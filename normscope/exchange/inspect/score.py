"""Judgements as Inspect's scores of a sample.

What is unscored is NaN there, which Inspect's own metrics leave out, with `reason` in Inspect's
words and ours in `explanation` and `metadata`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ...reasons import Origin, Reason
from ...records.judgement import Judgement
from ...records.judgements import counted_verdicts

_NAN = float("nan")
_BY_REASON: Mapping[str, str] = MappingProxyType(
    {Reason.NO_ANSWER: "no_response", Reason.REFUSED_TO_CHOOSE: "refusal"}
)
_BY_ORIGIN: Mapping[Origin, str] = MappingProxyType(
    {
        Origin.RESPONDENT: "invalid_response_format",
        Origin.JUDGE: "grader_failed",
        Origin.ENGINE: "scoring_failed",
        Origin.SOURCE: "scoring_failed",
    }
)


@dataclass(frozen=True, slots=True)
class Score:
    """A score of a sample; `value` is NaN where it is unscored."""

    value: float
    answer: str | None
    explanation: str | None
    reason: str | None
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
        "coverage_high": judgement.coverage_high,
        "windows": judgement.windows if judgement.windows > 1 else None,
        "judge": judgement.judge,
        "rubric_hash": judgement.rubric_hash,
        "unscored": None if reason is None else str(reason),
        "whose": None if reason is None else str(Reason(reason).origin),
    }
    return Score(
        value=_NAN if judgement.value is None else judgement.value,
        answer=judgement.favourite,
        explanation=judgement.reply if reason is None else f"unscored: {reason}",
        reason=None if reason is None else inspects_reason(reason),
        metadata={name: value for name, value in known.items() if value is not None},
    )


def inspects_reason(reason: str) -> str:
    """Inspect's word for why there is no score: the model under test's doing, or the grader's.

    >>> inspects_reason("no_answer"), inspects_reason("low_coverage"), inspects_reason("off_scale")
    ('no_response', 'grader_failed', 'invalid_response_format')
    """
    return _BY_REASON.get(reason) or _BY_ORIGIN[Reason(reason).origin]


def scores_of(judgements: Sequence[Judgement]) -> dict[str, Score]:
    """The scores of one response, by criterion; of two channels the other is `<criterion>_text`.

    Where there are moral and rating, their product is a score, too: unscored where either is.
    """
    # what the model under test says of itself has one channel per response
    counted = {id(each) for each in counted_verdicts(judgements)}
    result = {
        each.criterion
        if id(each) in counted or not each.source.is_judge
        else f"{each.criterion}_text": score_of(each)
        for each in judgements
    }
    if {"moral", "rating"} <= set(result):
        result["score"] = _product(result["moral"], result["rating"])
    return result


def _product(moral: Score, rating: Score) -> Score:
    absent = next((each for each in (moral, rating) if each.reason is not None), None)
    kept = ("judge", "rubric_hash")
    return Score(
        value=moral.value * rating.value,
        answer=None,
        explanation="moral × rating" if absent is None else absent.explanation,
        reason=None if absent is None else absent.reason,
        metadata={name: moral.metadata[name] for name in kept if name in moral.metadata},
    )
