"""`normscope verify`: whether a run holds every unit once, and its files are as they were left."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import RunError
from ..format import count
from .options import AS_JSON, FOLDER
from .terminal import end, say, show_frame

if TYPE_CHECKING:
    from ..pipeline.verify import Verification


@click.command()
@click.argument("run", type=FOLDER)
@AS_JSON
def verify(run: Path) -> None:
    """Prove that every unit of a run was asked, answered, judged and merged exactly once.

    The plan of each stage is made again and held against the journal; each file against the hash
    that its stage has noted; each table against what was asked. What is missing is named, with the
    command that finishes it. No model is loaded and nothing is written: a folder that can only be
    read, or in which a run is under way, can be verified as well.

    Exit codes: 0 proven, 1 something is missing or amiss.

    \b
    Example:
      normscope verify runs/qwen
    """
    import pandas as pd

    from ..pipeline.verify import verify as hold

    result = hold(run)
    for line in _lines(result):
        say(line)
    if result.stages:
        show_frame(pd.DataFrame(map(asdict, result.stages)))
    for title, texts in (
        ("What is missing or amiss", [*map(str, result.findings)]),
        ("How it is finished", result.remedies),
    ):
        if texts:
            say("\n".join([f"\n{title}", *(f"- {text}" for text in texts)]))
    whole = {"proven": result.proven, "remedies": result.remedies, **asdict(result)}
    whole["findings"] = [*map(str, result.findings)]
    text = "" if result.proven else f"{run} is not proven ({result.remedies[0]})"
    end(whole, code=RunError.exit_code if text else 0, text=text)


def _lines(result: "Verification") -> Iterator[str]:
    """Whether all is proven, and what of the run cannot be or may still come."""
    proven = "every unit was asked, answered, judged and merged exactly once"
    yield f"{result.run}: {proven if result.proven else 'not proven'}\n"
    if result.in_use:
        yield "a process is working on the run: what is missing may still come"
    if result.imported:
        yield "its answers were recorded elsewhere and imported: they have no units"
    elif not result.stages:
        yield "its journal is not here: in which units it was made cannot be told"
    if failed := sum(stage.failed for stage in result.stages):
        again = f"normscope run --retry-failed --out {result.run}"
        yield f"rows that are unscored since a call failed: {count(failed)}; `{again}` asks again"
