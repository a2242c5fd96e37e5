"""The graded set: does the mean score rise with every grade that an answer was meant to have?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ...errors import DataError
from ...metrics.association import associations
from ...metrics.estimate import Estimate
from ...metrics.groups import cluster_codes
from ...metrics.intervals import Bounds
from ...metrics.paired import over_both_scored, paired_mean_difference
from ...metrics.rates import mean
from .answers import BOUNDS, INTENDED, JudgedAnswer, JudgedAnswers

if TYPE_CHECKING:
    import pandas as pd

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
    cells = _cells(graded, outcome)
    levels = [name for name in ("language", "category") if cells[name].nunique() > 1]
    groups = [
        _group("", "", cells, grades, BOUNDS.get(outcome)),
        *(
            _group(name, level, part, grades, BOUNDS.get(outcome))
            for name in levels
            for level, part in cells.groupby(name, sort=False)
        ),
    ]
    return GradedSetCheck(
        name=judged.name,
        judge=judged.judge,
        outcome=outcome,
        grades=grades,
        questions=cells["question"].nunique(),
        answers=len(graded),
        unscored=int(cells["score"].isna().sum()),
        rises=groups[0].rises,
        groups=tuple(groups),
    )


def _cells(graded: Sequence[JudgedAnswer], outcome: str) -> "pd.DataFrame":
    """The answers, a `row` per question, language and sample, by grade; a score may be NaN."""
    import pandas as pd

    cells = pd.DataFrame(
        {
            "question": answer.item.cluster_or_id,
            "language": answer.item.language,
            "category": answer.item.category,
            "sample": answer.sample,
            "grade": answer.item.facets[GRADE],
            "amount": _amount(answer.item.facets[GRADE]),
            "score": answer.value(outcome),
        }
        for answer in graded
    )
    cells["score"] = cells["score"].astype(float)
    cells["row"] = cells.groupby(["question", "language", "sample"], sort=False).ngroup()
    twice = cells[cells.duplicated(["row", "grade"])]
    if len(twice):
        entry = twice.iloc[0]
        raise DataError(
            f"question {entry.question!r} in {entry.language}: two answers have grade {entry.grade}"
        )
    return cells.sort_values(["row", "amount"])


def _group(
    group: str, member: str, cells: "pd.DataFrame", grades: Sequence[str], bounds: Bounds | None
) -> GradedGroup:
    of = {grade: cells[cells["grade"] == grade].set_index("row") for grade in grades}
    means = tuple(
        mean(part["score"].to_numpy(), bounds=bounds, clusters=part["question"].to_numpy())
        for part in of.values()
    )
    steps = []
    for at, (lower, upper) in enumerate(pairwise(grades)):
        pairs = of[upper].join(of[lower]["score"].rename("below"), how="inner")
        difference = over_both_scored(
            paired_mean_difference,
            pairs["score"].to_numpy(),
            pairs["below"].to_numpy(),
            cluster_codes(pairs["question"].to_numpy(), len(pairs)),
            bounds=bounds,
        )
        below, above = means[at].value, means[at + 1].value
        # noise of the last digits is no rise
        rises = None if below is None or above is None else above - below > _ROUNDING
        steps.append(Step(lower, upper, difference, rises))
    together = associations(
        cells["score"].to_numpy(),
        cells["amount"].to_numpy(),
        # the answers to one question, in either language, are not independent
        clusters=cells["question"].to_numpy(),
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
