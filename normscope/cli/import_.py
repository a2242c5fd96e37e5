"""`normscope import`: a run of answers that were got elsewhere."""

from pathlib import Path
from typing import Any

import click

from ..api.settings import requested
from ..format import count
from ..records.config import RunConfig
from .options import FOLDER, PATH, SOURCE, flags, pairs


@click.command("import")
@click.argument("file", type=PATH)
@flags(RunConfig, "benchmark", "context", "prompts")
@SOURCE
@click.option("--model", default="", help="Whose answers these are, if no column says so.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    callback=pairs,
    metavar="ROLE=NAME",
    help="A column of another name than item_id, prompt, variant_id, scale_order, answer, model, "
    "sample, temperature, failed, or a factor.",
)
@click.option(
    "--where",
    multiple=True,
    callback=pairs,
    metavar="COLUMN=VALUE",
    help="Take the rows with this value only.",
)
@click.option("--out", type=FOLDER, required=True, help="The run's folder.")
def import_(
    file: Path,
    *,
    out: Path,
    model: str,
    columns: dict[str, str],
    where: dict[str, str],
    **given: Any,
) -> None:
    """Make a run of answers that were got elsewhere, to be judged and scored like any other.

    FILE is a table (CSV, JSONL, Parquet) with a row per answer or, of CFSafety, a column per
    category; a log of Inspect (.eval, .json); samples of lm-evaluation-harness; or the output of a
    batch of OpenAI's form. Items are named by id, by their factors or by the words of their prompt.
    Columns have the names that --column lists, or are named by it (docs/import.md).

    \b
    Examples:
      normscope import answers.csv -b ci-vignettes:iot --model llama-3.1 --out runs/llama
      normscope import replies.jsonl -b cfsafety --source ~/sources --model gpt --out runs/gpt \\
          --column item_id=id --column answer=output
      normscope import all.parquet -b ci-vignettes:coppa --where model=gpt --out runs/gpt
      normscope import samples_flows_2026-11-22T12-00-00.jsonl -b ci-vignettes:iot --out runs/x
      normscope import 2026-11-22_flows.eval -b ci-vignettes:iot --out runs/y
    """
    from ..pipeline.imported import import_answers
    from ..pipeline.importing.match import matched
    from ..pipeline.importing.read import read_answers
    from ..pipeline.importing.target import Target
    from ..records.folder import opened

    target = Target.of(requested(given, RunConfig()))
    answers, reworded = matched(read_answers(file).where(where), target, columns, model=model)
    with opened(out, create=True) as run:
        import_answers(run, answers, target, file=file.name, reworded=reworded)
        items = run.config.provenance.benchmarks[target.name].items
        whole = run.whole
    click.echo(
        f"{file} ({answers.form}): {count(len(answers.rows))} answers to {count(items)} of "
        f"{count(len(target.ids))} items of {target.name}"
    )
    if reworded:
        click.echo(f"note: {count(reworded)} answers are to prompts in other words")
    if answers.note:
        click.echo(f"note: {answers.note}")
    if whole:
        click.echo(f"{out} is whole already, with the same answers: nothing was done")
        return
    judge = "" if target.bench.rubric is None else " --judge MODEL"
    click.echo(f"{out / 'responses.parquet'}; next: normscope judge {out}{judge}")
