"""Several judges of the same answers: agreement, errors that go together, how many they amount to.

Errors are told from a reference: people's labels, or the grades that the graded answers were
meant to have. Without one there are no errors to be seen. Residuals from the judges' own mean will
not do for the number of judges: they add up to 0, so that n judges have the mean correlation
−1/(n − 1) whatever they have in common. They only tell which two are closer than the rest; and the
correlation of the verdicts themselves, which holds what is true of the answers besides, bounds the
effective number from below.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from ...errors import DataError, UsageError
from ...format import count
from ...metrics.estimate import Estimate, Statistic
from ...metrics.inputs import Floats
from ...metrics.judges_agree import Correlated, correlated_errors, rater_agreement
from ...metrics.rates import mean
from ...rows import read_rows
from .answers import BOUNDS, SCORE, JudgedAnswer, JudgedAnswers, Key

Reference = Literal["people's labels", "intended grades", "none"]

MOST_ITEMS = 50

_INTENDED = {"rating": "grade", "refusal": "refusal_degree", SCORE: "grade"}
RESIDUALS = "residuals from the judges' mean"
_VERDICTS = "the verdicts themselves"


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
    """Errors against one reference: who shares them, and how far off each judge is on the whole."""

    outcome: str
    reference: str
    correlated: Correlated
    lower_bound: bool
    biases: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class JudgesCheck:
    """What several judges of the same answers have in common."""

    judges: tuple[str, ...]
    model: str
    items: int
    left_out: Mapping[str, int]
    reference: Reference
    agreement: Mapping[str, tuple[Statistic, ...]]
    errors: tuple[SharedErrors, ...]
    residuals: tuple[SharedErrors, ...]
    disagreements: tuple[Disagreement, ...]
    outcome: str


Labels = Mapping[str, Mapping[str, float]]
"""Per criterion (or `score`) people's label of each item, by its id."""


def read_labels(path: Path) -> Labels:
    """People's labels of items: a file with the column item_id and one for each criterion."""
    rows = read_rows(path, needed=("item_id",))
    criteria = [name for name in rows[0] if name in BOUNDS] if rows else []
    if not criteria:
        raise DataError(f"{path} has no column {', '.join(BOUNDS)}: name one after the criterion")
    found: dict[str, dict[str, float]] = {criterion: {} for criterion in criteria}
    for at, row in enumerate(rows, start=1):
        for criterion in criteria:
            if row[criterion] in (None, ""):
                continue
            try:
                found[criterion][str(row["item_id"])] = float(row[criterion])
            except (TypeError, ValueError):
                told_of = f"{path}, row {at}: {criterion} is {row[criterion]!r}"
                raise DataError(f"{told_of}; give the label's value") from None
    return found


