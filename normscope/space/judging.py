"""A file of answers judged: row by row, with its progress, and the numbers over all of it."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..judges.judge import Pair, sort_key
from ..judges.rubric import Questions
from ..languages import language_code
from ..metrics.estimate import Statistic
from ..pipeline.judged_rows import statistics
from ..reasons import Reason
from ..records import judgement, response
from ..records.judgement import Judgement
from ..records.tables import to_table
from ..records.units import groups, in_order
from . import limits
from .language import AUTO, language_for
from .served import ServedJudge, pair_of
from .texts import VisitorError
from .upload import Columns, Upload


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

    @property
    def reasons(self) -> Counter[str]:
        """How many answers lack a value for each reason."""
        of_rows = ({str(row.reason) for row in rows if row.reason} for rows in self.rows)
        return Counter(reason for reasons in of_rows for reason in reasons)

    def judgements(self) -> pa.Table:
        """The long table, as a run folder has it: one row per answer and criterion."""
        return to_table((each for judgements in self.rows for each in judgements), judgement.SCHEMA)

    def responses(self) -> pa.Table:
        """The answers, as a run folder has them."""
        return to_table((row for _, row in self.job.pairs), response.SCHEMA)


def plan(upload: Upload, columns: Columns, judge: ServedJudge) -> Job:
    """What is to be judged; a row without a known category has the rubric's general one."""
    if columns.question not in upload.columns:
        raise VisitorError("Say which column holds the question.")
    if columns.answer not in upload.columns:
        raise VisitorError("Say which column holds the answer.")
    if columns.question == columns.answer:
        raise VisitorError(
            "Question and answer are the same column ({column}). Choose another for one of them.",
            column=columns.question,
        )
    rubric, unknown, pairs = judge.rubric, 0, []
    for number, row in enumerate(upload.rows, start=1):
        question, answer = row[columns.question] or "", row[columns.answer]
        category = (row.get(columns.category) or "").strip() if columns.category else ""
        if rubric.categories and category not in rubric.categories:
            unknown += bool(category)
            category = rubric.category_for("")
        stated = language_code(row.get(columns.language) or "") if columns.language else ""
        language = language_for(
            stated or AUTO, f"{question}\n{answer or ''}", rubric.fallback_language
        )
        # a file is not refused for one long cell, as an answer that is pasted is
        long = len(question) > limits.MAX_QUESTION or len(answer or "") > limits.MAX_ANSWER
        reason = Reason.TEXT_TOO_LONG if long else None
        pairs.append(
            pair_of(
                number,
                question,
                answer,
                category=category,
                language=language,
                # no column says whose answers these are, so that they go by their file's name
                model=Path(upload.name).stem,
                reason=reason,
            )
        )
    return Job(upload, columns, judge, tuple(pairs), unknown)


def judge_rows(job: Job) -> Iterator[Progress | Judged]:
    """Its progress after every few rows, then the judged file.

    Rows with near questions are asked together, and come back in the file's order.
    """
    count, done = len(job.pairs), 0
    results: list[tuple[Judgement, ...]] = [()] * count
    begun = time.monotonic()
    yield Progress(0, count, None)
    # units of near questions: what the judge has read of one prompt is used for the next
    order = in_order([sort_key(*pair) for pair in job.pairs])
    for unit in groups(order, size=limits.CHUNK):
        rows = unit.tolist()
        spent = time.monotonic() - begun
        if spent > limits.FILE_S:
            raise VisitorError(
                "{done} of {rows} rows were judged in {minutes} minutes, which is all "
                "there is here. Split the file, or judge it on your own machine: normscope "
                "judge FILE.",
                done=done,
                rows=count,
                minutes=limits.FILE_S // 60,
            )
        judged = job.judge.ask([job.pairs[at] for at in rows], timeout=limits.FILE_S - spent)
        for at, judgements in zip(rows, judged, strict=True):
            results[at] = judgements
        done += len(rows)
        spent = time.monotonic() - begun
        yield Progress(done, count, spent / done * (count - done))
    questions = Questions.of(job.judge.rubric)
    numbers = statistics(questions, [item for item, _ in job.pairs], results)
    yield Judged(job, tuple(results), tuple(numbers))
