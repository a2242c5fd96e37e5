"""`normscope plan`: what a run will take and tell, before anything of it is done."""

from typing import Any

import click

from ..judges.engines import load
from .options import CONFIG, stage_flags


@click.command()
@stage_flags("respond", "judge", "score")
@CONFIG
@click.option(
    "--calibrate",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=10.0,
    help="How long units are tried; 0 loads no model and tells no time [10].",
)
def plan(*, calibrate: float, **flags: Any) -> None:
    """Say what a run will take, and what it will tell; takes the flags of `run`, writes nothing.

    Items, prompts, tokens, time and memory; then how wide the interval of each headline will be.
    Some units are done for ten seconds to see how fast this machine and this model are.

    \b
    Examples:
      normscope plan --model ./checkpoint --judge Qwen/Qwen3-4B -b cfsafety,ci-vignettes:coppa
      normscope plan --config config.yaml --calibrate 0
    """
    from ..pipeline.plan import plan as planned
    from ..pipeline.requested import requested

    result = planned(requested(flags), load, seconds=calibrate)
    for table in (result.stages, result.precision):
        click.echo(table.to_string(index=False, float_format="{:.3g}".format) + "\n")
    if result.loading is not None and result.memory is not None:
        click.echo(f"{result.loading:.3g} s to load, {result.memory / 1e9:.3g} GB in use at most")
