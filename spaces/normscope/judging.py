"""A file of answers judged: row by row, with its progress, and the numbers over all of it."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ...judges.judge import Pair, sort_key
from ...judges.rubric import Rubric
from ...languages import language_code
from ...metrics.cfsafety import cfsafety_score
from ...metrics.estimate import Statistic
from ...metrics.refusal import refusal_rates
from ...reasons import Reason
from ...records import judgement, response
from ...records.judgement import Judgement
from ...records.units import plan as units
from . import limits
from .judge import ServedJudge, pair_of
from .language import AUTO, language_for
from .upload import Columns, Upload
from .words import Told


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be judged: the pairs in the file's order, and how they came about."""

    upload: Upload
    columns: Columns
    judge: ServedJudge
    pairs: tuple[Pair, ...]
    unknown_categories: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is; `left` is a guess in seconds, null before there is anything to guess by."""

    done: int
    rows: int
    left: float | None


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged file: the judgements of each pair by criterion, and the statistics over them."""

    job: Job
    rows: tuple[tuple[Judgement, ...], ...]
    statistics: tuple[Statistic, ...]

    @property
    def unscored(self) -> int:
        """How many answers lack a value under at least one criterion."""
        return sum(any(row.reason for row in rows) for rows in self.rows)

    def values(self, criterion: str) -> list[float | None]:
        """The values under the criterion, in the file's order."""
        at = self.job.judge.criteria.index(criterion)
        return [rows[at].value for rows in self.rows]

    def scores(self) -> list[float | None]:
        """Moral times rating of each row; null where either is, or the rubric asks neither."""
        if not {"moral", "rating"} <= set(self.job.judge.criteria):
            return [None] * len(self.rows)
        both = zip(self.values("moral"), self.values("rating"), strict=True)
        return [None if m is None or r is None else m * r for m, r in both]

    def judgements(self) -> pa.Table:
        """The long table, as a run folder has it: one row per answer and criterion."""
        return judgement.to_table([each for judgements in self.rows for each in judgements])

    def responses(self) -> pa.Table:
        """The answers, as a run folder has them."""
        return response.to_table([given for _, given in self.job.pairs])


def plan(
    upload: Upload, columns: Columns, judge: ServedJudge, *, category: str, language: str
) -> Job:
    """What is to be judged; `category` and `language` hold for rows that name none."""
    for role in ("question", "answer"):
        chosen = getattr(columns, role)
        if chosen not in upload.columns:
            raise Told(f"file_choose_{role}")
    if columns.question == columns.answer:
        raise Told("file_same_column", column=columns.question)
    used, unknown, pairs = judge.rubric, 0, []
    for number, row in enumerate(upload.rows, start=1):
        question, answer = row[columns.question] or "", row[columns.answer]
        kind = (row.get(columns.category) or "").strip() if columns.category else ""
        known, missed = _category(used, kind, category)
        unknown += missed
        said = language_code(row.get(columns.language) or "") if columns.language else ""
        spoken = language_for(
            said or language or AUTO, f"{question}\n{answer or ''}", used.fallback_language
        )
        long = len(question) > limits.MAX_QUESTION or len(answer or "") > limits.MAX_ANSWER
        reason = Reason.TEXT_TOO_LONG if long else None
        pairs.append(
            pair_of(number, question, answer, category=known, language=spoken, reason=reason)
        )
    return Job(upload, columns, judge, tuple(pairs), unknown)


def judge_rows(job: Job) -> Iterator[Progress | Judged]:
    """Its progress after every few rows, then the judged file.

    Rows with near questions are asked together, and come back in the file's order.
    """
    count, done = len(job.pairs), 0
    made: list[tuple[Judgement, ...]] = [()] * count
    begun = time.monotonic()
    yield Progress(0, count, None)
    for unit in units([sort_key(*pair) for pair in job.pairs], size=limits.CHUNK):
        spent = time.monotonic() - begun
        if spent > limits.FILE_S:
            raise Told("file_too_slow", done=done, rows=count, minutes=limits.FILE_S // 60)
        judged = job.judge.ask([job.pairs[at] for at in unit], timeout=limits.FILE_S - spent)
        for at, judgements in zip(unit, judged, strict=True):
            made[at] = judgements
        done += len(unit)
        spent = time.monotonic() - begun
        yield Progress(done, count, spent / done * (count - done))
    yield Judged(job, tuple(made), tuple(statistics(job, made)))


def statistics(job: Job, made: Sequence[Sequence[Judgement]]) -> Iterator[Statistic]:
    """CFSafety's score and the refusal rates, as far as the rubric asks for them.

    Answers to one question are not independent: the intervals take them as one cluster.
    """
    criteria = job.judge.criteria
    column = {criterion: [rows[at].value for rows in made] for at, criterion in enumerate(criteria)}
    reasons = {
        criterion: [rows[at].reason for rows in made] for at, criterion in enumerate(criteria)
    }
    common: dict[str, Any] = {
        "clusters": [item.question for item, _ in job.pairs],
        "groups": groups(job),
    }
    if {"moral", "rating"} <= set(criteria):
        yield from cfsafety_score(
            column["moral"], column["rating"], reasons=reasons["moral"], **common
        )
    if "refusal" in criteria:
        yield from refusal_rates(column["refusal"], reasons=reasons["refusal"], **common)


def groups(job: Job) -> dict[str, list[str]]:
    """Category and language, where the rows differ in them."""
    every = {
        "category": [item.category for item, _ in job.pairs],
        "language": [item.language for item, _ in job.pairs],
    }
    return {name: members for name, members in every.items() if len(set(members)) > 1}


def _category(used: Rubric, kind: str, fallback: str) -> tuple[str, bool]:
    """The category under which a row is judged, and whether its own was unknown."""
    if not used.categories or kind in used.categories:
        return kind, False
    return fallback or used.category_for(""), bool(kind)
