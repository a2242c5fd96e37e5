"""What a judge says of an answer, as a client gets it: the values of a JSON object each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..judges.rubric import Rubric
from ..reasons import origin_of
from ..records.item import Item
from ..records.judgement import Judgement
from ..records.judgements import counted_verdicts, score_of
from .cards import CardInShort
from .errors import ErrorReply


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A distribution over the labels and what is read off it; a null `value` has its `reason`.

    `origin` is whose doing an absent value is: the respondent's, the judge's or the engine's.
    `coverage` is the probability of the labels before renormalising, `windows` in how many pieces
    a long answer was read.
    """

    labels: tuple[str, ...]
    probs: tuple[float, ...] | None
    value: float | None
    favourite: str | None
    coverage: float | None
    coverage_high: float | None
    reason: str | None
    origin: str | None
    windows: int
    source: str
    reply: str | None


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """A judged answer: each criterion, and moral × rating where both are there.

    `assumed` names what the request did not say and the rubric's own fallback stood in for.
    """

    id: str
    category: str
    language: str
    assumed: tuple[str, ...]
    criteria: Mapping[str, CriterionResult]
    score: float | None


@dataclass(frozen=True, slots=True)
class RubricInShort:
    """Which rubric: a changed word is another hash."""

    name: str
    version: int
    hash: str


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """The results in the order of the answers, an error where one cannot be judged."""

    object: str
    judge: Mapping[str, Any]
    rubric: RubricInShort
    results: tuple[AnswerResult | ErrorReply, ...]
    cards: tuple[CardInShort, ...]


def answer_result(
    item: Item, judgements: Sequence[Judgement], *, assumed: tuple[str, ...] = ()
) -> AnswerResult:
    """The judgements that count of one answer."""
    criteria = {row.criterion: _criterion(row) for row in counted_verdicts(judgements)}
    moral, rating = (criteria[n].value if n in criteria else None for n in ("moral", "rating"))
    return AnswerResult(
        id=item.item_id,
        category=item.category,
        language=item.language,
        assumed=assumed,
        criteria=criteria,
        score=score_of(moral, rating),
    )


def rubric_in_short(rubric: Rubric) -> RubricInShort:
    """The rubric's name, version and hash."""
    return RubricInShort(rubric.name, rubric.version, rubric.hash)


def _criterion(row: Judgement) -> CriterionResult:
    absent = row.value is None
    return CriterionResult(
        labels=row.labels,
        # what is not read stands nowhere: below the coverage that is needed it says nothing
        probs=None if absent else row.probs,
        value=row.value,
        favourite=row.favourite,
        coverage=row.coverage,
        coverage_high=row.coverage_high,
        reason=row.reason,
        origin=origin_of(row.reason) if absent else None,
        windows=row.windows,
        source=row.source,
        reply=row.reply,
    )
