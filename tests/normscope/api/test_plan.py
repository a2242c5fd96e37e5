"""`ns.plan`: the same plan as a frame, as text and in a notebook."""

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


def test_what_is_no_time_and_no_setting_is_refused() -> None:
    with pytest.raises(UsageError, match="calibrate is 0 or more"):
        ns.plan(benchmarks="safety-gradient", calibrate=-1)
    with pytest.raises(UsageError, match="there is no setting 'calibrat'"):
        ns.plan(benchmarks="safety-gradient", calibrat=3)
