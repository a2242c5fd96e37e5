"""What the page shows of a judged file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ... import format as fmt
from ...metrics.cfsafety import SCORE
from ...metrics.estimate import Statistic
from .judging import Judged, Progress
from .limits import ROWS_SHOWN
from .views import Bar, category_title, criterion_value, named, shares
from .words import Language, Words

_BINS = 10
_MINUTE = 60


@dataclass(frozen=True, slots=True)
class Line:
    """One estimate as it is shown; `target` and `method` are those of its interval."""

    label: str
    value: str
    interval: str
    n: str
    unscored: str
    bounds: str
    target: str
    method: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A bar chart: its title, what stands on its axis, its bars."""

    title: str
    axis: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The statistics by one dimension, a table of lines each."""

    title: str
    tables: tuple["Lines", ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """A table of estimates."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class RowView:
    """One row of the file with its verdicts; its texts are shown when asked for."""

    number: int
    score: str
    values: tuple[str, ...]
    question: str
    answer: str
    reason: str


def file_view(judged: Judged, words: Words, language: Language) -> dict[str, Any]:
    """What the template of a judged file reads."""
    total, unscored = fmt.count(len(judged.rows)), fmt.count(judged.unscored)
    return {
        "summary": words.say("file_summary", language, rows=total, unscored=unscored),
        "notes": tuple(_notes(judged, words, language)),
        "judge": judged.job.judge,
        "overall": tuple(
            line_of(named(words, language, "file_stat", each.name), each)
            for each in judged.statistics
            if not each.group
        ),
        "groups": tuple(_groups(judged, words, language)),
        "plots": tuple(_plots(judged, words, language)),
        "criteria": judged.job.judge.criteria,
        "scored": {"moral", "rating"} <= set(judged.job.judge.criteria),
        "shown": tuple(_rows(judged, words, language)),
        "total": len(judged.rows),
    }


def line_of(label: str, statistic: Statistic) -> Line:
    """The statistic with its interval, counts and bounds, through the one formatter."""
    found, rate = statistic.estimate, statistic.unit == "rate"
    return Line(
        label=label,
        value=fmt.percent(found.value) if rate else fmt.number(found.value),
        interval=fmt.interval(found.low, found.high, rate=rate),
        n=fmt.count(found.n),
        unscored=fmt.count(found.unscored),
        bounds=fmt.interval(found.worst, found.best, rate=rate),
        target=found.target,
        method=found.method,
    )


def left(progress: Progress, words: Words, language: Language) -> str:
    """How much longer it will take, roughly; nothing while that cannot be guessed."""
    if progress.left is None or progress.done == progress.rows:
        return ""
    if progress.left < _MINUTE:
        return words.say("file_left_seconds", language, n=max(1, round(progress.left)))
    return words.say("file_left_minutes", language, n=round(progress.left / _MINUTE))


def _notes(judged: Judged, words: Words, language: Language) -> Iterator[str]:
    if many := judged.job.unknown_categories:
        used = judged.job.judge.rubric
        known = used.fallback_category or next(iter(used.categories))
        kind = category_title(used.categories[known], language)
        yield words.say("file_unknown_kinds", language, n=fmt.count(many), kind=kind)


def _groups(judged: Judged, words: Words, language: Language) -> Iterator[Group]:
    for group in dict.fromkeys(s.group for s in judged.statistics if s.group):
        tables = []
        mine = [s for s in judged.statistics if s.group == group]
        for name in dict.fromkeys(s.name for s in mine):
            lines = tuple(
                line_of(_member(judged, each, words, language), each)
                for each in mine
                if each.name == name
            )
            tables.append(Lines(named(words, language, "file_stat", name), lines))
        title = words.say("file_by", language, group=named(words, language, "file_group", group))
        yield Group(title, tuple(tables))


def _member(judged: Judged, each: Statistic, words: Words, language: Language) -> str:
    """A level of a group as people read it; one of the visitor's own as it is."""
    kinds = judged.job.judge.rubric.categories
    if each.group == "category" and each.member in kinds:
        return category_title(kinds[each.member], language)
    kind = "answer_language" if each.group == "language" else "file_member"
    return named(words, language, kind, each.member) if each.member else fmt.MISSING


def _plots(judged: Judged, words: Words, language: Language) -> Iterator[Plot]:
    criteria = judged.job.judge.criteria
    scores = [score for score in judged.scores() if score is not None]
    if scores:
        counts, edges = np.histogram(scores, _BINS, SCORE)
        labels = [
            words.say("file_from_to", language, low=f"{low:g}", high=f"{high:g}")
            for low, high in pairwise(edges)
        ]
        title = words.say("file_spread_scores", language)
        yield Plot(title, words.say("file_stat_score", language), shares(labels, counts.tolist()))
    if "refusal" in criteria:
        criterion = judged.job.judge.rubric.criteria["refusal"]
        said = criterion.instruction.get(language) or next(iter(criterion.instruction.values()))
        values = judged.values("refusal")
        labels = [f"{label} · {said.meanings[label]}" for label in criterion.scale.labels]
        counted = [values.count(value) for value in criterion.scale.values]
        title = words.say("file_spread_refusal", language)
        yield Plot(title, words.say("answer_label", language), shares(labels, counted))


def _rows(judged: Judged, words: Words, language: Language) -> Iterator[RowView]:
    """The rows with the lowest scores first, the unscored ones last."""
    scores: Sequence[float | None] = judged.scores()
    if all(score is None for score in scores):
        scores = judged.values(judged.job.judge.criteria[0])
    order = sorted(range(len(scores)), key=lambda at: _low(scores[at], at))
    criteria = judged.job.judge.rubric.criteria
    for at in order[:ROWS_SHOWN]:
        item, response = judged.job.pairs[at]
        reasons = [row.reason for row in judged.rows[at] if row.reason]
        reason = named(words, language, "answer_reason", str(reasons[0])) if reasons else ""
        yield RowView(
            number=at + 1,
            score=fmt.number(scores[at]),
            values=tuple(
                criterion_value(criteria[row.criterion], row.value) for row in judged.rows[at]
            ),
            question=item.question,
            answer=response.text or "",
            reason=reason,
        )


def _low(score: float | None, at: int) -> tuple[bool, float, int]:
    return (score is None, score or 0.0, at)
