"""The largest balanced subsample that a budget pays for."""

from collections import Counter
from dataclasses import dataclass, replace

from ...errors import UsageError
from ...format import count
from ...messages import message
from ...records.config import RunConfig
from ...records.folder import RunFolder
from .budget import Budget
from .plan import Plan
from .planner import Planner

_PLANS = 8
_NEAR = 0.97
"""A subsample that uses so much of the budget is not made larger."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The configuration with the limits that a budget pays for, what it takes, and all of it."""

    config: RunConfig
    plan: Plan
    whole: Plan

    @property
    def cut(self) -> bool:
        """Whether anything had to be left out."""
        return self.config.limit != self.whole.limit


def planned(planner: Planner, config: RunConfig, run: RunFolder | None = None) -> Fitted:
    """The plan of all that the configuration asks for; of a begun `run`, of what is left."""
    plan = planner.plan(config, run)
    return Fitted(config, plan, plan)


def fitted(planner: Planner, config: RunConfig, budget: Budget) -> Fitted:
    """The largest slice of equal size in every benchmark whose expected cost is in the budget.

    A benchmark that has fewer items is taken whole. A budget that does not pay for an item of each
    category is a `UsageError` with what that would cost.
    """
    whole = planner.plan(config)
    if cost_of(whole, budget) <= budget.most:
        return Fitted(config, whole, whole)
    least, most = _categories(whole), max(whole.items.values())
    smallest = config if least >= most else limited(config, whole, least)
    plan = whole if least >= most else planner.plan(smallest)
    if cost_of(plan, budget) > budget.most:
        raise UsageError(
            message(
                "the budget {budget} does not pay for an item of each category ({items} items): "
                "that takes about {cost}",
                budget=budget.text,
                items=count(sum(plan.items.values())),
                cost=shown_cost(cost_of(plan, budget), budget),
            )
        )
    best, under, over = Fitted(smallest, plan, whole), (least, plan), (most, whole)
    for _ in range(_PLANS):
        low, high = cost_of(under[1], budget), cost_of(over[1], budget)
        if over[0] - under[0] < 2 or low >= _NEAR * budget.most:  # noqa: PLR2004 - none between
            break
        # costs go up nearly in proportion to the items
        share = (budget.most * (1 + _NEAR) / 2 - low) / (high - low)
        size = under[0] + round((over[0] - under[0]) * share)
        size = min(max(size, under[0] + 1), over[0] - 1)
        tried = limited(config, whole, size)
        plan = planner.plan(tried)
        if cost_of(plan, budget) <= budget.most:
            best, under = Fitted(tried, plan, whole), (size, plan)
        else:
            over = (size, plan)
    return best


def cost_of(plan: Plan, budget: Budget) -> float:
    """What of the budget's kind the plan is expected to take; a `UsageError` where nobody knows."""
    if budget.kind == "tokens":
        return plan.tokens.value
    if budget.kind == "time":
        if plan.seconds is None:
            raise UsageError(
                message("a budget of time needs a calibration: leave --calibrate 0 out")
            )
        return plan.seconds.value
    if plan.bill is None:
        raise UsageError(message("a budget of money needs prices: --prices prices.yaml"))
    if plan.currency != budget.currency:
        raise UsageError(
            message(
                "the budget is in {currency}, and the prices are in {prices}",
                currency=budget.currency,
                prices=plan.currency,
            )
        )
    return plan.bill.value


def shown_cost(cost: float, budget: Budget) -> str:
    """The cost in the unit of the budget's kind.

    >>> shown_cost(90.0, Budget("time", 60, "60s")), shown_cost(1.5, Budget("money", 1, "", "EUR"))
    ('90 s', '1.50 EUR')
    """
    if budget.kind == "money":
        return f"{cost:.2f} {budget.currency}"
    return f"{cost:,.0f} {'s' if budget.kind == 'time' else 'tokens'}"


def limited(config: RunConfig, whole: Plan, size: int) -> RunConfig:
    """The configuration with at most so many items of each benchmark."""
    cut = {name: size for name, items in whole.items.items() if items > size}
    return replace(config, limit={**config.limit, **cut})


def _categories(plan: Plan) -> int:
    """The most categories that a benchmark has."""
    of_benchmark = Counter(each.benchmark for each in plan.precision if each.category)
    return max(of_benchmark.values(), default=1)
