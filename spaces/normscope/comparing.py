"""Visitors' files as runs that can be compared: a run's tables, or files judged row by row.

Either kind becomes judgements in the columns of a run, and is read from there as a run is.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...comparison.runs import Run, counted
from ...datasets_builders.ci_vignettes.context import bundled_contexts
from ...messages import message
from ...records.config import Decoding, RunConfig
from ...records.integrity import ITEMS
from ...records.judgement import Source
from ...records.judgements import COLUMNS, read_judgements
from ...records.provenance import Identity, JudgementsProvenance, Provenance, RubricVersion
from ...untrusted import inert
from .compared_rows import (
    CRITERIA,
    ITEM,
    as_in_a_run,
    described,
    judged_file,
    keys_of,
    texts_of,
    undescribed,
)
from .run_files import RunFiles, model_of, read_files
from .served import BENCHMARK
from .texts import VisitorError
from .upload import LongTable

MOST_RUNS = 4
MAX_NAME = 40

_RUN = (*COLUMNS, "model", "judge", "rubric_hash")
_WIDE = ("id", "question", *CRITERIA, *(f"{criterion}_reason" for criterion in CRITERIA))


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: its run, and whether it brought its configuration and its items."""

    run: Run
    configured: bool
    described: bool


def read_sides(
    uploads: Sequence[Sequence[Path]], names: Sequence[str] = (), *, least: int = 2
) -> tuple[tuple[Run, ...], list[str]]:
    """The runs in their order, and what could not be checked of them.

    An error where there are fewer than the `least` or more than four, or a side has no judgements.
    """
    sent = [(list(paths), at) for at, paths in enumerate(uploads) if paths]
    if not sent and least == 1:
        raise VisitorError("Add a run's files: published results stand beside at least one run.")
    if len(sent) < least:
        raise VisitorError(
            "A comparison needs two sides: add a file to the baseline and to the run "
            "compared with it."
        )
    if len(sent) > MOST_RUNS:
        raise VisitorError("Up to {most} runs are compared at once.", most=MOST_RUNS)
    requested = [names[at].strip() if at < len(names) else "" for _, at in sent]
    sides = [_side(paths) for paths, _ in sent]
    caveats: list[str] = []
    if not all(side.configured for side in sides):
        # what one run says of itself and another does not cannot be held against it
        sides = [replace(side, run=_stripped(side.run)) for side in sides]
        caveats.append(
            message(
                "Without every run's config.yaml (or .judging.json) only rubric, judge and "
                "temperature can be held against one another; that the datasets' revisions and "
                "the decoding are the same was not checked."
            )
        )
    if not all(side.described for side in sides):
        caveats.append(
            message(
                "Without items.parquet nothing is known of categories and languages, so there are "
                "no differences by group."
            )
        )
    unique = _names(requested, [side.run.name for side in sides])
    runs = [replace(side.run, name=name) for side, name in zip(sides, unique, strict=True)]
    return tuple(runs), caveats


def _side(paths: Sequence[Path]) -> Side:
    files = read_files(paths, (*_RUN, *ITEM, *_WIDE))
    return _judged_run(files) if files.is_run else _judged_file(files)


def _judged_run(files: RunFiles) -> Side:
    """A run by its judgements, and what else of it was given."""
    judgements, items = files.judgements, files.tables.get(ITEMS)
    keys = keys_of(judgements)
    stated = files.config or _stated(judgements)
    of_items = described(items, keys) if items is not None else undescribed(keys)
    count = counted(read_judgements(as_in_a_run(judgements, keys), of_items))
    # the vignettes of our own contexts need no file of items
    known = all(name.partition(":")[2] in bundled_contexts() for name in count.judgements)
    run = Run(model_of(stated, judgements), stated, of_items, *count)
    return Side(run, files.config is not None, items is not None or known)


def _judged_file(files: RunFiles) -> Side:
    """A file judged row by row: a row is paired by its id, or by its question."""
    table, facts = files.judgements, files.facts
    items, judgements = judged_file(table)
    count = counted(read_judgements(judgements, items))
    config = _config_of(facts) if facts else RunConfig()
    run = Run(Path(table.name).stem, config, items, *count)
    return Side(run, bool(facts), described=True)


def _stated(table: LongTable) -> RunConfig:
    """What the judgements themselves say of how they were made."""
    names = ("benchmark", "judge", "rubric_hash")
    columns = {name: texts_of(table, name) for name in names}
    judged = pc.and_(
        pc.equal(texts_of(table, "source"), str(Source.JUDGE_LOGITS)),
        pc.is_valid(table.array("rubric_hash")),
    )
    # of many rows the few combinations
    distinct = pa.table(columns).filter(judged).group_by([*names], use_threads=False).aggregate([])
    rubrics = dict(zip(*(distinct[name].to_pylist() for name in names[::2]), strict=True))
    judges = dict.fromkeys(distinct["judge"].to_pylist())
    heats = pc.unique(table.array("temperature")).drop_null().to_pylist()
    heat = heats[0] if len(heats) == 1 and isinstance(heats[0], int | float) else 0.0
    return RunConfig(
        decoding=Decoding(temperature=heat if 0 <= heat < math.inf else 0.0),
        provenance=_judged_by({"model": ", ".join(judges)}, rubrics),
    )


def _config_of(facts: Mapping[str, Any]) -> RunConfig:
    """What the file beside a judged file says of how it was judged."""
    least, judge = facts.get("min_coverage"), facts.get("judge")
    known = isinstance(least, int | float) and 0 <= least <= 1
    return RunConfig(
        min_coverage=float(least) if known and least is not None else 0.5,
        provenance=_judged_by(
            judge if isinstance(judge, dict) else {}, {BENCHMARK: str(facts.get("rubric"))}
        ),
    )


def _stripped(run: Run) -> Run:
    """The run with no more about its making than what every kind of upload says."""
    provenance = run.config.provenance
    rubrics = {name: rubric.hash for name, rubric in provenance.rubrics.items()}
    judged = _judged_by({"model": (provenance.judge or {}).get("model")}, rubrics)
    config = RunConfig(
        model=run.config.model,
        decoding=run.config.decoding,
        provenance=judged if rubrics else Provenance(),
    )
    return replace(run, config=config)


def _judged_by(judge: Identity, rubrics: Mapping[str, str]) -> Provenance:
    """The provenance of judgements of which only the judge and its rubrics' hashes are known."""
    versions = {name: RubricVersion(known) for name, known in rubrics.items()}
    return Provenance(judgements=JudgementsProvenance(judge=judge, rubrics=versions))


def _names(requested: Sequence[str], usual: Sequence[str]) -> list[str]:
    """The names in their order, each once and short; what a formula would be is made inert."""
    names: list[str] = []
    for typed, usual_name in zip(requested, usual, strict=True):
        name = inert(" ".join((typed or usual_name).split()))[:MAX_NAME] or "run"
        times = sum(before == name or before.startswith(f"{name} (") for before in names)
        names.append(f"{name} ({times + 1})" if times else name)
    return names
