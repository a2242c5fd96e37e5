"""`normscope demo`: the norms of five real models, out of their published answers."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..progress import to_stderr
from .options import FOLDER
from .terminal import say, show

if TYPE_CHECKING:
    import pyarrow as pa

    from ..pipeline.importing.match import Target
    from ..report.blocks import Block

VIGNETTES, GRADED_SET = "ci-vignettes:iot", "safety-gradient"
GRADED, COMPARED, PAGE = "graded-answers", "compare", "report.html"

_FEWEST = 10
"""So few graded answers have every grade."""


@click.command()
@click.option("--out", type=FOLDER, default=Path("runs/demo"), show_default=True)
@click.option(
    "--limit",
    type=click.IntRange(min=_FEWEST),
    help="Vignettes of each model, and graded answers [all 6,912, and 1,000].",
)
def demo(out: Path, limit: int | None) -> None:
    """The norms of five real models, out of the answers that were published of them.

    Makes a run of each model's recorded answers to the IoT vignettes in OUT/<model>: reads them by
    the rule, counts norms as their authors did, and holds every norm against the released one.
    Then it compares the models (OUT/report.html of all, OUT/compare of those that were asked the
    same), and lets the small bundled judge put answers of known safety in their order
    (OUT/graded-answers). No model is downloaded. Killed and started again, it goes on.

    \b
    Examples:
      normscope demo
      normscope demo --out runs/small --limit 100
    """
    from ..api.compare import compare
    from ..api.run import run
    from ..builders.ci_vignettes.published_answers import (
        published_answers,
        published_models,
        published_norms,
    )
    from ..files import read_parquet
    from ..pipeline.importing.match import Target
    from ..pipeline.published import held_against
    from ..records.integrity import NORMS
    from ..records.settings import Settings
    from ..report.write import write_report

    models, target = published_models(), Target.of(Settings(benchmark=(VIGNETTES,)))
    runs = {model: out / model for model in models}
    last = len(models) + 3
    prompts: dict[str, int] = {}
    for number, (model, folder) in enumerate(runs.items(), start=1):
        answers = _evenly(published_answers(model), limit)
        prompts[model] = len(answers)
        to_stderr(f"[{number}/{last}] {model}: {len(answers):,} recorded answers")
        _imported_run(folder, answers, target)
    to_stderr(f"[{last - 2}/{last}] the bundled judge reads graded answers")
    graded = None if limit is None else {GRADED_SET: limit}
    run(benchmarks=GRADED_SET, judge="bundled", limit=graded, out=out / GRADED)
    alike = [folder for model, folder in runs.items() if prompts[model] == max(prompts.values())]
    to_stderr(f"[{last - 1}/{last}] comparing {len(alike)} models, asked the same prompts")
    compare(*alike).write(out / COMPARED, formats=("svg",))
    to_stderr(f"[{last}/{last}] the report of all models, on the prompts that all were asked")
    page = write_report([*runs.values()], out / PAGE, form="html")
    norms = {model: read_parquet(folder / NORMS) for model, folder in runs.items()}
    held = [held_against(norms[model], published_norms(model)) for model in models]
    say(f"\n{out}")
    show([_norms_table(norms)])
    total, differing = sum(each.norms for each in held), sum(each.differing for each in held)
    say(f"\nNorms that differ from the released: {differing:,} of {total:,}")
    say(f"Report: {page}")


def _norms_table(norms: "Mapping[str, pa.Table]") -> "Block":
    """The share of its vignettes for which each run has each norm, or none (`norms.parquet`)."""
    import numpy as np

    from ..builders.taxonomy import LIKERT as NAMES
    from ..format import count, percent
    from ..messages import message
    from ..metrics.majority import LIKERT
    from ..report.blocks import Label, Row, Table, columns

    rows: list[Row] = []
    for run, table in norms.items():
        held = table["norm"].to_numpy()
        shares = [*(held == label for label in LIKERT), np.isnan(held)]
        rows.append((run, *(percent(share.mean()) for share in shares), count(len(held))))
    held_at = [Label(*each) for each in zip(NAMES, ("−2", "−1", "0", "+1", "+2"), strict=True)]
    return Table(
        columns(message("model"), *held_at, message("no norm"), message("vignettes")),
        tuple(rows),
        title=message(
            "Norms of each model over the prompts that it was asked "
            "(−2 strongly unacceptable … +2 strongly acceptable)"
        ),
    )


def _evenly(answers: "pa.Table", limit: int | None) -> "pa.Table":
    """The answers to so many vignettes, taken evenly from the first to the last."""
    import numpy as np
    import pyarrow.compute as pc

    ids = pc.unique(answers["item_id"])
    if limit is None or limit >= len(ids):
        return answers
    chosen = ids.take(np.linspace(0, len(ids) - 1, limit).astype(int))
    return answers.filter(pc.is_in(answers["item_id"], value_set=chosen))


def _imported_run(folder: Path, answers: "pa.Table", target: "Target") -> None:
    """The run of one model's recorded answers, with norms as their authors count them."""
    from ..builders.ci_vignettes.published_answers import ANSWERS
    from ..pipeline.imported import import_answers
    from ..records.folder import opened
    from ..report.write import finish
    from ..tables import Table

    with opened(folder, create=True) as run:
        import_answers(run, Table("", answers), target, file=f"ci-vignettes, {ANSWERS}")
        finish(run, replace(run.config, rule="published"))
