"""What the judge brings along stands among what limits the numbers."""

from typing import Any

from normscope.files import typed
from normscope.records.judging import Judging
from normscope.report.blocks import plain
from normscope.report.judge_caveats import drift_caveats

FIXED_ANSWERS: dict[str, Any] = {
    "of": "y", "set": "s", "rubric": "r", "rubric_hash": "x", "label_orders": "both",
    "criteria": ["moral"], "judge": {"model": "j", "dtype": "float32"},
}  # fmt: skip


def rows(*probs: list[float] | None) -> list[dict[str, Any]]:
    every = [{"id": f"s{at}", "criterion": "moral", "probs": one} for at, one in enumerate(probs)]
    return [FIXED_ANSWERS | {"rows": every}]


def test_a_judge_that_changed_between_runs_is_a_warning() -> None:
    before, same, other = (
        typed(Judging, {"fixed_answers": rows([0.5, 0.5], [one, 1 - one])})
        for one in (0.25, 0.2505, 0.75)
    )
    (moved,) = drift_caveats(["a", "b", "c"], [before, same, other])
    # 0.0005 is below the tolerance of float32, 0.001
    assert moved.warns
    assert "between a and c: 1 of 2 verdicts on fixed answers differ" in plain(moved.text)
