"""Several judges of the same answers: how far they agree, and on which they differ most."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import DataError, UsageError
from ...format import count
from ...metrics.estimate import Statistic
from ...metrics.judges_agree import rater_agreement
from .answers import SCORE, JudgedAnswer, JudgedAnswers

MOST_ITEMS = 50

Answers = Sequence[tuple[JudgedAnswer, ...]]
"""Each answer as each of the judges has judged it."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item on which the judges differ, by how much, and what each says (null: nothing)."""

    benchmark: str
    item_id: str
    language: str
    category: str
    spread: float
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class JudgesCheck:
    """How several judges of the same answers agree.

    `agreement` has the statistics of each criterion, `left_out` how many answers of a judge the
    others do not have; the `disagreements` are by `outcome`.
    """

    judges: tuple[str, ...]
    model: str
    items: int
    left_out: Mapping[str, int]
    agreement: Mapping[str, tuple[Statistic, ...]]
    disagreements: tuple[Disagreement, ...]
    outcome: str


def check_judges(runs: Sequence[JudgedAnswers], *, most: int = MOST_ITEMS) -> JudgesCheck:
    """What the runs' judges say of the answers that they all have."""
    if len(runs) < 2:  # noqa: PLR2004 - a comparison has two sides
        raise UsageError(f"agreement needs the runs of two judges or more, not {len(runs)}")
    names, answers = _names(runs), _shared(runs)
    outcomes = [o for o in runs[0].outcomes if all(o in run.outcomes for run in runs)]
    agreement = {}
    for criterion in outcomes:
        # several benchmarks ask for different criteria: who was not asked has not failed
        asked = [row for row in answers if all(answer.was_judged(criterion) for answer in row)]
        if asked and criterion != SCORE:
            agreement[criterion] = _agreement(asked, criterion, names)
    left_out = [len(run.answers) - len(answers) for run in runs]
    return JudgesCheck(
        judges=names,
        model=runs[0].model,
        items=len(answers),
        left_out={name: many for name, many in zip(names, left_out, strict=True) if many},
        agreement=agreement,
        disagreements=tuple(_disagreements(answers, outcomes[0]))[:most],
        outcome=outcomes[0],
    )


def _shared(runs: Sequence[JudgedAnswers]) -> Answers:
    """The answers that all runs have; runs that are not of the same responses are refused."""
    first, *others = runs
    for run in others:
        if run.model != first.model:
            models = f"{first.name} has the answers of {first.model}, {run.name} of {run.model}"
            raise UsageError(f"{models}: several judges are compared on the same responses")
        of_first, of_run = (each.config.provenance.rubrics for each in (first, run))
        for name in of_first.keys() & of_run.keys():
            if of_first[name].hash != of_run[name].hash:
                unlike = f"{name}: {first.name} and {run.name} were judged under other rubrics"
                raise UsageError(f"{unlike}; judge with the same --rubric")
    tables = [{answer.key: answer for answer in run.answers} for run in runs]
    shared = [
        tuple(table[key] for table in tables)
        for key in tables[0]
        if all(key in table for table in tables)
    ]
    if not shared:
        names = ", ".join(f"{run.name} ({run.model})" for run in runs)
        raise DataError(f"no answer is in all of {names}: judge the same responses (--out NEW)")
    for at, run in enumerate(runs):
        anew = [row[at].item.item_id for row in shared if row[at].text != row[0].text]
        if anew:
            many = f"{count(len(anew))} answers of {run.name} ({anew[0]} …)"
            remedy = "judge the same responses: `normscope judge RUN --judge OTHER --out NEW`"
            raise UsageError(f"{many} have other words than those of {first.name}; {remedy}")
    return shared


def _agreement(answers: Answers, criterion: str, names: Sequence[str]) -> tuple[Statistic, ...]:
    places = np.array([[each.place(criterion) for each in row] for row in answers], dtype=float)
    labels = max(len(each.judgements[criterion].labels) for row in answers for each in row)
    if np.isnan(places).all():
        return ()
    clusters = [row[0].item.cluster_or_id for row in answers]
    return tuple(rater_agreement(places, names, labels=labels, clusters=clusters))


def _disagreements(answers: Answers, outcome: str) -> list[Disagreement]:
    """The items by how far apart the judges' verdicts are, the farthest first."""
    apart = []
    for row in answers:
        values = tuple(answer.value(outcome) for answer in row)
        known = [value for value in values if value is not None]
        if len(known) > 1 and max(known) > min(known):
            item, spread = row[0].item, max(known) - min(known)
            of_item = item.benchmark, item.item_id, item.language, item.category
            apart.append(Disagreement(*of_item, spread, values))
    return sorted(apart, key=lambda each: -each.spread)


def _names(runs: Sequence[JudgedAnswers]) -> tuple[str, ...]:
    """The judges' names, or the runs' where two judges are called alike."""
    judges = [Path(run.judge).name or run.judge or run.name for run in runs]
    return tuple(judges if len(set(judges)) == len(judges) else [run.name for run in runs])
