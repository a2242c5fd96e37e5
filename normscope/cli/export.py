"""`normscope export`: benchmarks in the formats of other tools."""

from pathlib import Path
from typing import Any

import click

from ..format import count
from .options import FOLDER, SOURCE, flags


@click.group()
def export() -> None:
    """Write benchmarks for other tools; what they answer comes back by `import`.

    \b
    normscope export lm-eval ci-vignettes:coppa --out tasks
    """


@export.command("lm-eval")
@click.argument("benchmark", nargs=-1)
@flags("context", "prompts", "variants", "limit", "channels", "key", "max_new_tokens")
@SOURCE
@click.option("--out", type=FOLDER, required=True, help="Where the tasks go, a folder each.")
def lm_eval(out: Path, **options: Any) -> None:
    """Write benchmarks as tasks of lm-evaluation-harness, run with --include_path.

    Options and vignettes are a choice among their labels, read by log-likelihood; everything else,
    and what --channels text requests, is written by the model. A prompt of several turns is left
    out: a task of the harness has one. The samples come back as a run (docs/exchange.md).

    \b
    Examples:
      normscope export lm-eval ci-vignettes:iot --variants 0,3 --limit 200 --out tasks
      normscope export lm-eval chisafetybench:mcq --source ~/sources --out tasks
    """
    from ..exchange.lm_eval.tasks import write_tasks
    from ..pipeline.requested import requested

    for folder, prompts in write_tasks(requested(options), out).items():
        click.echo(f"{folder}  {count(prompts)} prompts")
