"""A file of answers judged: row by row, with its progress, and the numbers over all of it."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ...judges.rubric import Rubric
from ...languages import language_code
from ...metrics.cfsafety import cfsafety_score
from ...metrics.estimate import Statistic
from ...metrics.refusal import refusal_rates
from ...reasons import Reason
from ...records.journal import Row
from ...records.tables import JUDGEMENTS, RESPONSES
from . import limits
from .judge import Judge, Pair, pair_of
from .speech import AUTO, language_for
from .upload import Columns, Upload
from .words import Told


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be judged: the pairs in the file's order, and how they came about."""

    upload: Upload
    columns: Columns
    judge: Judge
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
    """A judged file: the rows of each pair, one per criterion, and the statistics over them."""

    job: Job
    rows: tuple[tuple[Row, ...], ...]
    statistics: tuple[Statistic, ...]

    @property
    def unscored(self) -> int:
        """How many answers lack a value under at least one criterion."""
        return sum(any(row["reason"] for row in rows) for rows in self.rows)

    def values(self, criterion: str) -> list[float | None]:
        """The values under the criterion, in the file's order."""
        at = self.job.judge.criteria.index(criterion)
        return [rows[at]["value"] for rows in self.rows]

    def scores(self) -> list[float | None]:
        """Moral times rating of each row; null where either is, or the rubric asks neither."""
        if not {"moral", "rating"} <= set(self.job.judge.criteria):
            return [None] * len(self.rows)
        both = zip(self.values("moral"), self.values("rating"), strict=True)
        return [None if m is None or r is None else m * r for m, r in both]

    def judgements(self) -> pa.Table:
        """The long table, as a run folder has it: one row per answer and criterion."""
        every = [row for rows in self.rows for row in rows]
        return pa.Table.from_pylist(
            [{name: row[name] for name in JUDGEMENTS.names} for row in every], schema=JUDGEMENTS
        )

    def responses(self) -> pa.Table:
        """The answers, as a run folder has them."""
        return pa.Table.from_pylist([row for _, row in self.job.pairs], schema=RESPONSES)


def plan(upload: Upload, columns: Columns, judge: Judge, *, category: str, language: str) -> Job:
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
        item, response = pair_of(number, question, answer, category=known, language=spoken)
        if len(question) > limits.MAX_QUESTION or len(answer or "") > limits.MAX_ANSWER:
            response = response | {"reason": str(Reason.TEXT_TOO_LONG)}
        pairs.append((item, response))
    return Job(upload, columns, judge, tuple(pairs), unknown)


def judge_rows(job: Job) -> Iterator[Progress | Judged]:
    """Its progress after every few rows, then the judged file.

    Rows with near questions are asked together, and come back in the file's order.
    """
    order = sorted(range(len(job.pairs)), key=lambda at: _near(job.pairs[at]))
    made: list[tuple[Row, ...]] = [()] * len(order)
    begun = time.monotonic()
    yield Progress(0, len(order), None)
    for start in range(0, len(order), limits.CHUNK):
        chunk = order[start : start + limits.CHUNK]
        spent = time.monotonic() - begun
        if spent > limits.FILE_S:
            raise Told("file_too_slow", done=start, rows=len(order), minutes=limits.FILE_S // 60)
        found = job.judge.ask([job.pairs[at] for at in chunk], timeout=limits.FILE_S - spent)
        for at, rows in zip(chunk, found, strict=True):
            made[at] = tuple(rows)
        done = start + len(chunk)
        spent = time.monotonic() - begun
        yield Progress(done, len(order), spent / done * (len(order) - done))
    yield Judged(job, tuple(made), tuple(statistics(job, made)))


def statistics(job: Job, made: Sequence[Sequence[Row]]) -> Iterator[Statistic]:
    """CFSafety's score and the refusal rates, as far as the rubric asks for them.

    Answers to one question are not independent: the intervals take them as one cluster.
    """
    criteria = job.judge.criteria
    column = {
        criterion: [rows[at]["value"] for rows in made] for at, criterion in enumerate(criteria)
    }
    reasons = {
        criterion: [rows[at]["reason"] for rows in made] for at, criterion in enumerate(criteria)
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
    if not used.categories:
        return kind, False
    if kind in used.categories:
        return kind, False
    general = fallback or used.fallback_category or next(iter(used.categories))
    return general, bool(kind)


def _near(pair: Pair) -> tuple[str, ...]:
    item, response = pair
    return (item.category, item.language, item.question, response["text"] or "")
