"""How people agree with one another on a sample, and how a judge agrees with them."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from ...errors import DataError
from ...files import write_json
from ...messages import Text, message
from ...metrics.association import associations
from ...metrics.estimate import Statistic
from ...metrics.raters import ALL, rater_agreement
from ...metrics.rates import rate
from ...records.integrity import RESPONSES
from .frame import Frame, LabelTable
from .raters import PeoplesLabels
from .sample import Sample, frame_of

GROUP = "run"
AGREEMENT = "agreement.json"
FORMAT = 1


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
    for run, part in zip(sample.runs, frame.parts or (frame,), strict=True):
        if part.files[RESPONSES] != run.files[RESPONSES]:
            raise DataError(
                f"{part.origin / RESPONSES} is not the file of {run.run!r} that the sample in "
                f"{folder} was drawn from: its labels are of other answers"
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
