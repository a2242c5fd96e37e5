"""The slice of a run that a budget pays for, before the run is begun."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..format import count
from ..judges.engines import load
from ..launch import launched
from ..messages import message, translate
from ..records.config import RunConfig

if TYPE_CHECKING:
    from ..records.folder import RunFolder


def within(
    run: "RunFolder",
    requested: RunConfig,
    budget: str | None,
    prices: Path | None,
    *,
    judged: bool = True,
) -> RunConfig:
    """The configuration with the limits that the budget pays for; without a budget as it is.

    They stay with the run: one that is begun goes on with its own, whatever limits are asked for.
    `judged` is whether the judge's work is paid for as well.
    """
    if budget is None:
        if prices is not None:
            raise UsageError(message("--prices belongs to --budget, or to `normscope plan`"))
        return requested
    if run.config.provenance.responses is not None:
        click.echo(translate(message("the run is begun and keeps its limits"), "en"), err=True)
        return replace(requested, limit=run.config.limit)
    from ..pipeline.planning.budget import read_budget
    from ..pipeline.planning.fitted import cost_of, fitted, shown_cost
    from ..pipeline.planning.planner import Planner
    from ..pipeline.planning.prices import read_prices

    limit = read_budget(budget)
    planner = Planner(
        load,
        prices=read_prices(prices) if prices else None,
        judged=judged,
        processes=launched().count,
    )
    result = fitted(planner, requested, limit)
    n, m = (count(sum(plan.items.values())) for plan in (result.plan, result.whole))
    cost = shown_cost(cost_of(result.plan, limit), limit)
    text = message("{budget}: {n} of {m} items, about {cost}", budget=budget, n=n, m=m, cost=cost)
    click.echo(translate(text, "en"), err=True)
    return result.config
