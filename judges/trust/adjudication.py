"""Several people's labels become one: by a rule, and an adjudicator settles the ties."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from ...errors import DataError
from ...files import read_json, typed_of_file, write_json
from .filled import ADJUDICATOR, Filled, Labels, listed, read_filled
from .frame import Frame
from .key import Sample
from .sheet import CANNOT_TELL, Sheet, column_of, sheet_name, write_sheet

LABELS, TIES = "labels.json", "ties.csv"
FORMAT = 1

ConsensusRule = Literal["majority", "median"]


@dataclass(frozen=True, slots=True)
class Consensus:
    """People's labels of one row under one criterion, and what they come to; null for a tie.

    `given` leaves out raters who cannot tell.
    """

    row: str
    criterion: str
    given: tuple[str, ...]
    label: str | None


@dataclass(frozen=True, slots=True)
class PeoplesLabels:
    """The raters' sheets, the rule that makes one label of several, and adjudicated ties."""

    seal: str
    rules: Mapping[str, ConsensusRule]
    raters: tuple[Filled, ...]
    adjudicated: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Gold:
    """One label per row and criterion, and what became of the rows without one.

    `ties` are still to be adjudicated; of the `undecided` nobody, not even the adjudicator, could
    tell the label; of the `missing` nobody was asked.
    """

    labels: Mapping[str, Mapping[str, str]]
    ties: tuple[Consensus, ...]
    disagreed: int
    adjudicated: int
    undecided: int
    missing: int


def usual_rules(sample: Sample) -> dict[str, ConsensusRule]:
    """The median for grades, which are five labels of a judge's or more, else the majority."""
    return {
        criterion: "median" if len(labels) > 4 and not sample.key.by_rule else "majority"  # noqa: PLR2004
        for criterion, labels in sample.key.criteria.items()
    }


def consensus(given: Sequence[str], labels: Sequence[str], rule: ConsensusRule) -> str | None:
    """The label that more than half give, or the middle one; null for a tie or no label.

    The median of an even number is a tie unless the two in the middle are equal.

    >>> consensus(["1", "1", "0"], ["0", "1"], "majority")
    '1'
    >>> consensus(["1", "3", "5"], ["1", "2", "3", "4", "5"], "median")
    '3'
    """
    if not given:
        return None
    if rule == "majority":
        label, count = Counter(given).most_common(1)[0]
        return label if 2 * count > len(given) else None
    # no mean of the two in the middle: it would be a label that nobody gave
    places = sorted(list(labels).index(label) for label in given)
    low, high = places[(len(places) - 1) // 2], places[len(places) // 2]
    return labels[low] if low == high else None


def write_people(folder: Path, people: PeoplesLabels) -> None:
    """Writes the labels beside the key."""
    write_json(folder / LABELS, asdict(people))


def read_people(folder: Path, sample: Sample) -> PeoplesLabels:
    """The imported labels of the sample, or a `DataError` that says what to do."""
    if not (folder / LABELS).is_file():
        raise DataError(
            f"{folder} has no labels yet: `normscope annotate import {folder} SHEET…` reads them"
        )
    value = read_json(folder / LABELS)
    remedy = "import the sheets again"
    people = typed_of_file(PeoplesLabels, value, path=folder / LABELS, remedy=remedy)
    # the seal hangs on the frame and the draw: labels of another draw have other weights
    if people.seal != sample.key.seal:
        raise DataError(f"{folder / LABELS} is of another sample: {remedy}")
    return people


def gold_of(people: PeoplesLabels, sample: Sample) -> Gold:
    """One label per row and criterion: what the raters come to, or the adjudicator's."""
    labels: dict[str, dict[str, str]] = {}
    ties, adjudicated, undecided = [], 0, 0
    results = _consensus_of(people, sample)
    for result in results:
        label = result.label
        # an adjudicator settles ties, and overrules no one
        if label is None:
            label = people.adjudicated.get(result.row, {}).get(result.criterion)
            adjudicated += label is not None
        if label is None:
            ties.append(result)
        elif label == CANNOT_TELL:
            undecided += 1
        else:
            labels.setdefault(result.row, {})[result.criterion] = label
    return Gold(
        labels=labels,
        ties=tuple(ties),
        disagreed=sum(len(set(result.given)) > 1 for result in results),
        adjudicated=adjudicated,
        undecided=undecided,
        missing=len(sample.drawn) * len(sample.key.criteria) - len(results),
    )


def settled_gold(people: PeoplesLabels, sample: Sample, folder: Path) -> Gold:
    """The labels, or an error while ties are open."""
    gold = gold_of(people, sample)
    if gold.ties:
        raise DataError(
            f"{folder}: {len(gold.ties)} ties are open; `normscope annotate adjudicate {folder}` "
            "writes a sheet of them"
        )
    return gold


def write_ties(path: Path, ties: Sequence[Consensus], frame: Frame, sample: Sample) -> None:
    """A sheet of the rows with ties and the raters' labels, for the adjudicator to fill in."""
    rows = {row.row_id: row for row in frame.rows}
    labels_of: dict[str, dict[str, str]] = {}
    for tie in ties:
        labels_of.setdefault(tie.row, {})[tie.criterion] = ", ".join(tie.given) or "nobody can tell"
    tied = {tie.criterion for tie in ties}
    shown = (
        replace(
            frame.sheet_row(rows[row]),
            raters="; ".join(f"{column_of(name)}: {labels}" for name, labels in by_name.items()),
        )
        for row, by_name in labels_of.items()
    )
    criteria = tuple(name for name in sample.key.criteria if name in tied)
    write_sheet(path, Sheet(sheet_name(sample.key.seal, ADJUDICATOR), criteria, tuple(shown)))


def read_ties(path: Path, people: PeoplesLabels, sample: Sample) -> PeoplesLabels:
    """The labels with the adjudicator's; an empty cell leaves its tie open."""
    filled = read_filled(path, sample)
    if filled.rater != ADJUDICATOR:
        raise DataError(f"{path} is the sheet of a rater, not that of the ties of this sample")
    results = _consensus_of(people, sample)
    ties = {(result.row, result.criterion) for result in results if result.label is None}
    settled: Labels = {row: dict(labels) for row, labels in people.adjudicated.items()}
    problems = []
    for row, labels in filled.labels.items():
        for criterion, label in labels.items():
            if (row, criterion) in ties:
                settled.setdefault(row, {})[criterion] = label
            else:
                problems.append(f"{row}: {column_of(criterion)} is no tie; empty the cell")
    if problems:
        raise DataError(listed(path, problems))
    return replace(people, adjudicated=settled)


def _consensus_of(people: PeoplesLabels, sample: Sample) -> list[Consensus]:
    """What the raters come to, row by row, before any adjudication, where any of them labelled."""
    results = []
    for row in sample.drawn:
        for criterion in sample.key.criteria:
            sheets = [filled.labels.get(row.row, {}) for filled in people.raters]
            # who cannot tell was asked, and counts for no label
            cells = [labels[criterion] for labels in sheets if criterion in labels]
            given = tuple(label for label in cells if label != CANNOT_TELL)
            if cells:
                scale = sample.key.criteria[criterion]
                label = consensus(given, scale, people.rules[criterion])
                results.append(Consensus(row.row, criterion, given, label))
    return results
