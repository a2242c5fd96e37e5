"""`normscope plan`: what a run will take and tell, before anything of it is done."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ..api.settings import requested
from ..errors import UsageError
from ..judges.engines import load
from ..launch import launched
from ..messages import Language, message
from ..records.config import RunConfig
from .options import (
    BUDGET,
    CONFIG,
    ENGINE,
    FOLDER,
    JUDGE,
    JUDGE_CHANNEL,
    LANGUAGE,
    PRICES,
    RESPOND,
    SCORE,
    UNIT_ITEMS,
)
from .terminal import console

if TYPE_CHECKING:
    from ..pipeline.planning.fitted import Fitted


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
    metavar="TIME",
    default="10s",
    help="How long units are tried; 0 loads no model and tells no time [10s].",
)
@PRICES
@BUDGET
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="[text]"
)
@LANGUAGE
def plan(
    *,
    begun: Path | None,
    calibrate: str,
    prices: Path | None,
    budget: str | None,
    form: Literal["text", "json"],
    language: Language,
    **flags: Any,
) -> None:
    """Say what a run will take, and what it will tell; takes the flags of `run`, writes nothing.

    Tokens, what prompts share, time, memory, disk and the bill; then how wide intervals will be,
    and which differences of two models will be seen. Some units, spread over the plan, are done for
    ten seconds (--calibrate) to see how fast this machine and this model are; started by accelerate
    as the run will be, the time is that of all its processes.

    With --budget it proposes the largest balanced slice of every benchmark that is expected to fit
    into a time, a number of tokens, or a sum of money by your table of prices (docs/plan.md).

    \b
    Examples:
      normscope plan --model ./checkpoint --judge Qwen/Qwen3-4B -b cfsafety,ci-vignettes:coppa
      normscope plan --model ./checkpoint -b ci-vignettes:iot --budget 2h
      normscope plan --model https://api.example.org/v1#m -b chisafetybench:mcq \\
          --prices prices.yaml --budget '20 USD'
      normscope plan --run runs/checkpoint                 what is left
      normscope plan --config config.yaml --calibrate 0 --format json
    """
    from ..pipeline.planning.budget import read_budget, read_seconds
    from ..pipeline.planning.fitted import fitted, planned
    from ..pipeline.planning.planner import Planner
    from ..pipeline.planning.prices import read_prices
    from ..records.folder import opened

    launch = launched()
    if not launch.drives:
        return
    limit = read_budget(budget) if budget else None
    planner = Planner(
        load,
        seconds=read_seconds(calibrate),
        prices=read_prices(prices) if prices else None,
        processes=launch.count,
    )
    if begun is None:
        config = requested(flags, RunConfig())
        result = fitted(planner, config, limit) if limit else planned(planner, config)
        _show(result, form, language)
        return
    if limit is not None:
        raise UsageError(
            message("a run that is begun keeps its limits: --run and --budget exclude each other")
        )
    from ..records.reproduction import from_copies

    with opened(begun) as run:
        config = requested(flags, from_copies(run.config, begun))
        _show(planned(planner, config, run), form, language)


def _show(result: "Fitted", form: Literal["text", "json"], language: Language) -> None:
    from ..report.plan import page, to_json
    from ..report.writers.terminal import show

    if form == "json":
        click.echo(to_json(result, language))
    else:
        show(page(result), console(160), language)
