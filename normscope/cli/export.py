"""`normscope export`: benchmarks and runs in the formats of other tools."""

from pathlib import Path
from typing import Any

import click

from ..api.settings import requested
from ..format import count
from ..records.config import Decoding, RunConfig
from .options import FOLDER, KEY, PATH, SOURCE, flags


@click.group()
def export() -> None:
    """Write benchmarks and runs for other tools; what they answer comes back by `import`.

    \b
    Examples:
      normscope export lm-eval ci-vignettes:coppa --out tasks
      normscope export inspect runs/qwen --out logs
    """


@export.command("lm-eval")
@click.argument("benchmark", nargs=-1)
@flags(RunConfig, "context", "prompts", "variants", "limit", "channels")
@KEY
@flags(Decoding, "max_new_tokens")
@SOURCE
@click.option("--out", type=FOLDER, required=True, help="Where the tasks go, a folder each.")
def lm_eval(out: Path, **given: Any) -> None:
    """Write benchmarks as tasks of lm-evaluation-harness, run with --include_path.

    Options and vignettes are a choice among their labels, read by log-likelihood; everything else,
    and what --channels text requests, is written by the model. A prompt of several turns is left
    out: a task of the harness has one. The samples come back as a run (docs/exchange.md).

    \b
    Examples:
      normscope export lm-eval ci-vignettes:coppa --out tasks
      normscope export lm-eval ci-vignettes:iot --variants 0,3 --limit 200 --out tasks
      normscope export lm-eval --context library.yaml --out tasks
      normscope export lm-eval chisafetybench:mcq --source ~/sources --out tasks
      lm_eval run --model hf --model_args pretrained=MODEL --include_path tasks \\
          --tasks normscope_ci_vignettes_coppa --output_path out --log_samples
      normscope import out/MODEL/samples_normscope_ci_vignettes_coppa_2*.jsonl \\
          -b ci-vignettes:coppa --out runs/x
    """
    from ..exchange.lm_eval.tasks import write_tasks

    for task in write_tasks(requested(given, RunConfig()), out):
        click.echo(f"{task.folder}  {task.name}  {count(task.prompts)} prompts")
        if task.left_out:
            click.echo(
                f"note: {count(task.left_out)} prompts of {task.benchmark} are conversations of "
                "several turns and were left out",
                err=True,
            )


@export.command()
@click.argument("run", type=FOLDER)
@click.option(
    "--out", type=PATH, required=True, help="A log (.eval, .json), or a folder for all of the run."
)
def inspect(run: Path, out: Path) -> None:
    """Write a run as logs of Inspect: answers, judgements, and scores with their intervals.

    A log is of one benchmark, channel and temperature; a run that has several of these makes a log
    of each, in a folder. `inspect view`, `inspect score` and its data frames take them, and
    `normscope import` gives the answers back (docs/inspect.md).

    \b
    Examples:
      normscope export inspect runs/qwen --out logs
      normscope export inspect runs/coppa --out coppa.eval
      inspect view --log-dir logs
    """
    from ..api.run import Run
    from ..exchange.inspect.log import export_run

    for written in export_run(Run(run), out):
        click.echo(f"{written.path}  {count(len(written.part.responses))} samples")
