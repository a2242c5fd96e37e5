"""`normscope context`: a vignette context or a prompt variant, from a blank file to a good one."""

import sys
from pathlib import Path

import click

from ..format import count
from ..messages import Language
from .options import LANGUAGE, PATH
from .terminal import say, show_findings


@click.group()
def context() -> None:
    """Add a vignette context or a prompt variant: one YAML file, no programming.

    \b
    Examples:
      normscope context new library  writes library.yaml with blanks to fill in
      normscope context check library.yaml
      normscope build --context library.yaml
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
    say(f"{path}; fill in every ___, then: normscope context check {path}")


@context.command()
@click.argument("file", type=PATH)
@click.option("--prompts", type=PATH, help="Show a context in the variants of this file.")
@LANGUAGE
def check(file: Path, prompts: Path | None, language: Language) -> None:
    """Explain every problem of a file with its line; exit code 1 if there is an error.

    An error keeps the file from being built; a warning is for a person to look at. Of a file
    without an error counts and a sample of its vignettes and prompts are shown, those of a context
    in the prompts that it names, or in those of --prompts.
    """
    from ..builders.ci_vignettes.context import read_prompts
    from ..builders.ci_vignettes.context_file import ContextFile
    from ..builders.ci_vignettes.contribute import preview
    from ..builders.ci_vignettes.review import review

    reviewed = review(file)
    show_findings(file, reviewed.findings, language)
    contributed = reviewed.result
    if contributed is None:
        sys.exit(1)
    if isinstance(contributed, ContextFile) and prompts is None and contributed.prompts is not None:
        prompts = file.with_name(contributed.prompts)
    seen = preview(contributed, asked_in=None if prompts is None else read_prompts(prompts))
    for what, number in seen.counts.items():
        say(f"{count(number):>8}  {what}")
    for title, texts in (("Vignettes", seen.vignettes), ("Prompts", seen.prompts)):
        if texts:
            say(f"\n{title}")
            for text in texts:
                say(f"  {text}", wrapped=True)
