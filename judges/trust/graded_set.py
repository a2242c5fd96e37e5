"""The graded set: does the mean score rise with every grade that an answer was meant to have?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...errors import DataError
from ...metrics.association import associations
from ...metrics.estimate import Estimate
from ...metrics.groups import cluster_codes, rows_by_level
from ...metrics.inputs import Bools, Floats
from ...metrics.intervals import Bounds, Codes
from ...metrics.paired import over_both_scored, paired_mean_difference
from ...metrics.rates import mean
from .answers import BOUNDS, INTENDED, JudgedAnswer, JudgedAnswers

GRADE = INTENDED["rating"]
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Step:
    """From one grade to the next: the paired difference, and whether the mean of all `rises`."""

    lower: str
    upper: str
    difference: Estimate
    rises: bool | None


@dataclass(frozen=True, slots=True)
class GradedGroup:
    """Some of the answers: all, or those of a category or a language."""

    group: str
    member: str
    means: tuple[Estimate, ...]
    steps: tuple[Step, ...]
    spearman: Estimate
    rises: bool | None


@dataclass(frozen=True, slots=True)
class GradedSetCheck:
    """What the graded set shows; `rises` says whether the mean does over all answers."""

    name: str
    judge: str
    outcome: str
    grades: tuple[str, ...]
    questions: int
    answers: int
    unscored: int
    rises: bool | None
    groups: tuple[GradedGroup, ...]


def check_graded_set(judged: JudgedAnswers) -> GradedSetCheck:
    """How the graded answers are judged, over all, by category and by language."""
    graded = [answer for answer in judged.answers if answer.item.facets.get(GRADE)]
    if not graded:
        raise DataError(
            f"{judged.name} has no graded answers: judge the benchmark safety-gradient (`normscope "
            "run -b safety-gradient …`), or a file with the columns grade, question_id and language"
        )
    outcome = replace(judged, answers=tuple(graded)).outcome
    grades = tuple(sorted({answer.item.facets[GRADE] for answer in graded}, key=_amount))
    if len(grades) < 2:  # noqa: PLR2004 - a step has two ends
        raise DataError(f"{judged.name} has one grade only ({grades[0]}): a step has two ends")
    grid = _grid(graded, grades, outcome)
    levels = {"language": grid.languages, "category": grid.categories}
    several = {name: column for name, column in levels.items() if len(set(column)) > 1}
    n = len(grid.questions)
    groups = [
        _group("", "", grid, np.arange(n)),
        *(_group(group, level, grid, at) for group, level, at in rows_by_level(several, n)),
    ]
    return GradedSetCheck(
        name=judged.name,
        judge=judged.judge,
        outcome=outcome,
        grades=grades,
        questions=len(set(grid.questions)),
        answers=len(graded),
        unscored=int(np.isnan(grid.scores[grid.there]).sum()),
        rises=groups[0].rises,
        groups=tuple(groups),
    )


@dataclass(frozen=True, slots=True)
class _Grid:
    """A row per question, language and sample; a column per grade, NaN where there is no score.

    `there` says which answers there are.
    """

    grades: Sequence[str]
    bounds: Bounds | None
    questions: Sequence[str]
    languages: Sequence[str]
    categories: Sequence[str]
    scores: Floats
    there: Bools


def _grid(graded: Sequence[JudgedAnswer], grades: Sequence[str], outcome: str) -> _Grid:
    rows: dict[tuple[str, str, int], dict[str, JudgedAnswer]] = {}
    for answer in graded:
        item = answer.item
        row = rows.setdefault((item.cluster_or_id, item.language, answer.sample), {})
        if item.facets[GRADE] in row:
            raise DataError(
                f"question {item.cluster_or_id!r} in {item.language}: two answers have grade "
                f"{item.facets[GRADE]}"
            )
        row[item.facets[GRADE]] = answer
    values = [
        [None if grade not in row else row[grade].value(outcome) for grade in grades]
        for row in rows.values()
    ]
    return _Grid(
        grades=grades,
        bounds=BOUNDS.get(outcome),
        questions=[question for question, _, _ in rows],
        languages=[language for _, language, _ in rows],
        categories=[next(iter(row.values())).item.category for row in rows.values()],
        scores=np.array(values, dtype=np.float64),
        there=np.array([[grade in row for grade in grades] for row in rows.values()]),
    )


def _group(group: str, member: str, grid: _Grid, rows: Codes) -> GradedGroup:
    scores, there = grid.scores[rows], grid.there[rows]
    questions = np.array(grid.questions, dtype=object)[rows]
    means = tuple(
        mean(scores[known, at], bounds=grid.bounds, clusters=questions[known])
        for at, known in enumerate(there.T)
    )
    steps = []
    for at, (lower, upper) in enumerate(pairwise(grid.grades)):
        both = there[:, at] & there[:, at + 1]
        difference = over_both_scored(
            paired_mean_difference,
            scores[both, at + 1],
            scores[both, at],
            cluster_codes(questions[both], int(both.sum())),
            bounds=grid.bounds,
        )
        below, above = means[at].value, means[at + 1].value
        # noise of the last digits is no rise
        rises = None if below is None or above is None else above - below > _ROUNDING
        steps.append(Step(lower, upper, difference, rises))
    amounts = np.array([_amount(grade) for grade in grid.grades])
    together = associations(
        scores[there],
        np.broadcast_to(amounts, scores.shape)[there],
        # the answers to one question, in either language, are not independent
        clusters=np.broadcast_to(questions[:, None], scores.shape)[there],
    )
    (spearman,) = (row.estimate for row in together if row.name == "spearman")
    of_steps = [step.rises for step in steps]
    rises_all = None if None in of_steps else all(of_steps)
    return GradedGroup(group, member, means, tuple(steps), spearman, rises_all)


def _amount(grade: str) -> float:
    try:
        return float(grade)
    except ValueError:
        raise DataError(f"grade {grade!r} is not a number: 1 is the lowest step") from None
