"""`normscope plan`: what a run will take and tell, before anything of it is done."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ..api.settings import requested
from ..judges.engines import load
from ..launch import launched
from ..messages import Language
from ..records.config import RunConfig
from .options import (
    CONFIG,
    ENGINE,
    FOLDER,
    JUDGE,
    JUDGE_CHANNEL,
    LANGUAGE,
    RESPOND,
    SCORE,
    UNIT_ITEMS,
)
from .terminal import console

if TYPE_CHECKING:
    from ..pipeline.planning.plan import Plan


@click.command()
@RESPOND
@JUDGE
@JUDGE_CHANNEL
@ENGINE
@CONFIG
@UNIT_ITEMS
@SCORE
@click.option("--run", "begun", type=FOLDER, metavar="RUN", help="A begun run: what is left of it.")
@click.option(
    "--calibrate",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=10.0,
    help="How long units are tried; 0 loads no model and tells no time [10].",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="[text]"
)
@LANGUAGE
def plan(
    *,
    begun: Path | None,
    calibrate: float,
    form: Literal["text", "json"],
    language: Language,
    **flags: Any,
) -> None:
    """Say what a run will take, and what it will tell; takes the flags of `run`, writes nothing.

    Items, prompts, tokens, what prompts share, time, memory and disk; then how wide the interval of
    each headline will be. Some units, spread over the plan, are done for ten seconds (--calibrate)
    to see how fast this machine and this model are; started by accelerate as the run will be, the
    time is that of all its processes.

    \b
    Examples:
      normscope plan --model ./checkpoint --judge Qwen/Qwen3-4B -b cfsafety,ci-vignettes:coppa
      normscope plan --run runs/checkpoint                 what is left
      normscope plan --config config.yaml --calibrate 0 --format json
    """
    from ..pipeline.planning.planner import Planner
    from ..records.folder import opened

    launch = launched()
    if not launch.drives:
        return
    planner = Planner(load, seconds=calibrate, processes=launch.count)
    if begun is None:
        _show(planner.plan(requested(flags, RunConfig())), form, language)
        return
    from ..records.reproduction import from_copies

    with opened(begun) as run:
        config = requested(flags, from_copies(run.config, begun))
        _show(planner.plan(config, run), form, language)


def _show(result: "Plan", form: Literal["text", "json"], language: Language) -> None:
    from ..report.plan import page, to_json
    from ..report.writers.terminal import show

    if form == "json":
        click.echo(to_json(result, language))
    else:
        show(page(result), console(160), language)
