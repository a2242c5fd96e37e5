"""A run's rates and means corrected by people's labels of a sample of its answers.

Corrected numbers stand beside the raw ones in the run's folder.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ...errors import DataError
from ...files import hash_file, read_json, typed_of_file, write_json
from ...format import count, interval, number
from ...messages import Text, joined, known, message
from ...metrics.estimate import Estimate, Statistic, Unit
from ...metrics.inputs import Bools, Floats
from ...metrics.intervals import RATE, Bounds
from ...metrics.ppi import prediction_powered_mean
from ...metrics.rates import mean, rate
from ...metrics.registry import MEASURES, kind_of
from ...reasons import Reason
from ...records.integrity import ITEMS, JUDGEMENTS, RESPONSES
from ...records.run import Run
from .frame import UNSCORED, Frame, LabelTable, Names, read_frame
from .raters import Majority, agreement_of_raters, majority_of, read_people
from .sample import STRATA, Sample, read_sample

CORRECTED = "corrected.json"
FORMAT = 1
METHOD = "prediction-powered inference"
FEWEST_IN_LEVEL = 10
"""Labels that a level of a group needs to be corrected by itself."""

SILENT = "no answer"
_GROUPS = ("language", "area", "category", "turns", "item_format")

Level = tuple[str, str, Bools]
"""A group, one of its levels, and the rows that are in it."""

WHOLE: Level = ("", "", np.ones(1, dtype=np.bool_))  # one for all rows


@dataclass(frozen=True, slots=True)
class Corrected:
    """One number: `raw` as the judge has it, `these` for these items, `new` for new ones.

    `rectifier` is what was added to λ times the raw value (`tuning`). `labelled` counts labels,
    `judged` answers with a judgement, `rows` all answers in the denominator.
    """

    name: str
    unit: Unit
    raw: Estimate
    these: Estimate
    new: Estimate
    rectifier: float
    tuning: float
    labelled: int
    judged: int
    rows: int
    group: str = ""
    member: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """The numbers of one benchmark, corrected.

    `basis` says on what they rest, `judgements` is the hash of the table that was corrected, and
    `agreement` how people agreed, by criterion.
    """

    method: str
    benchmark: str
    judge: str
    basis: Text
    judgements: str
    rows: tuple[Corrected, ...]
    caveats: tuple[Text, ...] = ()
    agreement: dict[str, tuple[Statistic, ...]] | None = None


def write_correction(run: Path, correction: Correction) -> Path:
    """Adds the correction to the run's, in place of one of its benchmark; returns the file."""
    # one of other judgements than these is dropped as well
    earlier = [
        before
        for before in read_corrections(run)
        if before.benchmark != correction.benchmark and before.judgements == correction.judgements
    ]
    path = run / CORRECTED
    rows = [asdict(each) for each in (*earlier, correction)]
    write_json(path, {"format": FORMAT, "corrections": rows})
    return path


def read_corrections(run: Path) -> tuple[Correction, ...]:
    """The run's corrections, none if there are none."""
    path = run / CORRECTED
    if not path.is_file():
        return ()
    value = read_json(path)
    corrections = value.get("corrections") if isinstance(value, dict) else None
    remedy = "delete it and correct the run again"
    return typed_of_file(tuple[Correction, ...], corrections, path=path, remedy=remedy)


def current(run: Path) -> tuple[tuple[Correction, ...], int]:
    """The corrections of the run's judgements as they are, and how many are of earlier ones."""
    corrections = read_corrections(run)
    table = run / JUDGEMENTS
    judgements = hash_file(table) if table.is_file() else ""
    used = tuple(each for each in corrections if each.judgements == judgements)
    return used, len(corrections) - len(used)


