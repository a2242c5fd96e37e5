"""People's labels: filled sheets, read without trust, their majority, and who agrees with whom."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from ...errors import DataError, UsageError
from ...files import hash_file, read_json, typed_of_file, write_json
from ...messages import Text, message
from ...metrics.association import associations
from ...metrics.estimate import Statistic
from ...metrics.raters import ALL, rater_agreement
from ...metrics.rates import rate
from ...records.integrity import RESPONSES
from ...tables import read_table
from ...text_tables import Rows
from .frame import Frame, LabelTable
from .sample import Sample, frame_of
from .sheet import CANNOT_TELL, ITEM, SHEET, column_of, sheet_name

LABELS, AGREEMENT = "labels.json", "agreement.json"
FORMAT = 1
GROUP = "run"

# the table's own first row is the spreadsheet's row 1
_FIRST_ROW = 2
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Filled:
    """The labels of one rater, by row and criterion: `?` where the rater cannot tell."""

    file: str
    sha256: str
    rater: int
    labels: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class PeoplesLabels:
    """The sheets of all raters of the sample with this hash."""

    sample: str
    raters: tuple[Filled, ...]
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Majority:
    """The label that more than half of a row's raters give, and what became of the others.

    `disagreed` counts the labels on which raters differ. The `undecided` have no majority, or
    nobody could tell: they are left out.
    """

    labels: Mapping[str, Mapping[str, str]]
    disagreed: int
    undecided: int


def read_filled(paths: Sequence[Path], sample: Sample) -> list[Filled]:
    """The sheets of all raters, by rater; two of one rater are refused."""
    if not paths:
        raise UsageError("name the filled sheets: normscope annotate import DIR SHEET…")
    by_rater: dict[int, tuple[Path, Filled]] = {}
    for path in paths:
        filled = read_sheet(path, sample)
        if filled.rater in by_rater:
            raise DataError(
                f"{by_rater[filled.rater][0]} and {path} are both of rater {filled.rater}: leave "
                "one out, or, if two people filled it in, give each a sheet of their own"
            )
        by_rater[filled.rater] = path, filled
    return [by_rater[rater][1] for rater in sorted(by_rater)]


def read_sheet(path: Path, sample: Sample) -> Filled:
    """One person's sheet as the page saved it, whole."""
    rows = read_table(path, needed=(ITEM, SHEET)).to_rows()
    rater = _rater(path, rows, sample)
    for criterion in sample.criteria:
        if column_of(criterion) not in rows[0]:
            have = ", ".join(rows[0])
            raise DataError(
                f"{path} has no column {column_of(criterion)!r}: restore it (it has {have})"
            )
    drawn = {row.row for row in sample.drawn}
    problems: list[str] = []
    labels: dict[str, dict[str, str]] = {}
    first: dict[str, int] = {}
    for number, row in enumerate(rows, start=_FIRST_ROW):
        place, name = f"row {number}", _plain(row[ITEM])
        if name in first:
            problems.append(f"{place}: {name!r} stands in row {first[name]} already; delete one")
        elif name not in drawn:
            problems.append(
                f"{place}: there is no {ITEM} {name!r} in this sample; restore the cell"
            )
        else:
            first[name] = number
            labels[name] = {}
            for criterion, allowed in sample.criteria.items():
                cell = _plain(row[column_of(criterion)])
                if cell in (*allowed, CANNOT_TELL):
                    labels[name][criterion] = cell
                elif cell:
                    problems.append(
                        f"{place}: {column_of(criterion)} is {cell!r}; write one of "
                        f"{', '.join(allowed)}, or {CANNOT_TELL}"
                    )
    if problems:
        more = len(problems) - _SHOWN
        lines = [*problems[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        raise DataError(f"{path}:\n" + "\n".join(f"  {line}" for line in lines))
    requested = len(drawn) * len(sample.criteria)
    missing = requested - sum(map(len, labels.values()))
    if missing:
        empty = [name for name in first if len(labels[name]) < len(sample.criteria)]
        where = f"first row {first[empty[0]]}" if empty else "rows of the sheet were deleted"
        raise DataError(
            f"{path}: {missing} of {requested} labels are missing ({where}): fill them in "
            f"({CANNOT_TELL} where it cannot be told), or leave the sheet out"
        )
    return Filled(path.name, hash_file(path), rater, labels)


def write_people(folder: Path, people: PeoplesLabels) -> None:
    """Writes the labels beside the sample."""
    write_json(folder / LABELS, asdict(people))


def read_people(folder: Path, sample: Sample) -> PeoplesLabels:
    """The imported labels of the sample, or a `DataError` that says what to do."""
    path = folder / LABELS
    if not path.is_file():
        raise DataError(
            f"{folder} has no labels yet: `normscope annotate import {folder} SHEET…` reads them"
        )
    remedy = "import the sheets again"
    people = typed_of_file(PeoplesLabels, read_json(path), path=path, remedy=remedy)
    # the hash hangs on the frame and the draw: labels of another draw have other weights
    if people.sample != sample.hash:
        raise DataError(f"{path} is of another sample: {remedy}")
    return people


def majority_of(people: PeoplesLabels, sample: Sample) -> Majority:
    """One label per row and criterion, where more than half of those who could tell give it."""
    labels: dict[str, dict[str, str]] = {}
    disagreed, undecided = 0, 0
    for row in sample.drawn:
        for criterion in sample.criteria:
            cells = [filled.labels[row.row][criterion] for filled in people.raters]
            answered = Counter(label for label in cells if label != CANNOT_TELL)
            label, votes = answered.most_common(1)[0] if answered else ("", 0)
            disagreed += len(answered) > 1
            if 2 * votes > answered.total():
                labels.setdefault(row.row, {})[criterion] = label
            else:
                undecided += 1
    return Majority(labels, disagreed, undecided)


def _rater(path: Path, rows: Rows, sample: Sample) -> int:
    names = list(dict.fromkeys(_plain(row[SHEET]) for row in rows))
    if len(names) > 1:
        raise DataError(
            f"{path}: the column {SHEET!r} says {names[0]!r} and {names[1]!r}: restore it, and do "
            "not put two sheets into one file"
        )
    for rater in range(1, sample.raters + 1):
        if names[0] == sheet_name(sample.hash, rater):
            return rater
    raise DataError(
        f"{path} is of another sample: it says {names[0]!r}, and the sheets of this one begin with "
        f"{sample.hash!r}. Name the folder that it was drawn into"
    )


def _plain(value: object) -> str:
    # the apostrophe that the page has put before what a spreadsheet takes for a formula
    return "" if value is None else str(value).strip().removeprefix("'").strip()


def agreement_of_raters(people: PeoplesLabels, sample: Sample) -> dict[str, list[Statistic]]:
    """Per criterion how the raters agree; nothing for a single rater.

    Each pair's raw agreement, κ and κ with quadratic weights, and Krippendorff's ordinal α of all,
    with bootstrap intervals over the items' clusters.
    """
    if len(people.raters) < 2:  # noqa: PLR2004 - a pair has two
        return {}
    rows = sample.drawn
    names = [f"rater {filled.rater}" for filled in people.raters]
    clusters = [row.cluster for row in rows]
    tables = {}
    for criterion, labels in sample.criteria.items():
        # who cannot tell has given no label
        place = {label: float(at) for at, label in enumerate(labels)}
        table = [
            [
                place.get(filled.labels.get(row.row, {}).get(criterion, ""), math.nan)
                for filled in people.raters
            ]
            for row in rows
        ]
        tables[criterion] = rater_agreement(table, names, labels=len(labels), clusters=clusters)
    return tables


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """The statistics by criterion, and what limits them; `judges` and `runs` by name."""

    runs: tuple[str, ...]
    judges: tuple[str, ...]
    statistics: Mapping[str, tuple[Statistic, ...]]
    caveats: tuple[Text, ...] = ()
    format: int = FORMAT


def check_judge(folder: Path, sample: Sample, labels: LabelTable) -> tuple[Path, JudgeAgreement]:
    """How the judge of the sample's runs agrees with people, also as the folder's `AGREEMENT`.

    The judgements are those that the runs have now; their responses must be those of the sample.
    """
    frame = frame_of(folder, sample)
    for drawn, there in zip(sample.runs, frame.runs, strict=True):
        if there.files[RESPONSES] != drawn.files[RESPONSES]:
            raise DataError(
                f"{Path(there.where) / RESPONSES} is not the file of {drawn.run!r} that the sample "
                f"in {folder} was drawn from: its labels are of other answers"
            )
    judges = dict.fromkeys(
        each.judge for row in frame.rows for each in row.judged.values() if each.judge
    )
    caveats: list[str] = []
    if len(judges) > 1:
        caveats.append(
            message(
                "the runs have several judges, {judges}: what is pooled is of all of them",
                judges=", ".join(judges),
            )
        )
    if frame.lost:
        caveats.append(
            message("{n} answers failed on our side: nothing here is said of them.", n=frame.lost)
        )
    statistics = agreement_with_people(frame, labels)
    result = JudgeAgreement(
        runs=tuple(run.run for run in sample.runs),
        judges=tuple(judges),
        statistics={name: tuple(rows) for name, rows in statistics.items()},
        caveats=tuple(caveats),
    )
    write_json(folder / AGREEMENT, asdict(result))
    return folder / AGREEMENT, result


def agreement_with_people(frame: Frame, labels: LabelTable) -> Mapping[str, list[Statistic]]:
    """Per criterion Kendall's τ-b, Spearman's ρ and Pearson's r, and the share of equal labels.

    Of the judge's value (an expectation, or the class) with what people's one label is worth, over
    the labelled answers, each counted once; `member` is a run's name, or `ALL` for all together.
    Answers that the judge left unscored are left out and counted. Intervals are over clusters: a
    question that every model answered is one.
    """
    table: dict[str, list[Statistic]] = {}
    runs = np.array([row.run for row in frame.rows], dtype=np.object_)
    names = list(dict.fromkeys(runs.tolist()))
    for criterion in frame.names:
        people = frame.worth(labels, criterion)
        judge, answered = frame.values(criterion), frame.labelled(labels, criterion)
        alike = np.where(np.isnan(judge), np.nan, frame.read(criterion) == answered)
        labelled = ~np.isnan(people) & ~frame.silent
        members = {ALL: labelled}
        if len(names) > 1:
            members |= {run: labelled & (runs == run) for run in names}
        for member, rows in members.items():
            if not rows.any():
                continue
            clusters = frame.clusters[rows].tolist()
            statistics = [
                *associations(judge[rows], people[rows], clusters=clusters),
                Statistic("raw_agreement", "rate", rate(alike[rows], clusters=clusters)),
            ]
            table.setdefault(criterion, []).extend(
                replace(statistic, group=GROUP, member=member) for statistic in statistics
            )
    if not table:
        raise DataError("no answer has a label: import filled sheets")
    return table
