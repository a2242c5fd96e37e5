"""`normscope rubric`: what a judge is asked, from a file to begin with to a prompt to look at."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import PATH
from .terminal import say, show_findings

if TYPE_CHECKING:
    from ..judges.rubric import Criterion, Rubric


@click.group()
def rubric() -> None:
    """See what a judge is asked, or ask it something of your own: one YAML file.

    \b
    Examples:
      normscope rubric show  the bundled rubrics, their criteria and categories
      normscope rubric show cfsafety --criterion rating --language zh
      normscope rubric new courtesy.yaml  a file that works, to be changed
      normscope rubric check courtesy.yaml
      normscope judge answers.csv --rubric courtesy.yaml \\
          --judge Qwen/Qwen3-4B --out judged.csv
    """


@rubric.command()
@click.argument("file", type=PATH)
def new(file: Path) -> None:
    """Write a commented rubric to begin with."""
    from ..judges.rubric_files import write_starter

    write_starter(file)
    say(f"{file}; change it into yours, then: normscope rubric check {file}")


@rubric.command()
@click.argument("file", type=PATH)
def check(file: Path) -> None:
    """Explain every problem of a file with its line; exit code 1 if there is an error.

    An error keeps the rubric from being used; a warning is for a person to look at. A file without
    an error is shown as a judge reads it.
    """
    from ..judges.rubric_files import review, sample

    reviewed = review(file)
    show_findings(file, reviewed.findings)
    if reviewed.result is None:
        sys.exit(1)
    say(f"\n{sample(reviewed.result)}\n")
    say(f"{_summary(reviewed.result)}\nhash {reviewed.result.hash}")
    say(f"next: normscope judge ANSWERS.csv --rubric {file} --judge MODEL --out OUT.csv")


@rubric.command()
@click.argument("name_or_file", required=False)
@click.option("--criterion", help="Which question [the first].")
@click.option("--category", help="Which category [the one for rows that name none, or the first].")
@click.option("--language", help="In which language [the one for rows that name none].")
@click.option("--backwards", is_flag=True, help="With the labels from the last to the first.")
def show(name_or_file: str | None, **options: Any) -> None:
    """Print the prompt that a judge reads, with placeholders for question and answer.

    Without a name: the bundled rubrics with their criteria, languages and categories.
    """
    from ..judges.guard_files import bundled_guards
    from ..judges.rubric_files import bundled_rubrics, sample
    from ..judges.rubric_files import rubric as load

    if name_or_file is None:
        for name in bundled_rubrics():
            say(_summary(load(name)))
            say(f"  {', '.join(load(name).categories)}")
        for name in bundled_guards():
            say(_summary(load(name)))
        return
    used = load(name_or_file)
    say(sample(used, **options))
    if used.guard is not None:
        say(f"\n{_summary(used)}")


def _summary(used: "Rubric") -> str:
    kinds = f"{len(used.categories)} categories" if used.categories else "any category"
    languages = ", ".join(used.languages)
    if (guard := used.guard) is not None:
        kinds, languages = "a guard", ", ".join(guard.languages or ("any language",))
    criteria = ", ".join(
        f"{name} ({_scale(criterion, valued=guard is not None)}, {criterion.read})"
        for name, criterion in used.criteria.items()
    )
    return f"{used.name} version {used.version}: {criteria}; {languages}; {kinds}"


def _scale(criterion: "Criterion", *, valued: bool) -> str:
    """The labels; of a guard's what each is worth, which its file chooses."""
    pairs = zip(criterion.scale.labels, criterion.scale.values, strict=True)
    return "/".join(f"{label} = {value:g}" if valued else label for label, value in pairs)
