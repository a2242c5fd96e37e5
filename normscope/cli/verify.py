"""`normscope verify`: whether a run holds every unit once, and its files are as they were left."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import RunError
from ..files import canonical_json
from .options import FOLDER
from .terminal import console

if TYPE_CHECKING:
    from ..pipeline.verify import Verification


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
    from ..report.verified import page
    from ..report.writers.terminal import show

    result = hold(run)
    if form == "json":
        click.echo(canonical_json(_values(result)))
    else:
        show(page(result), console(120))
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