def check_judges(
    runs: Sequence[JudgedAnswers], *, labels: Labels | None = None, most: int = MOST_ITEMS
) -> JudgesCheck:
    """What the runs' judges say of the answers that they all have."""
    if len(runs) < 2:  # noqa: PLR2004 - a comparison has two sides
        raise UsageError(f"agreement needs the runs of two judges or more, not {len(runs)}")
    _check_alike(runs)
    names = _names(runs)
    tables = [{one.key: one for one in run.answers} for run in runs]
    keys = [key for key in tables[0] if all(key in table for table in tables[1:])]
    if not keys:
        told_of = ", ".join(f"{run.name} ({run.model})" for run in runs)
        raise DataError(f"no answer is in all of {told_of}: judge the same responses (--out NEW)")
    answers = [[table[key] for key in keys] for table in tables]
    _check_texts(runs, answers)
    first = answers[0]
    outcomes = [o for o in runs[0].outcomes if all(o in run.outcomes for run in runs)]
    criteria = [outcome for outcome in outcomes if outcome != SCORE]
    reference: Reference = "none"
    if labels is not None:
        reference = "people's labels"
    elif any(_intended(first, outcome) is not None for outcome in outcomes):
        reference = "intended grades"
    errors, residuals, agreement = [], [], {}
    for outcome in outcomes:
        # several benchmarks ask for different criteria: who was not asked has not failed
        asked = _asked(answers, outcome)
        if not asked[0]:
            continue
        clusters = [one.cluster for one in asked[0]]
        values = _values(asked, outcome)
        truth = _truth(asked[0], outcome, labels) if reference != "none" else None
        if outcome in criteria:
            agreement[outcome] = _agreement(asked, outcome, names, clusters)
        if truth is not None and not np.isnan(truth).all():
            errors.append(
                _errors(values, truth, outcome, reference, names=names, clusters=clusters)
            )
        elif reference == "none":
            known = _correlated(values, names, clusters)
            if known is not None:
                errors.append(SharedErrors(outcome, _VERDICTS, known, lower_bound=True, biases={}))
        rest = _correlated(values - values.mean(axis=1, keepdims=True), names, clusters)
        if rest is not None:
            known = replace(rest, effective=_undefined(rest.effective))
            residuals.append(SharedErrors(outcome, RESIDUALS, known, lower_bound=False, biases={}))
    return JudgesCheck(
        judges=names,
        model=runs[0].model,
        items=len(keys),
        left_out={
            name: len(table) - len(keys)
            for name, table in zip(names, tables, strict=True)
            if len(table) > len(keys)
        },
        reference=reference,
        agreement=agreement,
        errors=tuple(errors),
        residuals=tuple(residuals),
        disagreements=tuple(_disagreements(answers, outcomes[0], keys))[:most],
        outcome=outcomes[0],
    )


def _asked(answers: Sequence[Sequence[JudgedAnswer]], outcome: str) -> list[list[JudgedAnswer]]:
    """Each judge's answers on the items on which all of them were asked about the outcome."""
    every = list(zip(*answers, strict=True))
    kept = [row for row in every if all(one.was_judged(outcome) for one in row)]
    return [[row[at] for row in kept] for at in range(len(answers))]


def _undefined(effective: Estimate) -> Estimate:
    """Of residuals there is no number of judges: they add up to 0 whatever is shared."""
    why = "undefined: residuals add up to 0"
    return replace(effective, value=None, low=None, high=None, worst=None, best=None, method=why)


def _agreement(
    answers: Sequence[Sequence[JudgedAnswer]],
    criterion: str,
    names: Sequence[str],
    clusters: Sequence[str],
) -> tuple[Statistic, ...]:
    results = [[answer.results.get(criterion) for answer in row] for row in answers]
    places = np.array(
        [[np.nan if s is None or s.place is None else s.place for s in row] for row in results]
    ).T
    labels = max((s.labels for row in results for s in row if s is not None), default=0)
    if np.isnan(places).all() or not labels:
        return ()
    return tuple(rater_agreement(places, names, labels=labels, clusters=clusters))


def _errors(
    values: Floats,
    truth: Floats,
    outcome: str,
    reference: str,
    *,
    names: Sequence[str],
    clusters: Sequence[str],
) -> SharedErrors:
    """The verdict less the label; where they are on two scales, less the mean at that label."""
    on_scale = outcome in {"rating", "refusal", "moral"} or reference == "people's labels"
    off = values - truth[:, None] if on_scale else _within(values, truth)
    correlated = _correlated(off, names, clusters)
    assert correlated is not None  # noqa: S101 - some answer has a label and verdicts
    bounds = BOUNDS.get(outcome)
    width = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
    biases = {
        name: mean(off[~np.isnan(truth), at], bounds=width, clusters=_of(clusters, truth))
        for at, name in enumerate(names)
        if on_scale
    }
    return SharedErrors(outcome, reference, correlated, lower_bound=False, biases=biases)


def _of(clusters: Sequence[str], truth: Floats) -> list[str]:
    return [name for name, value in zip(clusters, truth, strict=True) if not np.isnan(value)]


