"""The graded set: does the mean score rise with every grade that an answer was meant to have?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ...errors import DataError
from ...metrics.association import associations
from ...metrics.cfsafety import SCALES
from ...metrics.estimate import Estimate
from ...metrics.intervals import Bounds
from ...metrics.paired import paired_mean_difference
from ...metrics.rates import mean
from ...metrics.refusal import CLASSES
from ...records.judgement import Source
from ...records.run import Run
from .answers import SCORE, outcomes_of

if TYPE_CHECKING:
    import pandas as pd

GRADE = "grade"
"""The facet with the intended grade of an answer."""

_BOUNDS: Mapping[str, Bounds] = {**SCALES, "refusal": (CLASSES[0], CLASSES[-1])}
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


def check_graded_set(run: Run) -> GradedSetCheck:
    """How the graded answers of the run are judged, over all, by category and by language.

    By their score where there is one, else under the first criterion. Answers without grades, with
    one grade, or twice of one grade, are a `DataError`.
    """
    outcome, cells = _cells(run)
    grades = tuple(sorted(cells["grade"].unique(), key=_amount))
    if len(grades) < 2:  # noqa: PLR2004 - a step has two ends
        raise DataError(f"{run.name} has one grade only ({grades[0]}): a step has two ends")
    levels = [name for name in ("language", "category") if cells[name].nunique() > 1]
    groups = [
        _group("", "", cells, grades, _BOUNDS.get(outcome)),
        *(
            _group(name, level, part, grades, _BOUNDS.get(outcome))
            for name in levels
            for level, part in cells.groupby(name, sort=False)
        ),
    ]
    return GradedSetCheck(
        name=run.name,
        judge=run.config.judge.model if run.config.judge else "",
        outcome=outcome,
        grades=grades,
        questions=cells["question"].nunique(),
        answers=len(cells),
        unscored=int(cells["score"].isna().sum()),
        rises=groups[0].rises,
        groups=tuple(groups),
    )


def _cells(run: Run) -> "tuple[str, pd.DataFrame]":
    """What graded answers are judged by, and a row for each; a score may be NaN.

    `row` numbers what was answered: a question in a language, and a sample of it.
    """
    import pandas as pd

    for judged in run.counted.values():
        rows = judged[judged.source.isin(each for each in Source if each.is_judge)]
        rows = rows[rows.facet(GRADE).codes >= 0]
        if not len(rows):
            continue
        first, *_ = outcomes_of(filter(None, rows.criterion.seen().names))
        of, scores = rows.of_criterion(first), None
        if first == SCORE:
            of, values = rows.side_by_side("moral", "rating")
            scores = values.prod(axis=0)
        cells = pd.DataFrame(
            {
                "question": of.clusters.tolist(),
                "language": of.of_items("language").tolist(),
                "category": of.of_items("category").tolist(),
                "sample": of.sample,
                "grade": of.facet(GRADE).tolist(),
                "score": of.value if scores is None else scores,
            }
        )
        cells["amount"] = cells["grade"].map(_amount)
        cells["row"] = cells.groupby(["question", "language", "sample"], sort=False).ngroup()
        twice = cells[cells.duplicated(["row", "grade"])]
        if len(twice):
            entry = twice.iloc[0]
            raise DataError(
                f"question {entry.question!r} in {entry.language}: two answers have grade "
                f"{entry.grade}"
            )
        return first, cells.sort_values(["row", "amount"])
    raise DataError(
        f"{run.name} has no graded answers: judge the benchmark safety-gradient (`normscope "
        "run -b safety-gradient …`), or a file with the columns grade, question_id and language"
    )


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
        difference = paired_mean_difference(
            pairs["score"].to_numpy(),
            pairs["below"].to_numpy(),
            bounds=bounds,
            clusters=pairs["question"].to_numpy(),
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
