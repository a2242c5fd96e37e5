"""Several judges of the same answers: agreement, errors that go together, how many they amount to.

Errors are told from a reference: people's labels, or the grades that the graded answers were
meant to have. Without one there are no errors to be seen. Residuals from the judges' own mean will
not do for the number of judges: they add up to 0, so that n judges have the mean correlation
−1/(n − 1) whatever they have in common. They only tell which two are closer than the rest; and the
correlation of the verdicts themselves, which holds what is true of the answers besides, bounds the
effective number from below.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from ...errors import DataError, UsageError
from ...format import count
from ...metrics.estimate import Statistic
from ...metrics.inputs import Floats
from ...metrics.judges_agree import correlated_errors, rater_agreement
from ...metrics.rates import mean
from ...rows import read_rows
from .answers import BOUNDS, INTENDED, SCORE, JudgedAnswer, JudgedAnswers

Reference = Literal["people's labels", "intended grades", "none"]

MOST_ITEMS = 50

_INTENDED = {**INTENDED, SCORE: INTENDED["rating"]}
RESIDUALS = "residuals from the judges' mean"
VERDICTS = "the verdicts themselves"

Answers = Sequence[tuple[JudgedAnswer, ...]]
"""Each answer as each of the judges has judged it."""

Labels = Mapping[str, Mapping[str, float]]
"""Per criterion (or `score`) people's label of each item, by its id."""


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
class SharedErrors:
    """Errors against one reference: who shares them, and how far off each judge is on the whole.

    `statistics` are those of `correlated_errors`, and the bias of each judge.
    """

    outcome: str
    reference: str
    statistics: tuple[Statistic, ...]


@dataclass(frozen=True, slots=True)
class JudgesCheck:
    """What several judges of the same answers have in common.

    `agreement` has the statistics of each criterion, `left_out` how many answers of a judge the
    others do not have.
    """

    judges: tuple[str, ...]
    model: str
    items: int
    left_out: Mapping[str, int]
    reference: Reference
    agreement: Mapping[str, tuple[Statistic, ...]]
    errors: tuple[SharedErrors, ...]
    disagreements: tuple[Disagreement, ...]
    outcome: str


def read_labels(path: Path) -> Labels:
    """People's labels of items: a file with the column item_id and one for each criterion."""
    rows = read_rows(path, needed=("item_id",))
    criteria = [name for name in rows[0] if name in BOUNDS] if rows else []
    if not criteria:
        raise DataError(f"{path} has no column {', '.join(BOUNDS)}: name one after the criterion")
    labels: dict[str, dict[str, float]] = {criterion: {} for criterion in criteria}
    for at, row in enumerate(rows, start=1):
        for criterion in criteria:
            if row[criterion] in (None, ""):
                continue
            try:
                labels[criterion][str(row["item_id"])] = float(row[criterion])
            except (TypeError, ValueError):
                place = f"{path}, row {at}: {criterion} is {row[criterion]!r}"
                raise DataError(f"{place}; give the label's value") from None
    return labels


def check_judges(
    runs: Sequence[JudgedAnswers], *, labels: Labels | None = None, most: int = MOST_ITEMS
) -> JudgesCheck:
    """What the runs' judges say of the answers that they all have."""
    if len(runs) < 2:  # noqa: PLR2004 - a comparison has two sides
        raise UsageError(f"agreement needs the runs of two judges or more, not {len(runs)}")
    names, answers = _names(runs), _shared(runs)
    outcomes = [o for o in runs[0].outcomes if all(o in run.outcomes for run in runs)]
    reference: Reference = "none"
    if labels is not None:
        reference = "people's labels"
    elif not np.isnan([_truth(row[0], o, None) for row in answers for o in outcomes]).all():
        reference = "intended grades"
    errors: list[SharedErrors] = []
    agreement = {}
    for outcome in outcomes:
        # several benchmarks ask for different criteria: who was not asked has not failed
        judged_rows = [row for row in answers if all(answer.was_judged(outcome) for answer in row)]
        if judged_rows:
            truth = [_truth(row[0], outcome, labels) for row in judged_rows]
            errors += _errors(judged_rows, np.array(truth), outcome, reference, names=names)
            if outcome != SCORE:
                agreement[outcome] = _agreement(judged_rows, outcome, names)
    left_out = [len(run.answers) - len(answers) for run in runs]
    return JudgesCheck(
        judges=names,
        model=runs[0].model,
        items=len(answers),
        left_out={name: many for name, many in zip(names, left_out, strict=True) if many},
        reference=reference,
        agreement=agreement,
        errors=tuple(errors),
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


def _errors(
    answers: Answers,
    truth: Floats,
    outcome: str,
    reference: Reference,
    *,
    names: Sequence[str],
) -> Iterator[SharedErrors]:
    """Those against the reference, or of the verdicts where there is none; and the residuals."""
    values = np.array([[each.value(outcome) for each in row] for row in answers], dtype=float)
    clusters = np.array([row[0].item.cluster_or_id for row in answers], dtype=object)
    known = ~np.isnan(truth)
    errors: Floats | None = None
    biases: list[Statistic] = []
    if reference == "none":
        errors = values
    elif known.any():
        # a score is on no scale of grades: there the error is less the mean at the same grade
        on_scale = outcome != SCORE or reference == "people's labels"
        errors = values - truth[:, None] if on_scale else _within(values, truth)
        bounds = BOUNDS.get(outcome)
        width = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
        biases = [
            Statistic(
                "bias",
                "score",
                mean(errors[known, at], bounds=width, clusters=clusters[known]),
                group="judge",
                member=name,
            )
            for at, name in enumerate(names if on_scale else ())
        ]
    if errors is not None and not np.isnan(errors).any(axis=1).all():
        correlated = correlated_errors(errors, names, clusters=clusters)
        against = VERDICTS if reference == "none" else reference
        yield SharedErrors(outcome, against, (*correlated, *biases))
    residuals = values - values.mean(axis=1, keepdims=True)
    if not np.isnan(residuals).any(axis=1).all():
        # of residuals there is no number of judges: they add up to 0 whatever is shared
        *correlated, _ = correlated_errors(residuals, names, clusters=clusters)
        yield SharedErrors(outcome, RESIDUALS, tuple(correlated))


def _within(values: Floats, truth: Floats) -> Floats:
    """The verdicts less each judge's mean at the same label."""
    errors = np.full_like(values, np.nan)
    for label in np.unique(truth[~np.isnan(truth)]):
        at = truth == label
        scored = ~np.isnan(values[at])
        # a judge that scored nothing at the label has no mean there, and no error
        sums = np.where(scored, values[at], 0.0).sum(axis=0)
        errors[at] = values[at] - sums / np.where(scored.any(axis=0), scored.sum(axis=0), np.nan)
    return errors


def _truth(answer: JudgedAnswer, outcome: str, labels: Labels | None) -> float:
    """People's label, or what was intended when the answer was written; NaN where there is none."""
    if labels is not None:
        return labels.get(outcome, {}).get(answer.item.item_id, np.nan)
    return float(answer.item.facets.get(_INTENDED.get(outcome, "")) or "nan")


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
