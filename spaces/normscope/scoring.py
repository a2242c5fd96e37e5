"""One answer judged: what comes out, as a value for the page and for the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...judges.rubric_file import Criterion
from ...records.judgement import Judgement
from . import limits
from .judge import ServedJudge, pair_of
from .language import AUTO, language_for
from .words import Told


@dataclass(frozen=True, slots=True)
class Reading:
    """What the judge says under one criterion. Without a `value` there is a `reason`."""

    criterion: str
    asked: Criterion
    value: float | None
    probs: tuple[float, ...] | None
    coverage: float | None
    reason: str | None
    windows: int

    @property
    def favourite(self) -> str | None:
        """The label with the most probability; null where the answer is unscored."""
        if self.probs is None or self.value is None:
            return None
        return self.asked.scale.favourite(self.probs)

    def meaning(self, label: str, language: str) -> str:
        """What the rubric says the label means, in the language or in its own."""
        said = self.asked.instruction
        chosen = said.get(language) or next(iter(said.values()))
        return chosen.meanings[label]


@dataclass(frozen=True, slots=True)
class Scored:
    """An answer's readings, and what the judge was given to read."""

    judge: ServedJudge
    language: str
    found_out: bool
    category: str
    readings: tuple[Reading, ...]
    prompts: Mapping[str, str]

    @property
    def score(self) -> float | None:
        """Moral times rating, as CFSafety has it; null where either is."""
        values = {reading.criterion: reading.value for reading in self.readings}
        moral, rating = values.get("moral"), values.get("rating")
        return None if moral is None or rating is None else moral * rating


def score_answer(
    judge: ServedJudge, question: str, answer: str, *, category: str = "", language: str = AUTO
) -> Scored:
    """The judge's reading of the answer under every criterion of its rubric.

    An empty or over-long text is a `Told` that says so; an answer that the judge could not score
    comes back with the reason.
    """
    _check(question, answer)
    used = judge.rubric
    if used.categories:
        category = category or used.category_for("")
        used.refuse_category(category)
    spoken = language_for(language, f"{question}\n{answer}", used.fallback_language)
    item, response = pair_of(1, question, answer, category=category, language=spoken)
    rows = judge.ask([(item, response)], timeout=limits.ANSWER_S)[0]
    return Scored(
        judge=judge,
        language=spoken,
        found_out=not language or language == AUTO,
        category=category,
        readings=tuple(_reading(judge, row) for row in rows),
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
        "criteria": {
            reading.criterion: {
                "value": reading.value,
                "labels": list(reading.asked.scale.labels),
                "probs": None if reading.probs is None else list(reading.probs),
                "meaning": None
                if reading.favourite is None
                else reading.meaning(reading.favourite, "en"),
                "coverage": reading.coverage,
                "reason": reading.reason,
                "windows": reading.windows,
            }
            for reading in scored.readings
        },
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
    raise Told("answer_not_text", kind=type(value).__name__)


def _check(question: str, answer: str) -> None:
    if not answer.strip():
        raise Told("answer_empty")
    for key, text, most in (
        ("answer_question_long", question, limits.MAX_QUESTION),
        ("answer_answer_long", answer, limits.MAX_ANSWER),
    ):
        if len(text) > most:
            raise Told(key, length=f"{len(text):,}", most=f"{most:,}")


def _reading(judge: ServedJudge, made: Judgement) -> Reading:
    return Reading(
        criterion=made.criterion,
        asked=judge.rubric.criteria[made.criterion],
        value=made.value,
        probs=made.probs,
        coverage=made.coverage,
        reason=None if made.reason is None else str(made.reason),
        windows=made.windows,
    )
