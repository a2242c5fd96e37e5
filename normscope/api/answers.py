"""`ns.import_answers`: answers that were got elsewhere become a run, from a table or a file."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..judges.engines import load as load_engine
from ..metrics import Rule
from ..pipeline.imported import import_answers as _import
from ..pipeline.importing.match import matched
from ..pipeline.importing.read import read_answers
from ..pipeline.importing.target import Target
from ..records.config import RunConfig
from ..records.folder import opened
from .context import Context
from .run import Run

PathLike = str | os.PathLike[str]


def import_answers(
    answers: Any,
    *,
    context: Context | PathLike | None = None,
    benchmark: str = "",
    prompts: PathLike | None = None,
    source: PathLike | None = None,
    unpinned: bool = False,
    model: str = "",
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    rule: Rule = "default",
    threshold: float | None = None,
    out: PathLike | None = None,
) -> Run:
    """A run of answers that were got elsewhere, as `normscope import` makes it; returns the run.

    `answers` is a data frame, an Arrow table, a dataset, a mapping of columns, or a file
    (docs/import.md). They answer the vignettes of a `context` (its name, its file or a `Context`)
    or the prompts of a `benchmark` (`cfsafety`, `ci-vignettes:iot_null`); `prompts`, `source` and
    `unpinned` are as for `ns.run`.

    Columns are called by what they hold: `item_id`, or the factors of a vignette, or `prompt`, the
    words that were asked; `variant_id`, `scale_order`, `answer` …; `columns` names those that are
    called otherwise: `{"sample": "rep", "attribute": "infotype"}`. `where` takes the rows with
    these values. Errors name the verb's flags: `--column ROLE=NAME` is `columns={ROLE: NAME}` here.

    Where nothing needs a judge the run is scored and whole at once, vignettes by `rule` and
    `threshold`; else `normscope judge` it. Without `out` it stands in a temporary folder that goes
    when the returned object does.
    """
    if (context is None) == (not benchmark):
        raise UsageError("name the context that was asked, or the benchmark: one of them")
    config = replace(
        _requested(context, benchmark, prompts),
        source=None if source is None else os.fspath(source),
        unpinned=unpinned,
    )
    target = Target.of(config)
    table, reworded = matched(
        read_answers(answers).where(where or {}), target, columns, model=model
    )
    folder = Path(tempfile.mkdtemp(prefix="normscope-")) if out is None else Path(out)
    file = Path(answers).name if isinstance(answers, str | os.PathLike) else ""
    try:
        with opened(folder, create=True) as run:
            _import(run, table, target, file=file, reworded=reworded)
        if target.bench.rubric is None:
            _score(folder, rule, threshold)
        # a temporary folder's name says nothing
        result = Run(folder, name=str(table.rows["model"][0]) if out is None else "")
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if out is None:
        weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
    return result


def _requested(
    context: Context | PathLike | None, benchmark: str, prompts: PathLike | None
) -> RunConfig:
    """What a run asks for that asks the same prompts."""
    if context is None:
        given = None if prompts is None else os.fspath(prompts)
        return RunConfig(benchmark=(benchmark,), prompts=given)
    if not isinstance(context, Context):
        return Context(context, prompts=prompts).config()
    if prompts is not None:
        raise UsageError("a Context has its prompts: leave prompts= out, or make it with them")
    return context.config()


def _score(folder: Path, rule: Rule, threshold: float | None) -> None:
    """Reads the answers by the benchmark's rules, scores and reports them, unless that is done."""
    from ..pipeline.judge import judge
    from ..pipeline.score import score
    from ..pipeline.workers.here import Here
    from ..report.write import report

    with opened(folder) as run:
        requested = replace(run.config, rule=rule, threshold=threshold)
        if not run.whole or requested != run.config:
            judge(run, run.config, Here(load_engine))
            score(run, requested)
            report(run)
