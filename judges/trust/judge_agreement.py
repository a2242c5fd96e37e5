"""How a judge goes together with people's labels of a sample, over all its runs and in each."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from ...errors import DataError
from ...files import write_json
from ...messages import Text, message
from ...metrics.association import associations
from ...metrics.estimate import Statistic
from ...metrics.inputs import Bools, Floats
from ...metrics.judges_agree import ALL
from ...metrics.rates import rate
from ...records.integrity import RESPONSES
from .frame import Frame, Names
from .key import Key
from .outcomes import LabelTable, worth_of
from .sampling import frame_of

GROUP = "run"
AGREEMENT = "agreement.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """The statistics by criterion, and what limits them; `judges` and `runs` by name."""

    runs: tuple[str, ...]
    judges: tuple[str, ...]
    statistics: Mapping[str, tuple[Statistic, ...]]
    caveats: tuple[Text, ...] = ()
    format: int = FORMAT


def check_judge(
    folder: Path, key: Key, gold: LabelTable, *, moved: Path | None = None
) -> tuple[Path, JudgeAgreement]:
    """How the judge of the sample's runs agrees with its labels, also as the folder's `AGREEMENT`.

    The judgements are those that the runs have now; their responses must be those of the sample.
    """
    frame = frame_of(folder, key, moved=moved)
    for run, part in zip(key.runs, frame.parts or (frame,), strict=True):
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
    result = JudgeAgreement(
        runs=tuple(run.run for run in key.runs),
        judges=tuple(judges),
        statistics={name: tuple(rows) for name, rows in agreement_with_people(frame, gold).items()},
        caveats=tuple(caveats),
    )
    write_json(folder / AGREEMENT, asdict(result))
    return folder / AGREEMENT, result


def agreement_with_people(frame: Frame, gold: LabelTable) -> Mapping[str, list[Statistic]]:
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
        people = worth_of(frame, gold, criterion)
        labels = np.array([gold.get(row.row_id, {}).get(criterion, "") for row in frame.rows])
        labelled = ~np.isnan(people) & ~frame.silent
        if not labelled.any():
            continue
        columns = _Columns(
            frame.values(criterion), people, frame.read(criterion) == labels, frame.clusters
        )
        members = {ALL: labelled}
        if len(names) > 1:
            members |= {run: labelled & (runs == run) for run in names}
        table[criterion] = [
            replace(statistic, group=GROUP, member=member)
            for member, rows in members.items()
            if rows.any()
            for statistic in _statistics(columns, rows)
        ]
    if not table:
        raise DataError("no answer has a label: import filled sheets")
    return table


@dataclass(frozen=True, slots=True)
class _Columns:
    """Per row of a frame the judge's value, people's, whether their labels are one, the cluster."""

    judge: Floats
    people: Floats
    alike: Bools
    clusters: Names


def _statistics(columns: _Columns, rows: Bools) -> list[Statistic]:
    judge, clusters = columns.judge[rows], columns.clusters[rows].tolist()
    alike = np.where(np.isnan(judge), np.nan, columns.alike[rows])
    return [
        *associations(judge, columns.people[rows], clusters=clusters),
        Statistic("raw_agreement", "rate", rate(alike, clusters=clusters)),
    ]