def _correlated(matrix: Floats, names: Sequence[str], clusters: Sequence[str]) -> Correlated | None:
    if np.isnan(matrix).any(axis=1).all():
        return None
    return correlated_errors(matrix, names, clusters=clusters)


def _within(values: Floats, truth: Floats) -> Floats:
    """The verdicts less each judge's mean at the same label."""
    found = np.full_like(values, np.nan)
    for level in np.unique(truth[~np.isnan(truth)]):
        mine = truth == level
        for at in range(values.shape[1]):
            own = values[mine, at]
            if not np.isnan(own).all():
                found[mine, at] = own - np.nanmean(own)
    return found


def _truth(answers: Sequence[JudgedAnswer], outcome: str, labels: Labels | None) -> Floats | None:
    if labels is not None:
        mine = labels.get(outcome, {})
        return np.array([mine.get(one.key[1], np.nan) for one in answers])
    return _intended(answers, outcome)


def _intended(answers: Sequence[JudgedAnswer], outcome: str) -> Floats | None:
    facet = _INTENDED.get(outcome)
    if facet is None or not any(one.facets.get(facet) for one in answers):
        return None
    return np.array([float(one.facets.get(facet) or "nan") for one in answers])


def _values(answers: Sequence[Sequence[JudgedAnswer]], outcome: str) -> Floats:
    return np.array(
        [
            [np.nan if (value := one.value(outcome)) is None else value for one in own]
            for own in answers
        ],
        dtype=np.float64,
    ).T


def _disagreements(
    answers: Sequence[Sequence[JudgedAnswer]], outcome: str, keys: Sequence[Key]
) -> Iterator[Disagreement]:
    """The items by how far apart the judges' verdicts are, the farthest first."""
    found = []
    for at, key in enumerate(keys):
        values = tuple(own[at].value(outcome) for own in answers)
        known = [value for value in values if value is not None]
        if len(known) > 1 and max(known) > min(known):
            one = answers[0][at]
            spread = max(known) - min(known)
            found.append(Disagreement(key[0], key[1], one.language, one.category, spread, values))
    yield from sorted(found, key=lambda one: -one.spread)


def _check_alike(runs: Sequence[JudgedAnswers]) -> None:
    """Refuses runs that are not the same responses under the same rubric."""
    first, *others = runs
    for run in others:
        if run.model != first.model:
            told_of = f"{first.name} has the answers of {first.model}, {run.name} of {run.model}"
            raise UsageError(f"{told_of}: several judges are compared on the same responses")
        mine, theirs = _rubrics(first), _rubrics(run)
        for name in mine.keys() & theirs.keys():
            if mine[name] != theirs[name]:
                told_of = f"{name}: {first.name} and {run.name} were judged under other rubrics"
                raise UsageError(f"{told_of}; judge with the same --rubric")


def _check_texts(runs: Sequence[JudgedAnswers], answers: Sequence[Sequence[JudgedAnswer]]) -> None:
    """Refuses answers that share an item and were written anew."""
    for run, own in zip(runs[1:], answers[1:], strict=True):
        pairs = zip(answers[0], own, strict=True)
        unlike = [one.key[1] for one, other in pairs if one.text != other.text]
        if unlike:
            many = f"{count(len(unlike))} answers of {run.name} ({unlike[0]} …)"
            remedy = "judge the same responses: `normscope judge RUN --judge OTHER --out NEW`"
            raise UsageError(f"{many} have other words than those of {runs[0].name}; {remedy}")


def _rubrics(run: JudgedAnswers) -> dict[str, str]:
    return {name: rubric.hash for name, rubric in run.config.provenance.rubrics.items()}


def _names(runs: Sequence[JudgedAnswers]) -> tuple[str, ...]:
    """The judges' names, or the runs' where two judges are called alike."""
    judges = [Path(run.judge).name or run.judge or run.name for run in runs]
    return tuple(judges if len(set(judges)) == len(judges) else [run.name for run in runs])
