"""`normscope import`: runs of answers that were got elsewhere."""

from pathlib import Path
from typing import Any

import click

from ..format import count
from .options import FOLDER, PATH, SOURCE, column, flags, pairs
from .terminal import say


@click.command("import")
@click.argument("file", type=PATH)
@flags("benchmark", "context", "prompts")
@SOURCE
@click.option("--model", default="", help="Whose answers these are, if no column says so.")
@column("item_id, prompt, a factor, variant_id, scale_order, answer, model, sample, …")
@click.option(
    "--where",
    multiple=True,
    callback=pairs,
    metavar="COLUMN=VALUE",
    help="Take the rows with this value only.",
)
@click.option("--out", type=FOLDER, required=True, help="The run's folder.")
def import_(file: Path, *, out: Path, model: str, where: dict[str, str], **options: Any) -> None:
    """Make a run of answers that were got elsewhere, to be judged and scored like any other.

    FILE is a table (CSV, JSONL, Parquet) with a row per answer; a log of Inspect (.eval, .json); or
    samples of lm-evaluation-harness. Columns are called item_id (or prompt, or the factors of a
    vignette), variant_id, scale_order, answer, model, sample, temperature and failed, or are named
    by --column (docs/import.md).

    \b
    Examples:
      normscope import answers.csv -b ci-vignettes:iot --model llama-3.1 \\
          --out runs/llama
      normscope import replies.jsonl -b cfsafety --source ~/sources \\
          --model gpt --out runs/gpt --column item_id=id --column answer=output
      normscope import 2026-11-22_flows.eval -b ci-vignettes:iot --out runs/y
    """
    from ..pipeline.imported import import_answers
    from ..pipeline.importing import read_answers
    from ..pipeline.importing.match import Target
    from ..pipeline.requested import requested
    from ..records.folder import opened

    target = Target.of(requested(options))
    table = read_answers(file).where(where)
    with opened(out, create=True) as run:
        done = import_answers(
            run, table, target, columns=options["columns"], model=model, file=file.name
        )
        items = run.config.provenance.benchmarks[target.name].items
    say(
        f"{file} ({done.format}): {count(done.answers)} answers to {count(items)} of "
        f"{count(done.items_in_benchmark)} items of {target.name}"
    )
    if done.reworded:
        say(f"note: {count(done.reworded)} answers are to prompts in other words")
    if done.note:
        say(f"note: {done.note}")
    judge = "" if target.bench.rubric is None else " --judge MODEL"
    say(f"{out / 'responses.parquet'}; next: normscope judge {out}{judge}")
