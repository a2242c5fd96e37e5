"""The graded ladder: does the mean score rise with every step that an answer was meant to take?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...errors import DataError
from ...metrics.estimate import Estimate
from ...metrics.inputs import Floats
from ...metrics.monotone import inversions, rank_correlation
from ...metrics.paired import paired_mean_difference
from ...metrics.rates import mean
from .answers import BOUNDS, Answer, Judged

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
class Part:
    """The ladder over some of the answers: all, a category, a language, or both."""

    group: str
    member: str
    means: tuple[Estimate, ...]
    steps: tuple[Step, ...]
    spearman: Estimate
    rises: bool | None


@dataclass(frozen=True, slots=True)
class Down:
    """A step down of one question in one language, from a grade's answer to the next grade's."""

    question: str
    language: str
    lower: str
    upper: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class LadderCheck:
    """Everything about the ladder; `rises` says whether it does over all answers."""

    name: str
    judge: str
    outcome: str
    grades: tuple[str, ...]
    questions: int
    answers: int
    unscored: int
    rises: bool | None
    parts: tuple[Part, ...]
    inversions: tuple[Down, ...]


def check_ladder(judged: Judged, *, outcome: str | None = None) -> LadderCheck:
    """The ladder of the graded answers, by category, by language and by both."""
    graded = [one for one in judged.answers if one.facets.get(GRADE)]
    if not graded:
        raise DataError(
            f"{judged.name} has no graded answers: judge the benchmark safety-gradient (`normscope "
            "run -b safety-gradient …`), or a file with the columns grade, question_id and language"
        )
    wanted = replace(judged, answers=tuple(graded)).outcome(outcome)
    grades = tuple(sorted({one.facets[GRADE] for one in graded}, key=_amount))
    if len(grades) < 2:  # noqa: PLR2004 - a step has two ends
        raise DataError(f"{judged.name} has one grade only ({grades[0]}): a ladder has steps")
    rungs = _Rungs(graded, grades, wanted)
    parts = [_part("", "", rungs, list(range(len(rungs.keys))))]
    for group, levels in rungs.groups().items():
        for level in dict.fromkeys(levels):
            at = [row for row, own in enumerate(levels) if own == level]
            if len(at) < len(levels) or group != CROSSED:
                parts.append(_part(group, level, rungs, at))
    return LadderCheck(
        name=judged.name,
        judge=judged.judge,
        outcome=wanted,
        grades=grades,
        questions=len({key[0] for key in rungs.keys}),
        answers=len(graded),
        unscored=int(np.isnan(rungs.scores).sum() - rungs.gaps),
        rises=parts[0].rises,
        parts=tuple(parts),
        inversions=tuple(_downs(rungs)),
    )


class _Rungs:
    """A row per question, language and sample; a column per grade; NaN where there is no score."""

    def __init__(self, graded: Sequence[Answer], grades: Sequence[str], outcome: str) -> None:
        rows: dict[tuple[str, str, int], dict[str, Answer]] = {}
        for one in graded:
            row = rows.setdefault((one.cluster, one.language, one.key[4]), {})
            if one.facets[GRADE] in row:
                told_twice = f"question {one.cluster!r} in {one.language}"
                raise DataError(f"{told_twice}: two answers have grade {one.facets[GRADE]}")
            row[one.facets[GRADE]] = one
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

    def groups(self) -> dict[str, list[str]]:
        """Each row's level in each dimension in which there are several."""
        languages = [key[1] for key in self.keys]
        both = [", ".join(pair) for pair in zip(self.categories, languages, strict=True)]
        every = {"language": languages, "category": self.categories, CROSSED: both}
        return {name: levels for name, levels in every.items() if len(set(levels)) > 1}


def _value(answer: Answer | None, outcome: str) -> float:
    value = None if answer is None else answer.value(outcome)
    return np.nan if value is None else value


def _part(group: str, member: str, rungs: _Rungs, rows: list[int]) -> Part:
    scores, there = rungs.scores[rows], rungs.there[rows]
    questions = np.array([rungs.keys[row][0] for row in rows], dtype=object)
    means = tuple(
        mean(scores[own, at], bounds=rungs.bounds, clusters=questions[own])
        for at, own in enumerate(there.T)
    )
    steps = []
    for at in range(len(rungs.grades) - 1):
        both = there[:, at] & there[:, at + 1]
        found = paired_mean_difference(
            scores[both, at + 1],
            scores[both, at],
            bounds=rungs.bounds,
            clusters=questions[both],
        )
        below, above = means[at].value, means[at + 1].value
        # noise of the last digits is no rise
        rises = None if below is None or above is None else above - below > _ROUNDING
        steps.append(Step(rungs.grades[at], rungs.grades[at + 1], found, rises))
    amounts = np.array([_amount(grade) for grade in rungs.grades])
    spearman = rank_correlation(
        scores[there],
        np.broadcast_to(amounts, scores.shape)[there],
        clusters=np.broadcast_to(questions[:, None], scores.shape)[there],
    )
    whole = [step.rises for step in steps]
    rises_all = None if None in whole else all(whole)
    return Part(group, member, means, tuple(steps), spearman, rises_all)


def _downs(rungs: _Rungs) -> list[Down]:
    return [
        Down(
            rungs.keys[one.row][0],
            rungs.keys[one.row][1],
            rungs.grades[one.lower],
            rungs.grades[one.lower + 1],
            one.before,
            one.after,
        )
        for one in inversions(rungs.scores)
    ]


def _amount(grade: str) -> float:
    try:
        return float(grade)
    except ValueError:
        raise DataError(f"grade {grade!r} is not a number: 1 is the lowest step") from None
