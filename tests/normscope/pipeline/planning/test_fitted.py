"""The slice that a budget pays for, of benchmarks whose costs are known."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.pipeline.planning.budget import Budget
from normscope.pipeline.planning.fitted import fitted
from normscope.pipeline.planning.plan import Plan, StagePlan
from normscope.pipeline.planning.ranges import Range
from normscope.pipeline.planning.tokens import StageTokens
from normscope.records.config import RunConfig

SMALL, LARGE = 90, 30_000


@dataclass
class Priced:
    """Plans of two benchmarks: so many tokens for all of it, and for an item, ever more or less."""

    before: int
    bent: float
    plans: int = 0

    def cost(self, size: int) -> float:
        items = min(SMALL, size) + min(LARGE, size)
        return float(self.before + 10 * items**self.bent)

    def plan(self, config: RunConfig) -> Plan:
        self.plans += 1
        items = {name: min(of, config.limit.get(name, of)) for name, of in SIZES.items()}
        tokens = Range.exact(self.cost(items["ci-vignettes:iot"]))
        nothing = Range.exact(0)
        counted = StageTokens(tokens, tokens, nothing, nothing, tokens, counted=1)
        known: dict[str, Any] = {"written": nothing, "seconds": None, "bytes": None, "bill": None}
        stage = StagePlan("judge", "m", 1, 1, 1, counted, True, most_written=0, **known)
        return Plan((stage,), None, (), (), config.limit, items)


SIZES = {"safety-gradient": SMALL, "ci-vignettes:iot": LARGE}
CONFIG = RunConfig(benchmark=tuple(SIZES))
PRICED = st.builds(Priced, st.sampled_from([0, 5_000]), st.sampled_from([0.7, 1.0, 1.3]))


def size(planner: Priced, most: float) -> int:
    """How many items of the larger benchmark the budget pays for."""
    result = fitted(planner, CONFIG, Budget("tokens", most, f"{most} tokens"))  # type: ignore[arg-type]
    return result.plan.items["ci-vignettes:iot"]


@given(planner=PRICED, share=st.floats(0.001, 1.1), more=st.floats(1.0, 1.1))
def test_more_is_never_less_and_what_is_left_would_not_pay_for_much(
    planner: Priced, share: float, more: float
) -> None:
    most = planner.cost(1) + share * (planner.cost(LARGE) - planner.cost(1))
    items = size(planner, most)
    assert planner.cost(items) <= most
    assert items == LARGE or planner.cost(items + 1 + items // 32) > most
    assert size(planner, more * most) >= items


@pytest.mark.parametrize(("bent", "plans"), [(0.7, 14), (1.0, 7), (1.3, 14)])
def test_few_slices_are_tried(bent: float, plans: int) -> None:
    for share in (0.01, 0.1, 0.5, 0.9):
        planner = Priced(5_000, bent)
        size(planner, 5_100 + share * planner.cost(LARGE))
        assert planner.plans <= plans
