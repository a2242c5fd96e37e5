"""The largest balanced subsample that a budget pays for."""

from bisect import bisect
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

_STEP = 32
"""A slice that can be proposed has at most one in so many items more than the next smaller one."""

_GUESSES = 4
"""So many sizes are guessed from the costs that are known; after them what is left is halved."""


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

    Of sizes that are a thirty-second apart; a benchmark that has fewer items is taken whole. A
    budget that does not pay for an item of each category is a `UsageError` with what that would
    cost.
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
    # the same sizes whatever the budget is, so that a larger one never pays for less
    sizes, best = _sizes(least, most), Fitted(smallest, plan, whole)
    under, over, low, high = 0, len(sizes) - 1, cost_of(plan, budget), cost_of(whole, budget)
    guesses = 0
    while over - under > 1:
        middle = (under + over) // 2
        if guesses < _GUESSES:
            # costs go up nearly in proportion to the items
            share = (budget.most - low) / (high - low)
            items = sizes[under] + share * (sizes[over] - sizes[under])
            middle = min(max(bisect(sizes, items) - 1, under + 1), over - 1)
            guesses += 1
        tried = limited(config, whole, sizes[middle])
        plan = planner.plan(tried)
        cost = cost_of(plan, budget)
        if cost <= budget.most:
            best, under, low = Fitted(tried, plan, whole), middle, cost
        else:
            over, high = middle, cost
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


def _sizes(least: int, most: int) -> list[int]:
    """The sizes of the slices that can be proposed, from the least to all there is.

    >>> _sizes(62, 70), _sizes(320, 345)
    ([62, 63, 64, 66, 68, 70], [320, 330, 340, 345])
    """
    sizes = [min(least, most)]
    while sizes[-1] < most:
        sizes.append(min(most, sizes[-1] + max(1, sizes[-1] // _STEP)))
    return sizes


def _categories(plan: Plan) -> int:
    """The most categories that a benchmark has."""
    of_benchmark = Counter(each.benchmark for each in plan.precision if each.category)
    return max(of_benchmark.values(), default=1)
