"""`normscope verify`: whether a run holds every unit once, and its tables follow from them."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import RunError, UsageError
from ..files import canonical_json
from ..messages import Language, message
from .options import FOLDER, LANGUAGE
from .terminal import console

if TYPE_CHECKING:
    from ..pipeline.verify import Verification


@click.command()
@click.argument("run", type=FOLDER)
@click.option(
    "--rebuild",
    is_flag=True,
    help="Make tables and scores again from the units, in a temporary folder, and compare.",
)
@click.option(
    "--write", is_flag=True, help="With --rebuild: put back files that are missing or damaged."
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@LANGUAGE
def verify(run: Path, *, rebuild: bool, write: bool, form: str, language: Language) -> None:
    """Prove that every unit of a run was asked, answered, judged and merged exactly once.

    The plan of each stage is made again and held against the journal; each file against the hash
    that its stage has noted; each table against what was asked. What is missing is named, with the
    command that finishes it. No model is loaded, and nothing is written unless --write says so: a
    folder that can only be read, or in which a run is under way, can be verified as well.

    Exit codes: 0 proven, 1 something is missing or amiss.

    \b
    Examples:
      normscope verify runs/qwen
      normscope verify runs/qwen --rebuild
      normscope verify runs/qwen --rebuild --write
      normscope verify runs/qwen --format json | jq .proven
    """
    if write and not rebuild:
        raise UsageError("--write belongs to --rebuild: what is put back is made from the units")
    from ..pipeline.rebuild import verify_rebuilt
    from ..pipeline.verify import verify as hold
    from ..report.verified import page
    from ..report.writers.terminal import show

    result = verify_rebuilt(run, write=write) if rebuild else hold(run)
    if form == "json":
        click.echo(canonical_json(_values(result)))
    else:
        show(page(result), console(120), language)
    if not result.proven:
        raise RunError(
            message("{run} is not proven ({remedy})", run=run, remedy=result.remedies[0])
        )


def _values(result: "Verification") -> dict[str, Any]:
    """The result as JSON values, with what follows from it."""
    findings = [asdict(each) | {"text": str(each)} for each in result.findings]
    return asdict(result) | {
        "run": str(result.run),
        "proven": result.proven,
        "findings": findings,
        "remedies": list(result.remedies),
    }
