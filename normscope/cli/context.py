"""`normscope context`: a vignette context or a prompt variant, from a blank file to a dataset."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import ConfigError
from ..format import count
from ..messages import Language, message, translate
from .options import LANGUAGE, PATH
from .terminal import show_findings

if TYPE_CHECKING:
    from ..builders.ci_vignettes.context_file import ContextFile
    from ..builders.ci_vignettes.prompts import Prompts


@click.group()
def context() -> None:
    """Add a vignette context or a prompt variant: one YAML file, no programming.

    \b
    Examples:
      normscope context new library        writes library.yaml with blanks to fill in
      normscope context check library.yaml
      normscope context preview library.yaml
      normscope context build library.yaml --out data/library
    """


@context.command()
@click.argument("name")
@click.option("--prompts", is_flag=True, help="A file of prompt variants, not a context.")
@click.option("--out", type=PATH, help="Where to write it [NAME.yaml].")
def new(name: str, prompts: bool, out: Path | None) -> None:
    """Write a commented file with blanks to fill in."""
    from ..builders.ci_vignettes.contribute import write_starter

    path = out or Path(f"{name}.yaml")
    write_starter(name, path, prompts=prompts)
    click.echo(f"{path}; fill in every ___, then: normscope context check {path}")


@context.command()
@click.argument("file", type=PATH)
@LANGUAGE
def check(file: Path, language: Language) -> None:
    """Explain every problem of a file with its line; exit code 1 if there is an error.

    An error keeps the file from being built; a warning is for a person to look at.
    """
    from ..builders.ci_vignettes.review import review

    reviewed = review(file)
    show_findings(file, reviewed.findings, language)
    if reviewed.errors:
        sys.exit(1)
    click.echo(translate(message("next: normscope context preview {file}", file=file), language))


@context.command()
@click.argument("file", type=PATH)
@click.option("--sample", type=click.IntRange(1, 1000), default=5, show_default=True)
@click.option("--prompts", type=PATH, help="Show a context in the variants of this file.")
def preview(file: Path, sample: int, prompts: Path | None) -> None:
    """Show what a file makes: counts, and a sample of vignettes and prompts.

    A context is shown in the prompts that it names, or in those of --prompts.
    """
    from ..builders.ci_vignettes.context import read_prompts
    from ..builders.ci_vignettes.context_file import ContextFile
    from ..builders.ci_vignettes.contribute import preview as look

    contributed = _good(file)
    if isinstance(contributed, ContextFile) and prompts is None and contributed.prompts is not None:
        prompts = file.with_name(contributed.prompts)
    asked_in = None if prompts is None else read_prompts(prompts)
    seen = look(contributed, asked_in=asked_in, size=sample)
    for what, number in seen.counts.items():
        click.echo(f"{count(number):>8}  {what}")
    for title, texts in (("Vignettes", seen.vignettes), ("Prompts", seen.prompts)):
        if texts:
            click.echo(f"\n{title}")
            for text in texts:
                click.echo(f"  {text}")


@context.command()
@click.argument("file", type=PATH)
@click.option("--prompts", type=PATH, help="Ask with the variants of this file, not Table 5's.")
@click.option("--out", type=PATH, required=True, help="The dataset's folder.")
def build(file: Path, prompts: Path | None, out: Path) -> None:
    """Build a context into a dataset that `load_dataset` reads: Parquet and a card.

    \b
    Examples:
      normscope context build library.yaml --out data/library
      normscope context build library.yaml --prompts kindly.yaml --out data/library-kindly
      python -c "import datasets; print(datasets.load_dataset('data/library', 'library'))"
      normscope push dataset --folder data/library --to me/library
    """
    from ..builders.ci_vignettes.context_file import ContextFile
    from ..builders.ci_vignettes.contribute import write_context

    built = _good(file)
    if not isinstance(built, ContextFile):
        raise ConfigError(f"{file} holds prompts; build a context with them: --prompts {file}")
    for config, rows in write_context(built, file, out, prompts=prompts).items():
        click.echo(f"{out}  {config}  {rows:,} rows")


def _good(file: Path) -> "ContextFile | Prompts":
    """What the file makes; what was found is shown if it makes nothing."""
    from ..builders.ci_vignettes.review import review

    reviewed = review(file)
    if reviewed.result is None:
        show_findings(file, reviewed.findings)
        sys.exit(1)
    return reviewed.result
