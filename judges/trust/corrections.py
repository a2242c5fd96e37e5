"""A run's rates and means corrected by people's labels of a sample of its answers."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from ...errors import DataError
from ...files import hash_file
from ...format import count, interval, number
from ...metrics.estimate import Estimate, Statistic
from ...metrics.inputs import Bools
from ...metrics.ppi import prediction_powered_mean
from ...metrics.rates import mean, rate
from ...records.folder import ITEMS, JUDGEMENTS, RESPONSES, RunFolder
from .adjudication import Gold, People, agreement, gold_of, read_people
from .correction import Corrected, Correction
from .frame import Frame, FrameRow, frame_of
from .key import Sample, read_sample
from .outcomes import Outcome, outcomes_of

FEWEST_IN_LEVEL = 10
"""Labels that a level of a group needs to be corrected by itself."""

SILENT = "no answer"
_GROUPS = ("language", "area", "category", "turns", "item_format")


class Labels:
    """A sample with its labels, held against the run that it was drawn from."""

    def __init__(self, run: RunFolder, folder: Path) -> None:
        """Refuses labels of other answers, and ties that nobody has settled."""
        self.folder = folder
        self.sample: Sample = read_sample(folder)
        self.people: People = read_people(folder, self.sample)
        self.gold: Gold = gold_of(self.people, self.sample)
        key = self.sample.key
        for name, known in ((RESPONSES, key.responses), (ITEMS, key.items)):
            if not (run.path / name).is_file() or hash_file(run.path / name) != known:
                told = f"{run.path / name} is not the file that it was drawn from: name that run"
                raise DataError(f"{folder} was drawn from the run {key.run!r}, and {told}")
        if self.gold.ties:
            raise DataError(
                f"{folder}: {len(self.gold.ties)} ties are open; `normscope annotate adjudicate "
                f"{folder}` writes a sheet of them"
            )
        self.frame: Frame = frame_of(run, name=key.benchmark, criteria=list(key.criteria))
        for criterion, labels in key.criteria.items():
            if (
                criterion not in self.frame.criteria
                or self.frame.criteria[criterion].scale.labels != labels
            ):
                raise DataError(
                    f"people labelled {criterion!r} "
                    f"as {', '.join(labels)}, and the judge was asked for "
                    "other labels: judge the run under the rubric of the sample"
                )

    @property
    def agreement(self) -> dict[str, list[Statistic]]:
        """How the raters agree, by criterion."""
        return agreement(self.people, self.sample)

    @property
    def basis(self) -> str:
        """On what a correction rests, in words."""
        key, raters = self.sample.key, len(self.people.raters)
        labelled = count(len(self.gold.labels))
        who = "one person" if raters == 1 else f"{raters} people"
        answers = count(len(self.frame.readable))
        by = f", stratified by {', '.join(key.strata)}" if key.strata else ""
        return f"{labelled} answers labelled by {who}, a random sample of {answers}{by}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the labels."""
        return tuple(_notes(self))


def correct(run: RunFolder, labels: Labels) -> Correction:
    """Every number that the labels can correct, overall and by group, beside the raw one."""
    frame = labels.frame
    strata = {row.row: row.stratum for row in labels.sample.rows}
    rows = []
    for outcome in outcomes_of(frame, labels.gold.labels):
        rows.append(_corrected(outcome, frame, strata, None))
        # the shares of labels are for the whole: each level would have a row for each label
        if "=" in outcome.name:
            continue
        for group, member, inside in _levels(frame):
            if (inside & outcome.counted & ~np.isnan(outcome.people)).sum() >= FEWEST_IN_LEVEL:
                rows.append(_corrected(outcome, frame, strata, (group, member, inside)))
    if not rows:
        raise DataError(f"{labels.folder}: too few labels to correct anything")
    return Correction(
        method="prediction-powered inference",
        benchmark=frame.benchmark,
        judge=judge_of(run, frame),
        basis=labels.basis,
        judgements=hash_file(run.path / JUDGEMENTS),
        rows=tuple(rows),
        notes=labels.notes,
        agreement={criterion: tuple(table) for criterion, table in labels.agreement.items()},
    )


def judge_of(run: RunFolder, frame: Frame) -> str:
    """The judge's name."""
    identity = run.config.provenance.judge or {}
    rows = (row.judged[frame.names[0]].judge for row in frame.rows)
    return str(identity.get("model") or next(rows, "") or "unknown")


def raw(outcome: Outcome, kept: Bools, clusters: list[str]) -> Estimate:
    """The judge's own number, as the scores have it."""
    values = outcome.judge[kept]
    if outcome.unit == "rate":
        return rate(values, clusters=clusters)
    return mean(values, bounds=outcome.bounds, clusters=clusters)


def _corrected(
    outcome: Outcome,
    frame: Frame,
    strata: Mapping[str, str],
    level: tuple[str, str, Bools] | None,
) -> Corrected:
    kept = outcome.counted
    rows = [row for row, counted in zip(frame.rows, kept, strict=True) if counted]
    inside = kept if level is None else kept & level[2]
    clusters = [row.cluster for row in rows]
    powered = prediction_powered_mean(
        outcome.judge[kept],
        outcome.people[kept],
        bounds=outcome.bounds,
        strata=[SILENT if row.silent else strata[row.row_id] for row in rows],
        clusters=clusters,
        where=inside[kept],
    )
    own = [row.cluster for row, counted in zip(frame.rows, inside, strict=True) if counted]
    known = int((inside & np.array([row.silent for row in frame.rows], dtype=np.bool_)).sum())
    return Corrected(
        name=outcome.name,
        unit=outcome.unit,
        raw=raw(outcome, inside, own),
        these=powered.these,
        new=powered.new,
        rectifier=powered.rectifier,
        tuning=powered.tuning,
        labelled=powered.labelled - known,
        judged=powered.judged - known,
        rows=powered.rows,
        group="" if level is None else level[0],
        member="" if level is None else level[1],
    )


def _levels(frame: Frame) -> Iterator[tuple[str, str, Bools]]:
    """Each level of each dimension in which the items differ, with its rows."""
    for name in _GROUPS:
        column = np.array([_level(row, name) for row in frame.rows])
        levels = [level for level in dict.fromkeys(column.tolist()) if level]
        if len(levels) > 1:
            yield from ((name, level, column == level) for level in levels)


def _level(row: FrameRow, name: str) -> str:
    own = getattr(row.item, name, None) or row.item.facets.get(name)
    return str(own or "")


def _notes(labels: Labels) -> Iterator[str]:
    gold, key, frame = labels.gold, labels.sample.key, labels.frame
    for criterion, table in labels.agreement.items():
        alpha = table[-1].estimate
        limits = interval(alpha.low, alpha.high)
        agreed = f"α {number(alpha.value)} {limits}"
        yield f"People agree on {criterion} at {agreed} before adjudication."
    if len(labels.people.raters) == 1:
        yield "One rater: how far people agree is not known."
    if gold.adjudicated:
        yield f"{count(gold.adjudicated)} ties were settled by another person."
    if gold.missing:
        yield (
            f"{count(gold.missing)} labels are missing: those that are there are taken for a "
            "random part of their stratum."
        )
    if gold.untold:
        yield (
            f"Of {count(gold.untold)} nobody could tell the label; the others are taken to stand "
            "for them."
        )
    if frame.lost:
        yield f"{count(frame.lost)} answers failed on our side: nothing here is said of them."
    if frame.rubric.hash != key.rubric_hash:
        yield (
            "The run was judged under another rubric than people were shown "
            f"({key.rubric_hash[:12]}): their difference is part of the correction."
        )
