"""The tables and scores of a run, made again from its units alone: no model is loaded.

They are made as `respond`, `judge` and `score` make them, of the items that were asked and of what
the journal holds. So where one differs from the run's file, that is not what the units give.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from ..errors import DataError, RunError
from ..files import hash_file, read_parquet, replacing
from ..judges.diagnostics import Diagnosis
from ..judges.engine import LabelRequest, TextRequest
from ..judges.engines.fake import FakeEngine
from ..messages import message
from ..records.config import dump
from ..records.folder import RunFolder, opened, read_only
from ..records.integrity import (
    CONFIG,
    ITEMS,
    JOURNAL,
    JUDGEMENTS,
    JUDGING,
    RESPONSES,
    STAGES,
    WRITES,
    Finding,
    check,
    seals,
    written,
)
from ..records.journal import Journal
from ..records.units import UnitPlan, results
from .judge import judgements_of, once, work_of, write_judgements, write_judging
from .respond import requested_of, write_responses
from .score import score
from .verify import FACTS, Planned, Verification, verify


def verify_rebuilt(run: Path, *, write: bool = False) -> Verification:
    """The run's verification, with what its units give held against each of its files.

    With `write` files that are missing or damaged are put back, where what the units give has the
    hash that their stage has noted; only then is the run locked and changed.
    """
    before = verify(run)
    amiss = {each.file for each in before.findings if each.problem != "unfinished"}
    if amiss & {CONFIG, ITEMS} or not (run / JOURNAL).is_file():
        return replace(before, rebuilt=())
    with TemporaryDirectory() as folder:
        to = Path(folder)
        planned = Planned(before.run, read_only(run).config)
        names = [*rebuild(planned, Journal.read(before.run / JOURNAL), to)]
        known = seals(planned.config)
        lost = [name for name in names if _is_lost(before.run / name, to / name, known.get(name))]
        others = [name for name in names if name not in lost]
        same = [name for name in others if _is_same(before.run / name, to / name)]
        unlike = [name for name in others if name not in same and name not in amiss]
        new = tuple(Finding(name, "otherwise") for name in unlike)
        if not write or not lost:
            return replace(before, findings=before.findings + new, rebuilt=tuple(same))
        with opened(run):
            for name in lost:
                with replacing(before.run / name) as part:
                    shutil.copyfile(to / name, part)
    after = verify(run)
    return replace(
        after,
        findings=after.findings + new,
        rebuilt=tuple(name for name in names if name in {*same, *lost}),
        restored=tuple(lost),
    )


def rebuild(planned: Planned, journal: Journal, to: Path) -> Iterator[str]:
    """Makes the files of each stage again in the folder `to`; yields the name of each.

    A stage is made of what the stages before it gave here. It ends at the first of which a unit is
    missing.
    """
    config, imported = planned.config, planned.config.provenance.imported is not None
    sealed = config.provenance.files("respond")
    # what else a configuration may name is no file of a run
    kept = {ITEMS, *(name for name in written("respond", config) if name in sealed)}
    for name in kept - (set() if imported else {RESPONSES}):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(planned.run / name, to / name)
    if not imported:
        if not _are_done(journal, [work.planned for work in planned.responses]):
            return
        requested = requested_of(planned.items, config.provenance.benchmarks, config)
        done = (
            (work.places[numbers], rows)
            for work in planned.responses
            for numbers, rows in results(journal, work.planned)
        )
        write_responses(to / RESPONSES, requested, planned.items.table, done)
        yield RESPONSES
    if config.provenance.judgements is None:
        return
    yield from _judged(planned, journal, to)
    # score refuses tables that are not as they were sealed
    if config.provenance.scores is None or check(to, config, stages=STAGES[:2]):
        return
    (to / CONFIG).write_text(dump(config), encoding="utf-8")
    score(RunFolder(to, config, whole=False))
    yield from (name for name in WRITES["score"] if (to / name).is_file())


def _judged(planned: Planned, journal: Journal, to: Path) -> Iterator[str]:
    config, items, responses = planned.config, planned.items.table, read_parquet(to / RESPONSES)
    work = work_of(items, responses, config.provenance.benchmarks, config)
    if work is None:
        write_judgements(to / JUDGEMENTS, items, responses, config, ())
        yield JUDGEMENTS
        return
    for name, questions in work.task.questions.items():
        judged = config.provenance.rubrics.get(name)
        if judged is not None and judged.hash != questions.hash:
            raise RunError(
                message(
                    "{benchmark} was judged under a rubric that is no longer the one here ({now} "
                    "in place of {then}): put it back, or leave --rebuild out",
                    benchmark=name,
                    now=questions.hash[:16],
                    then=judged.hash[:16],
                )
            )
    facts = once(FACTS)
    if not _are_done(journal, [work.planned, facts]):
        return
    diagnosis = Diagnosis(work.task.judge(FakeEngine(_nobody, _nobody)))
    of_judge = judgements_of(work, results(journal, work.planned), diagnosis)
    write_judgements(to / JUDGEMENTS, items, responses, config, of_judge)
    ((_, (recorded,)),) = results(journal, facts)
    write_judging(to / JUDGING, diagnosis, recorded)
    yield from (JUDGEMENTS, JUDGING)


def _are_done(journal: Journal, plans: Sequence[UnitPlan]) -> bool:
    return all(journal.kept(planned.stage, planned.hashes).there.all() for planned in plans)


def _nobody(_: LabelRequest | TextRequest) -> NoReturn:
    raise AssertionError("no model is asked anything here")


def _is_lost(there: Path, made: Path, known: str | None) -> bool:
    """Whether what was made is the file that its stage wrote, and what is there is not."""
    return hash_file(made) == known and not (there.is_file() and hash_file(there) == known)


def _is_same(there: Path, made: Path) -> bool:
    """Whether the file is what was made: the same bytes, or a table of the same rows."""
    if not there.is_file():
        return False
    if hash_file(there) == hash_file(made):
        return True
    if made.suffix != ".parquet":
        return False
    try:
        # another version of Arrow writes the same rows in other bytes
        return bool(read_parquet(there).equals(read_parquet(made)))
    except DataError:
        return False
