"""`ns.plan`: the same plan as a frame, as text and in a notebook."""

from typing import Any

import pytest

import normscope as ns
from normscope.errors import UsageError


def test_a_plan_without_a_calibration() -> None:
    plan = ns.plan(benchmarks="safety-gradient", judge="bundled", limit=20, calibrate=0)
    frame = plan.to_frame().set_index("stage")
    assert list(frame["prompts"]) == [20, 1]
    assert frame.loc["judge", "unique_tokens"] < 0.5 * frame.loc["judge", "tokens"]
    assert frame["seconds"].isna().all()
    assert plan.total.precision[0].items == 20
    assert "not measured" in repr(plan)
    assert "<table" in plan._repr_html_()


def test_a_judge_of_python_s_own_judges_in_the_plan_and_a_budget_cuts_it() -> None:
    judge = ns.Judge("bundled")
    arguments: dict[str, Any] = {"benchmarks": "safety-gradient", "judge": judge, "calibrate": 0}
    whole = ns.plan(**arguments)
    cut = ns.plan(**arguments, budget="30k tokens")
    assert whole.limit == {}
    assert cut.total.tokens.value <= 30_000 < whole.total.tokens.value
    (limit,) = cut.limit.values()
    assert cut.total.items == {"safety-gradient": limit}


def test_what_is_no_time_and_no_setting_is_refused() -> None:
    with pytest.raises(UsageError, match="calibrate is 0 or more"):
        ns.plan(benchmarks="safety-gradient", calibrate=-1)
    with pytest.raises(UsageError, match="there is no setting 'calibrat'"):
        ns.plan(benchmarks="safety-gradient", calibrat=3)
