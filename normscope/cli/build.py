"""`normscope build`: benchmarks as datasets, or as tasks of lm-evaluation-harness."""

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..format import count
from .options import FOLDER, SOURCE, flags, set_option
from .terminal import say

LM_EVAL = "lm-eval"
OF_TASKS = ("limit", "channels", "settings")
"""Options of what is written for lm-eval alone."""


@click.command()
@click.argument("names", nargs=-1)
@click.option("--list", "listed", is_flag=True, help="Show the benchmarks: n, languages, licence.")
@click.option(
    "--as", "form", type=click.Choice(["dataset", LM_EVAL]), default="dataset", show_default=True
)
@SOURCE
@flags("context", "prompts", "limit", "channels")
@set_option("variants", "key", "max_new_tokens", "option_orders")
@click.option("--out", type=FOLDER, help="Where the folders go [data; of lm-eval tasks].")
def build(
    names: tuple[str, ...], *, listed: bool, form: str, out: Path | None, **options: Any
) -> None:
    """Build datasets that `load_dataset` reads: Parquet and a card per dataset, or --context.

    With --as lm-eval each benchmark becomes a task of lm-evaluation-harness, run with
    --include_path, of the items that a run with the same settings asks. What it answers comes back
    by `normscope import` (docs/import.md).

    \b
    Examples:
      normscope build --list
      normscope build ci-vignettes safety-gradient
      normscope build cfsafety --source ~/CFSafety/data --out data
      normscope build --context library.yaml --prompts kindly.yaml
      normscope build ci-vignettes:iot --as lm-eval --limit 200 \\
          --set variants=0,3 --out tasks
    """
    if listed:
        _show_benchmarks()
    elif form == LM_EVAL:
        _write_tasks(names, out or Path("tasks"), options)
    elif not (names or options["context"]):
        raise UsageError("name what to build; `normscope build --list` shows what there is")
    elif options["prompts"] and not options["context"]:
        raise UsageError("--prompts: of --context or --as lm-eval; ours have the published ones")
    elif idle := [name for name in OF_TASKS if options[name]]:
        raise UsageError(f"{idle[0]}: of --as {LM_EVAL} alone, since a dataset is built whole")
    else:
        _write_datasets(names, out or Path("data"), options)


def _show_benchmarks() -> None:
    from ..builders.registry import BUILDERS, builder

    for dataset in map(builder, BUILDERS):
        card = dataset.card
        languages = ", ".join(card.languages)
        say(f"\n{card.title}; languages: {languages}; licence: {card.license}")
        for bench in dataset.benchmarks:
            say(f"  {count(bench.size):>7}  {bench.name}")


def _write_datasets(names: tuple[str, ...], out: Path, options: dict[str, Any]) -> None:
    from ..builders.ci_vignettes.dataset import ContextDataset
    from ..builders.write import build as build_dataset

    source, unpinned = options["source"], bool(options["unpinned"])
    built = {name: build_dataset(name, out, source=source, unpinned=unpinned) for name in names}
    for file in options["context"]:
        context = ContextDataset.from_yaml(file, prompts=options["prompts"])
        built[context.name] = {**context.build(out / context.name)}
    for name, counts in built.items():
        for config, rows in counts.items():
            say(f"{out / name}  {config}  {rows:,} rows")


def _write_tasks(names: tuple[str, ...], out: Path, options: dict[str, Any]) -> None:
    from ..exchange.lm_eval.tasks import write_tasks
    from ..pipeline.requested import requested

    for folder, prompts in write_tasks(requested({**options, "benchmark": names}), out).items():
        say(f"{folder}  {count(prompts)} prompts")
