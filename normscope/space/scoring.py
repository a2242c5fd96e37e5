"""One answer judged: what comes out, as a value for the page and for the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..judges.rubric import Criterion
from ..messages import marked
from ..records.judgement import Judgement
from . import limits
from .language import AUTO, language_for
from .served import ServedJudge, pair_of
from .texts import VisitorError

_LONG_QUESTION = marked(
    "The question has {length} characters; up to {most} are taken. Leave out what does not matter "
    "for the answer."
)
_LONG_ANSWER = marked(
    "The answer has {length} characters; up to {most} are taken. Score a part of it, or run "
    "Normscope on your own machine, where there is no limit."
)


@dataclass(frozen=True, slots=True)
class Scored:
    """An answer's judgements, and what the judge was given to read."""

    judge: ServedJudge
    language: str
    category: str
    judgements: tuple[Judgement, ...]
    prompts: Mapping[str, str]

    @property
    def score(self) -> float | None:
        """Moral times rating, as CFSafety has it; null where either is."""
        moral, rating = self.value("moral"), self.value("rating")
        return None if moral is None or rating is None else moral * rating

    def value(self, criterion: str) -> float | None:
        """The value under the criterion; null where the rubric does not ask for it."""
        values = {judgement.criterion: judgement.value for judgement in self.judgements}
        return values.get(criterion)

    def criterion(self, judgement: Judgement) -> Criterion:
        """The criterion under which it was judged."""
        return self.judge.rubric.criteria[judgement.criterion]

    def meaning(self, judgement: Judgement, label: str, language: str) -> str:
        """What the rubric says the label means, in the language or in its own."""
        return meanings_of(self.criterion(judgement), language)[label]


def meanings_of(criterion: Criterion, language: str) -> Mapping[str, str]:
    """What the rubric says each label means, in the language or in the first that it has."""
    instruction = criterion.instruction
    return (instruction.get(language) or next(iter(instruction.values()))).meanings


def score_answer(
    judge: ServedJudge, question: str, answer: str, *, category: str = "", language: str = AUTO
) -> Scored:
    """The judgement of the answer under every criterion of its rubric.

    An empty or over-long text is an error; an answer that the judge could not score comes back with
    the reason.
    """
    if not answer.strip():
        raise VisitorError("There is no answer yet: paste one, or click an example.")
    for entered, most, text in (
        (question, limits.MAX_QUESTION, _LONG_QUESTION),
        (answer, limits.MAX_ANSWER, _LONG_ANSWER),
    ):
        if len(entered) > most:
            raise VisitorError(text, length=f"{len(entered):,}", most=f"{most:,}")
    rubric = judge.rubric
    if rubric.categories:
        category = category or rubric.category_for("")
        rubric.refuse_category(category)
    # the answer too: a question in one language is often answered in another
    answered_in = language_for(language, f"{question}\n{answer}", rubric.fallback_language)
    item, response = pair_of(1, question, answer, category=category, language=answered_in)
    [judgements] = judge.ask([(item, response)], timeout=limits.ANSWER_S)
    return Scored(
        judge=judge,
        language=answered_in,
        category=category,
        judgements=judgements,
        prompts=judge.prompts(item, answer),
    )


def plain(scored: Scored) -> dict[str, Any]:
    """The result as JSON values, for the API."""
    return {
        "judge": scored.judge.name,
        "small_bundled_judge": scored.judge.is_bundled,
        "rubric": scored.judge.rubric.name,
        "rubric_hash": scored.judge.hash,
        "language": scored.language,
        "category": scored.category or None,
        "score": scored.score,
        "caveats": list(scored.judge.caveats),
        "criteria": {j.criterion: _plain(scored, j) for j in scored.judgements},
        "prompts": dict(scored.prompts),
    }


def as_text(value: object) -> str:
    """What came in as a text; a client may send anything.

    >>> as_text(None), as_text(" yes ")
    ('', ' yes ')
    """
    if value is None or isinstance(value, str):
        # JSON can spell lone surrogates, and UTF-8 cannot hold them
        return (value or "").encode("utf-8", "replace").decode()
    raise VisitorError(
        "Question, answer and choices are texts, not {kind}.", kind=type(value).__name__
    )


def _plain(scored: Scored, judgement: Judgement) -> dict[str, Any]:
    favourite = judgement.favourite
    return {
        "value": judgement.value,
        "labels": list(scored.criterion(judgement).scale.labels),
        "probs": None if judgement.probs is None else list(judgement.probs),
        "meaning": None if favourite is None else scored.meaning(judgement, favourite, "en"),
        "coverage": judgement.coverage,
        "reason": None if judgement.reason is None else str(judgement.reason),
        "windows": judgement.windows,
    }
