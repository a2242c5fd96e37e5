"""Benchmarks as what Inspect asks, its samples as what our judge and rules read, and their scores.

Nothing here needs Inspect: `registry` makes tasks and scorers of these.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...api.chats import BENCHMARK
from ...api.settings import requested, typed_settings
from ...errors import UsageError
from ...judges.judge import Pair
from ...judges.respondent import OPTION, RULES, read_text
from ...judges.rubric import Rubric
from ...languages import language_code
from ...pipeline.chosen import choose
from ...pipeline.judged_rows import defaults_of, pair_of
from ...pipeline.requested import requested_benchmarks
from ...reasons import Reason
from ...records.answered import Answered
from ...records.config import RunConfig
from ...records.item import Item, Option, Turn
from ...records.judgement import Judgement
from ...records.judgements import counted_verdicts
from ...records.response import Response

OPTIONS = "options"
"""The metadata in which a prompt has what can be chosen, each a letter and a text."""

_DESCRIBED = ("language", "area", "category", "source_category")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as a sample of a task: what is asked, the key if there is one, where it stands."""

    id: str
    input: str | list[dict[str, str]]
    target: str
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered in a sample: all that was said before, and the text.

    `failed` is why there is none.
    """

    id: str
    conversation: tuple[Turn, ...]
    text: str | None
    failed: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


def prompts_of(benchmark: str, **settings: Any) -> list[Prompt]:
    """The prompts of a benchmark that a run with these settings would ask.

    A `UsageError` names the nearest benchmark or setting, and one that brings its answers along.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    if isinstance(given.get("limit"), int):
        given["limit"] = {benchmark: given["limit"]}
    # Inspect makes a number of a single one, and a list of several
    if (variants := given.get("variants")) is not None:
        several = variants if isinstance(variants, list | tuple) else [variants]
        given["variants"] = ",".join(str(each) for each in several)
    config = requested(typed_settings({"benchmark": benchmark, **given}), RunConfig())
    items = choose(config, requested_benchmarks(config)).items
    if any(item.response is not None for item in items):
        raise UsageError(f"{benchmark} brings its answers along; no model is asked")
    return [
        Prompt(
            ":".join(filter(None, item.key[1:])), _input(item), item.answer or "", metadata_of(item)
        )
        for item in items
    ]


def metadata_of(item: Item) -> dict[str, Any]:
    """By what a prompt is known again, its place in the taxonomy, what can be chosen.

    A facet has its own name, unless one of these is called so.
    """
    described = {name: getattr(item, name) for name in _DESCRIBED}
    described[OPTIONS] = [list(option) for option in item.options]
    known = {**item.facets, **described, **item.key._asdict()}
    return {name: value for name, value in known.items() if value}


def read_answer(answer: Answer, target: str, criterion: str) -> Judgement:
    """What the rule reads in the answer: an option, or a degree of acceptability."""
    if criterion not in RULES:
        known = ", ".join(RULES)
        raise UsageError(f"no rule reads {criterion!r} in an answer; the criteria are {known}")
    meta = answer.metadata
    item = Item(
        benchmark=str(meta.get("benchmark", "")),
        item_id=str(meta.get("item_id", answer.id)),
        variant_id=str(meta.get("variant_id", "")),
        scale_order=str(meta.get("scale_order", "")),
        messages=answer.conversation,
        language=language_code(str(meta.get("language") or "")),
        options=tuple(Option(*map(str, each)) for each in meta.get(OPTIONS) or ()),
        answer=target or None,
    )
    if criterion == OPTION and not item.options:
        raise UsageError(
            f"sample {answer.id} has no options to choose from: its metadata needs {OPTIONS}, "
            "pairs of letter and text"
        )
    reason = Reason.CALL_FAILED if answer.failed else None
    return read_text(item, criterion, Response.to(item, answer.text, reason=reason))


def judged_pair(answer: Answer, rubric: Rubric, *, category: str, language: str) -> Pair:
    """What a judge is asked about an answer; the metadata of these names have the two.

    Empty or missing they are the rubric's own; an unknown category is a `DataError`.
    """
    meta = answer.metadata
    chat = Answered(
        messages=answer.conversation,
        response=answer.text,
        language=language_code(str(meta.get(language) or "")),
        category=str(meta.get(category) or ""),
        failed=answer.failed is not None,
    )
    return pair_of(
        chat,
        rubric,
        defaults_of(rubric),
        benchmark=BENCHMARK,
        item_id=answer.id,
        place=f"sample {answer.id}",
    )


def _input(item: Item) -> str | list[dict[str, str]]:
    """What is asked: a text, or a conversation where there is more than one turn."""
    if len(item.messages) == 1 and item.messages[0].role == "user":
        return item.question
    return [turn._asdict() for turn in item.messages] or ""


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
