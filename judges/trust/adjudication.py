"""People's labels of a sample as they were imported: each rater's, and those of a tie's umpire."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter, ValidationError

from ...errors import DataError
from ...files import read_json, write_json
from ...metrics.estimate import Statistic
from ...metrics.judges_agree import rater_agreement
from .consensus import Rule, Verdict, verdicts
from .filled import Filled
from .key import Sample
from .sheet import CANNOT_TELL

LABELS = "labels.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class People:
    """The raters' sheets, the rule that makes one label of several, and adjudicated ties."""

    seal: str
    rules: Mapping[str, Rule]
    raters: tuple[Filled, ...]
    adjudicated: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Gold:
    """One label per row and criterion, and what became of the rows without one.

    `ties` are still to be adjudicated; `untold` are rows of which nobody, not even the umpire,
    could tell.
    """

    labels: Mapping[str, Mapping[str, str]]
    ties: tuple[Verdict, ...]
    disagreed: int
    adjudicated: int
    untold: int
    missing: int


def write_people(folder: Path, people: People) -> None:
    """Writes the labels beside the key."""
    write_json(folder / LABELS, asdict(people))


def read_people(folder: Path, sample: Sample) -> People:
    """The imported labels of the sample, or a `DataError` that says what to do."""
    if not (folder / LABELS).is_file():
        raise DataError(
            f"{folder} has no labels yet: `normscope annotate import {folder} SHEET…` reads them"
        )
    try:
        people = TypeAdapter(People).validate_python(read_json(folder / LABELS))
    except ValidationError as error:
        told = error.errors()[0]["msg"]
        raise DataError(f"{folder / LABELS} is damaged ({told}): import the sheets again") from None
    if people.seal != sample.key.seal:
        raise DataError(f"{folder / LABELS} is of another sample: import the sheets again")
    return people


def all_verdicts(people: People, sample: Sample) -> list[Verdict]:
    """What the raters come to, row by row, before any adjudication."""
    rows = [row.row for row in sample.drawn]
    raters = [filled.labels for filled in people.raters]
    return verdicts(raters, rows, sample.key.criteria, people.rules)


def gold_of(people: People, sample: Sample) -> Gold:
    """One label per row and criterion: what the raters come to, or the umpire's."""
    found: dict[str, dict[str, str]] = {}
    ties, disagreed, adjudicated, untold = [], 0, 0, 0
    said = all_verdicts(people, sample)
    for verdict in said:
        umpire = people.adjudicated.get(verdict.row, {}).get(verdict.criterion)
        disagreed += len(set(verdict.given)) > 1
        label = verdict.label
        if label is None and umpire is not None:
            adjudicated += 1
            label = umpire
        if label is None:
            ties.append(verdict)
        elif label == CANNOT_TELL:
            untold += 1
        else:
            found.setdefault(verdict.row, {})[verdict.criterion] = label
    asked = len(sample.drawn) * len(sample.key.criteria)
    return Gold(found, tuple(ties), disagreed, adjudicated, untold, asked - len(said))


def agreement(people: People, sample: Sample) -> dict[str, list[Statistic]]:
    """Per criterion how the raters agree, before any adjudication; nothing for a single rater.

    Each pair's raw agreement, κ and κ with quadratic weights, and Krippendorff's ordinal α of all,
    with bootstrap intervals over the items' clusters.
    """
    if len(people.raters) < 2:  # noqa: PLR2004 - a pair has two
        return {}
    names = [f"rater {filled.rater}" for filled in people.raters]
    clusters = [row.cluster for row in sample.drawn]
    return {
        criterion: rater_agreement(
            places(people.raters, sample, criterion, labels),
            names,
            labels=len(labels),
            clusters=clusters,
        )
        for criterion, labels in sample.key.criteria.items()
    }


def places(
    raters: Sequence[Filled], sample: Sample, criterion: str, labels: Sequence[str]
) -> np.ndarray:
    """Rows × raters: the place of each label on the scale, NaN where there is none."""
    table = np.full((len(sample.drawn), len(raters)), np.nan)
    for column, filled in enumerate(raters):
        for at, row in enumerate(sample.drawn):
            label = filled.labels.get(row.row, {}).get(criterion, CANNOT_TELL)
            if label != CANNOT_TELL:
                table[at, column] = list(labels).index(label)
    return table
