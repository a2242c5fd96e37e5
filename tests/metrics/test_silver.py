import csv
from pathlib import Path

import pytest
from scipy import stats

import normscope.datasets_builders
from normscope.errors import DataError
from normscope.metrics.estimate import Estimate
from normscope.metrics.options import risk_identification
from normscope.metrics.rates import rate
from normscope.metrics.silver import CHECKED, Checked, with_key_error

NAN = float("nan")


def rates(*args: object, **kwargs: object) -> dict[str, Estimate]:
    table = risk_identification(*args, **kwargs)  # type: ignore[arg-type]
    return {row.name: row.estimate for row in table if not row.group}


def test_the_checked_answers_are_those_of_the_key() -> None:
    folder = Path(normscope.datasets_builders.__file__).parent / "chisafetybench"
    counted: dict[int, list[int]] = {3: [0, 0], 2: [0, 0], 1: [0, 0]}
    with (folder / "silver_key.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["safetybench_match"] == "exact_stem":
                counted[int(row["confidence"])][0] += row["answer"] != row["safetybench_answer"]
                counted[int(row["confidence"])][1] += 1
    assert {sure: Checked(*pair) for sure, pair in counted.items()} == CHECKED
    wrong, n = (sum(getattr(one, part) for one in CHECKED.values()) for part in ("wrong", "n"))
    theirs = stats.binomtest(n - wrong, n).proportion_ci(method="wilson")
    assert (n - wrong, n) == (31, 34)
    assert (theirs.low, theirs.high) == pytest.approx((0.77, 0.97), abs=0.005)


def test_the_interval_by_hand() -> None:
    # half at 3, half at 2: e = (1/27 + 2/6)/2 = 0.185185; Wilson's upper limits 0.182754, 0.700006
    # beyond: √(0.145717² + 0.366673²)/2 = 0.197283; the rate 0.5 of 100: 0.403832 to 0.596168
    found = with_key_error(rate([1, 0] * 50), [3, 2] * 50, level=0.95)
    half = 0.185185 + (0.096168**2 + 0.197283**2) ** 0.5
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-4)
    assert "1 of 27 at 3, 2 of 6 at 2, 0 of 1 at 1" in found.method


def test_it_is_called_silver_and_never_accuracy() -> None:
    agrees = [1] * 80 + [0] * 20
    silver = rates(agrees, key="silver", confidence=[3] * 100)
    given = rates(agrees)
    assert "agreement" not in silver
    found, plain = silver["silver_agreement"], given["agreement"]
    assert (found.value, found.lowest) == (plain.value, plain.lowest)
    assert (found.low or 0) < (plain.low or 0)
    assert (found.high or 0) > (plain.high or 0)


def test_doubtful_answers_widen_more_and_each_group_has_its_own() -> None:
    confidence = [3] * 50 + [2] * 50
    table = risk_identification(
        [1] * 100, key="silver", confidence=confidence, groups={"area": ["x"] * 50 + ["y"] * 50}
    )
    low = {row.member: row.estimate.low for row in table if row.name == "silver_agreement"}
    assert (low["y"] or 0) < (low[""] or 0) < (low["x"] or 0)


def test_without_confidences_all_checked_items_are_pooled() -> None:
    # 3 of 34: e = 0.0882, upper limit 0.2296
    found = with_key_error(rate([1, 0] * 5000), None, level=0.95)
    assert (found.low, found.high) == pytest.approx((0.5 - 0.2296, 0.5 + 0.2296), abs=2e-3)


def test_confidences_are_checked_and_nothing_scored_stays_nothing() -> None:
    with pytest.raises(DataError, match=r"row 1 .*0 is not one of 3, 2, 1"):
        rates([1, 0], key="silver", confidence=[3, 0])
    with pytest.raises(DataError, match="agrees 1, confidence 2"):
        rates([1], key="silver", confidence=[3, 3])
    assert rates([], key="silver")["silver_agreement"].value is None


def test_turned_options_are_rows_of_one_question() -> None:
    # q1 agrees in all three orders, q2 in one, q3 in none; q4 in one and is once unscored
    agrees = [1, 1, 1, 1, 0, 0, 0, 0, 0, 1, NAN, 1]
    orders = [f"q{at // 3}" for at in range(12)]
    found = rates(agrees, orders_of=orders)
    assert found["agreement"].value == pytest.approx(6 / 11)
    assert found["agreement"].method == "Wilson over 4 clusters, over the scored"
    every, flips = found["agreement_all_orders"], found["order_flips"]
    assert every.value == pytest.approx(1 / 3)
    assert (every.n, every.unscored) == (3, 1)
    assert (flips.value, flips.lowest, flips.highest) == pytest.approx((1 / 3, 0.25, 0.5))
