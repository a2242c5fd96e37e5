"""`ns.import_answers`: answers that were got elsewhere become a run, from a table or a file."""

import os
import weakref
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import UsageError
from ..metrics import Rule
from ..pipeline.imported import import_answers as import_into
from ..pipeline.importing import read_answers
from ..pipeline.importing.match import Target
from ..records.folder import opened
from ..report.write import finish
from .context import Context
from .request import PathLike, Request
from .run import Run


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
    these values.

    Where nothing needs a judge the run is scored and whole at once, vignettes by `rule` and
    `threshold`; else `normscope judge` it. Without `out` it stands in a temporary folder that goes
    when the returned object does.
    """
    if (context is None) == (not benchmark):
        raise UsageError("name the context that was asked, or the benchmark: one of them")
    built = context if isinstance(context, Context | None) else Context(context)
    request = Request.of(
        None,
        benchmark,
        None,
        context=() if built is None else built,
        prompts=prompts,
        source=source,
        unpinned=unpinned,
    )
    target = Target.of(request.config())
    table = read_answers(answers).where(where or {})
    file = Path(answers).name if isinstance(answers, str | os.PathLike) else ""
    with ExitStack() as temporary:
        folder = out or temporary.enter_context(TemporaryDirectory(prefix="normscope-"))
        with opened(Path(folder), create=True) as run:
            import_into(run, table, target, columns=columns, model=model, file=file)
            if target.bench.rubric is None:
                finish(run, replace(run.config, rule=rule, threshold=threshold))
            models = run.config.provenance.model or {}
        # a temporary folder's name says nothing
        result = Run(folder, name="" if out else str(models.get("model", "")))
        weakref.finalize(result, temporary.pop_all().close)
    return result