def _place_of(run: Run, sample: Sample, folder: Path) -> int:
    """Which of the sample's runs this is, by its files."""
    there = {n: hash_file(run.path / n) for n in (RESPONSES, ITEMS) if (run.path / n).is_file()}
    for at, drawn in enumerate(sample.runs):
        if all(there.get(name) == drawn.files[name] for name in (RESPONSES, ITEMS)):
            return at
    entry = sample.runs[0].files
    other = next(name for name in (RESPONSES, ITEMS) if there.get(name) != entry[name])
    raise DataError(
        f"{folder} was drawn from the run {sample.names!r}, and {run.path / other} is not "
        "the file that it was drawn from: name that run"
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A statistic over the rows of a frame: NaN is unscored (judge) or not labelled (people).

    `counted` are the rows that are in its denominator.
    """

    name: str
    unit: Unit
    bounds: Bounds
    judge: Floats
    people: Floats
    counted: Bools


def _outcomes(frame: Frame, majority: LabelTable) -> list[_Outcome]:
    """The benchmark's own rates and means, then the share of each label of each criterion."""
    by_criterion = {name: (frame.values(name), frame.worth(majority, name)) for name in frame.names}
    nothing = np.full(len(frame.rows), np.nan)
    # an answer that was not given is in no class, and nobody has to be asked about it
    reasons = [str(Reason.NO_ANSWER) if silent else None for silent in frame.silent]
    outcomes: list[_Outcome] = []
    for metric in frame.metrics:
        measure = MEASURES[metric]
        if measure.outcomes is None or not set(measure.criteria) & set(by_criterion):
            continue
        # a rubric with one of two criteria still has that one's mean
        pairs = (by_criterion.get(name, (nothing, nothing)) for name in measure.criteria)
        (judge, kept), (people, _) = (
            measure.outcomes(*columns, reasons=reasons) for columns in zip(*pairs, strict=True)
        )
        for name, values in judge.items():
            # where silence counts as something it has a value
            counted = kept & ~(frame.silent & np.isnan(values))
            outcomes.append(_Outcome(name, *kind_of(name), values, people[name], counted))
    counted = ~frame.silent
    # a label's share is of the answers that there are: silence has no label
    for criterion in frame.names:
        read = frame.read(criterion)
        labels = frame.labelled(majority, criterion)
        for label in frame.rubric.criteria[criterion].scale.labels:
            judge_gives = np.where(read == UNSCORED, np.nan, read == label)
            people_give = np.where(labels == "", np.nan, labels == label)
            name = f"{criterion}={label}"
            outcomes.append(_Outcome(name, "rate", RATE, judge_gives, people_give, counted))
    return outcomes


def correct(run: Run, folder: Path) -> Correction:
    """Every number that the labels of a sample can correct, overall and by group.

    Labels of other answers, or of other labels than the judge's, are refused.
    """
    drawn = read_sample(folder)
    people = read_people(folder, drawn)
    called = drawn.runs[_place_of(run, drawn, folder)].run
    criteria = list(drawn.criteria)
    frame = read_frame([run], benchmark=drawn.benchmark, criteria=criteria, names=[called])
    for criterion, labels in drawn.criteria.items():
        if frame.rubric.criteria[criterion].scale.labels != labels:
            raise DataError(
                f"people labelled {criterion!r} as {', '.join(labels)}, and the judge was asked"
                " for other labels: judge the run under the rubric of the sample"
            )
    # of several runs the labels of this one
    sample = drawn.of({row.row_id for row in frame.rows})
    majority = majority_of(people, sample)
    agreement = {name: tuple(of) for name, of in agreement_of_raters(people, sample).items()}
    stratum = {row.row: row.stratum for row in sample.rows}
    strata = np.array([SILENT if row.silent else stratum[row.row_id] for row in frame.rows])
    rows = []
    for outcome in _outcomes(frame, majority.labels):
        labelled = outcome.counted & ~np.isnan(outcome.people)
        if not labelled.any():
            continue
        rows.append(_corrected(outcome, frame, strata))
        # the shares of labels are for the whole: each level would have a row for each label
        if "=" not in outcome.name:
            rows += [
                _corrected(outcome, frame, strata, level)
                for level in _levels(frame)
                if (level[2] & labelled).sum() >= FEWEST_IN_LEVEL
            ]
    if not rows:
        raise DataError(f"{folder}: too few labels to correct anything")
    identity = run.config.provenance.judge or {}
    judges = (row.judged[frame.names[0]].judge for row in frame.rows)
    raters = len(people.raters)
    return Correction(
        method=METHOD,
        benchmark=frame.benchmark,
        judge=str(identity.get("model") or next(judges, "") or "unknown"),
        basis=message(
            "{basis}, stratified by {dimensions}",
            basis=message(
                "{n} answers labelled by {people}, a random sample of {m}",
                n=count(len(majority.labels)),
                people=message("one person") if raters == 1 else message("{n} people", n=raters),
                m=count(len(frame.readable)),
            ),
            dimensions=joined(map(known, STRATA)),
        ),
        judgements=hash_file(run.path / JUDGEMENTS),
        rows=tuple(rows),
        caveats=tuple(_caveats(frame, sample, majority, agreement, raters)),
        agreement=agreement,
    )


def _corrected(outcome: _Outcome, frame: Frame, strata: Names, level: Level = WHOLE) -> Corrected:
    group, member, of_level = level
    used = outcome.counted
    inside = used & of_level
    values, clusters = outcome.judge[inside], frame.clusters[inside].tolist()
    if outcome.unit == "rate":
        raw = rate(values, clusters=clusters)
    else:
        raw = mean(values, bounds=outcome.bounds, clusters=clusters)
    powered = prediction_powered_mean(
        outcome.judge[used],
        outcome.people[used],
        bounds=outcome.bounds,
        strata=strata[used].tolist(),
        clusters=frame.clusters[used].tolist(),
        where=inside[used],
    )
    # what an answer that was not given counts as is known: nobody labelled or judged it
    silent = int((inside & frame.silent).sum())
    return Corrected(
        name=outcome.name,
        unit=outcome.unit,
        raw=raw,
        these=powered.these,
        new=powered.new,
        rectifier=powered.rectifier,
        tuning=powered.tuning,
        labelled=powered.labelled - silent,
        judged=powered.judged - silent,
        rows=powered.rows,
        group=group,
        member=member,
    )


def _levels(frame: Frame) -> Iterator[Level]:
    """Each level of each dimension in which the items differ, with its rows."""
    for name in _GROUPS:
        column = np.array([row.level(name) for row in frame.rows])
        levels = [level for level in dict.fromkeys(column.tolist()) if level]
        if len(levels) > 1:
            yield from ((name, level, column == level) for level in levels)


def _caveats(
    frame: Frame,
    sample: Sample,
    majority: Majority,
    agreement: Mapping[str, Sequence[Statistic]],
    raters: int,
) -> Iterator[str]:
    """What a reader must know of the labels."""
    for criterion, table in agreement.items():
        alpha = table[-1].estimate
        yield message(
            "People agree on {criterion} at α {alpha}.",
            criterion=criterion,
            alpha=f"{number(alpha.value)} {interval(alpha.low, alpha.high)}",
        )
    if raters == 1:
        yield message("One rater: how far people agree is not known.")
    if majority.undecided:
        yield message(
            "Of {n} labels people have no majority: they are left out, and the others are taken to "
            "stand for them.",
            n=count(majority.undecided),
        )
    if frame.lost:
        yield message(
            "{n} answers failed on our side: nothing here is said of them.",
            n=count(frame.lost),
        )
    if frame.rubric.hash != sample.rubric_hash:
        yield message(
            "The run was judged under another rubric than people were shown ({hash}): their "
            "difference is part of the correction.",
            hash=sample.rubric_hash[:12],
        )
