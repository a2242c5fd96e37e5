"""`normscope verify`: whether a run holds every unit once, and its files are as they were left."""

from collections.abc import Iterator
from dataclasses import asdict, astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import RunError
from ..files import canonical_json
from ..format import count
from .options import FOLDER
from .terminal import console

if TYPE_CHECKING:
    from ..pipeline.verify import Verification
    from ..report.blocks import Block, Page


@click.command()
@click.argument("run", type=FOLDER)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def verify(run: Path, *, form: str) -> None:
    """Prove that every unit of a run was asked, answered, judged and merged exactly once.

    The plan of each stage is made again and held against the journal; each file against the hash
    that its stage has noted; each table against what was asked. What is missing is named, with the
    command that finishes it. No model is loaded and nothing is written: a folder that can only be
    read, or in which a run is under way, can be verified as well.

    Exit codes: 0 proven, 1 something is missing or amiss.

    \b
    Examples:
      normscope verify runs/qwen
      normscope verify runs/qwen --format json | jq .proven
    """
    from ..pipeline.verify import verify as hold
    from ..report.writers.terminal import show

    result = hold(run)
    if form == "json":
        click.echo(canonical_json(_values(result)))
    else:
        show(_page(result), console(120))
    if not result.proven:
        raise RunError(f"{run} is not proven ({result.remedies[0]})")


def _values(result: "Verification") -> dict[str, Any]:
    """The result as JSON values, with what follows from it."""
    findings = [asdict(each) | {"text": str(each)} for each in result.findings]
    return asdict(result) | {
        "run": str(result.run),
        "proven": result.proven,
        "findings": findings,
        "remedies": list(result.remedies),
    }


def _page(result: "Verification") -> "Page":
    """What is proven or amiss, the counts of each stage, and what finishes the run."""
    from ..report.blocks import Page

    proven = "every unit was asked, answered, judged and merged exactly once"
    title = f"{result.run}: {proven if result.proven else 'not proven'}"
    return Page(title=title, blocks=tuple(_blocks(result)))


def _blocks(result: "Verification") -> "Iterator[Block]":
    from ..report.blocks import Bullets, Listing, Section, Table, columns

    if notes := tuple(_notes(result)):
        yield Bullets(notes)
    if result.stages:
        header = ("stage", "units", "done", "rows", "done", "call failed", "done again")
        rows = tuple((name, *map(count, numbers)) for name, *numbers in map(astuple, result.stages))
        yield Table(columns(*header), rows)
    if result.findings:
        findings = tuple(map(str, result.findings))
        remedies = tuple(Listing(remedy, command=True) for remedy in result.remedies)
        yield Section("What is missing or amiss", (Bullets(findings),))
        yield Section("How it is finished", remedies)


def _notes(result: "Verification") -> Iterator[str]:
    if result.in_use:
        yield "a process is working on the run: what is missing may still come"
    if result.imported:
        yield "its answers were recorded elsewhere and imported: they have no units"
    if failed := sum(stage.failed for stage in result.stages):
        yield (
            f"rows that are unscored since a call failed: {count(failed)}; `normscope run "
            f"--retry-failed --out {result.run}` asks them again"
        )
    if again := sum(stage.again for stage in result.stages):
        yield (
            f"rows that were done more than once: {count(again)}; the first counts, and is in the "
            "tables once"
        )
