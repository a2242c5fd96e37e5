"""The graded set: does the mean score rise with every grade that an answer was meant to have?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...errors import DataError
from ...metrics.estimate import Estimate
from ...metrics.inputs import Floats
from ...metrics.monotone import inversions, rank_correlation
from ...metrics.paired import paired_mean_difference
from ...metrics.rates import mean
from .answers import BOUNDS, JudgedAnswer, JudgedAnswers

GRADE = "grade"

CROSSED = "category × language"
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
    """Some of the answers: all, or those of a category, a language, or both."""

    group: str
    member: str
    means: tuple[Estimate, ...]
    steps: tuple[Step, ...]
    spearman: Estimate
    rises: bool | None


@dataclass(frozen=True, slots=True)
class Inversion:
    """A step down of one question in one language, from a grade's answer to the next grade's."""

    question: str
    language: str
    lower: str
    upper: str
    before: float
    after: float


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
    inversions: tuple[Inversion, ...]


def check_graded_set(judged: JudgedAnswers, *, outcome: str | None = None) -> GradedSetCheck:
    """How the graded answers are judged, over all, by category, by language and by both."""
    graded = [one for one in judged.answers if one.facets.get(GRADE)]
    if not graded:
        raise DataError(
            f"{judged.name} has no graded answers: judge the benchmark safety-gradient (`normscope "
            "run -b safety-gradient …`), or a file with the columns grade, question_id and language"
        )
    wanted = replace(judged, answers=tuple(graded)).outcome(outcome)
    grades = tuple(sorted({one.facets[GRADE] for one in graded}, key=_amount))
    if len(grades) < 2:  # noqa: PLR2004 - a step has two ends
        raise DataError(f"{judged.name} has one grade only ({grades[0]}): a step has two ends")
    grid = _Grid(graded, grades, wanted)
    groups = [_group("", "", grid, list(range(len(grid.keys))))]
    for group, levels in grid.dimensions().items():
        for level in dict.fromkeys(levels):
            at = [row for row, each in enumerate(levels) if each == level]
            if len(at) < len(levels) or group != CROSSED:
                groups.append(_group(group, level, grid, at))
    return GradedSetCheck(
        name=judged.name,
        judge=judged.judge,
        outcome=wanted,
        grades=grades,
        questions=len({key[0] for key in grid.keys}),
        answers=len(graded),
        unscored=int(np.isnan(grid.scores).sum() - grid.gaps),
        rises=groups[0].rises,
        groups=tuple(groups),
        inversions=tuple(_inversions(grid)),
    )


class _Grid:
    """A row per question, language and sample; a column per grade; NaN where there is no score."""

    def __init__(self, graded: Sequence[JudgedAnswer], grades: Sequence[str], outcome: str) -> None:
        rows: dict[tuple[str, str, int], dict[str, JudgedAnswer]] = {}
        for answer in graded:
            row = rows.setdefault((answer.cluster, answer.language, answer.key[4]), {})
            if answer.facets[GRADE] in row:
                raise DataError(
                    f"question {answer.cluster!r} in {answer.language}: two answers have grade "
                    f"{answer.facets[GRADE]}"
                )
            row[answer.facets[GRADE]] = answer
        self.keys = list(rows)
        self.grades = list(grades)
        self.outcome = outcome
        self.bounds = BOUNDS.get(outcome)
        self.categories = [next(iter(row.values())).category for row in rows.values()]
        self.scores: Floats = np.array(
            [[_value(row.get(grade), outcome) for grade in grades] for row in rows.values()]
        )
        self.gaps = sum(grade not in row for row in rows.values() for grade in grades)
        self.there = np.array([[grade in row for grade in grades] for row in rows.values()])

    def dimensions(self) -> dict[str, list[str]]:
        """Each row's level in each dimension in which there are several."""
        languages = [key[1] for key in self.keys]
        both = [", ".join(pair) for pair in zip(self.categories, languages, strict=True)]
        every = {"language": languages, "category": self.categories, CROSSED: both}
        return {name: levels for name, levels in every.items() if len(set(levels)) > 1}


def _value(answer: JudgedAnswer | None, outcome: str) -> float:
    value = None if answer is None else answer.value(outcome)
    return np.nan if value is None else value


def _group(group: str, member: str, grid: _Grid, rows: list[int]) -> GradedGroup:
    scores, there = grid.scores[rows], grid.there[rows]
    questions = np.array([grid.keys[row][0] for row in rows], dtype=object)
    means = tuple(
        mean(scores[known, at], bounds=grid.bounds, clusters=questions[known])
        for at, known in enumerate(there.T)
    )
    steps = []
    for at in range(len(grid.grades) - 1):
        both = there[:, at] & there[:, at + 1]
        difference = paired_mean_difference(
            scores[both, at + 1],
            scores[both, at],
            bounds=grid.bounds,
            clusters=questions[both],
        )
        below, above = means[at].value, means[at + 1].value
        # noise of the last digits is no rise
        rises = None if below is None or above is None else above - below > _ROUNDING
        steps.append(Step(grid.grades[at], grid.grades[at + 1], difference, rises))
    amounts = np.array([_amount(grade) for grade in grid.grades])
    spearman = rank_correlation(
        scores[there],
        np.broadcast_to(amounts, scores.shape)[there],
        clusters=np.broadcast_to(questions[:, None], scores.shape)[there],
    )
    whole = [step.rises for step in steps]
    rises_all = None if None in whole else all(whole)
    return GradedGroup(group, member, means, tuple(steps), spearman, rises_all)


def _inversions(grid: _Grid) -> list[Inversion]:
    return [
        Inversion(
            grid.keys[one.row][0],
            grid.keys[one.row][1],
            grid.grades[one.lower],
            grid.grades[one.lower + 1],
            one.before,
            one.after,
        )
        for one in inversions(grid.scores)
    ]


def _amount(grade: str) -> float:
    try:
        return float(grade)
    except ValueError:
        raise DataError(f"grade {grade!r} is not a number: 1 is the lowest step") from None
