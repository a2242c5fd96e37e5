import pytest

from normscope.errors import DataError
from normscope.metrics.estimate import Estimate
from normscope.metrics.options import (
    Key,
    agreement,
    risk_identification,
)
from normscope.reasons import Reason


def rates(*args: object, **kwargs: object) -> dict[str, Estimate]:
    table = risk_identification(*args, **kwargs)  # type: ignore[arg-type]
    return {row.name: row.estimate for row in table if not row.group}


KEYS: tuple[Key, ...] = ("given", "silver")
REASONS = [None, None, None, "no_answer", "call_failed", "no_key"]
AGREES = [1, 1, 0, None, None, None]


def test_no_answer_is_not_correct_and_no_key_is_left_out() -> None:
    # 2 of 4 scored, one unscored; answered 3 of 4
    found = rates(AGREES, reasons=REASONS)
    agreed, answered = found["agreement"], found["answered"]
    assert (agreed.value, agreed.n, agreed.unscored) == (0.5, 4, 1)
    assert (agreed.lowest, agreed.highest) == (0.4, 0.6)
    assert (answered.value, answered.n, answered.unscored) == (0.75, 4, 1)


def test_chance_is_the_mean_over_the_items_kept() -> None:
    # the item without a key has two options and does not count: (4 · 0.25 + 0.5)/5
    found = rates(AGREES, reasons=REASONS, chance=[0.25, 0.25, 0.5, 0.25, 0.25, 0.5])["chance"]
    assert (found.value, found.n, found.target) == (0.3, 5, "these items")
    assert found.low == found.high == found.value


def test_letters_against_a_key() -> None:
    verdicts, reasons = agreement(
        ["a", " B ", "", None, "C", None, ""],
        ["A", "C", "A", "B", None, "", "A"],
        [None, None, None, "off_scale", None, None, "call_failed"],
    )
    assert verdicts == [1, 0, None, None, None, None, None]
    assert reasons == [
        None,
        None,
        Reason.NO_ANSWER,
        "off_scale",
        Reason.NO_KEY,
        Reason.NO_KEY,
        "call_failed",
    ]


@pytest.mark.parametrize("bad", ["AB", "1", "option A", "是"])
def test_what_is_no_letter_is_named(bad: str) -> None:
    with pytest.raises(DataError, match=rf"prediction in row 1 .*'{bad}' is not one of A to Z"):
        agreement(["A", bad], ["A", "B"])
    with pytest.raises(DataError, match="reference in row 0"):
        agreement(["A"], [bad])


def test_lengths_and_scales_are_checked() -> None:
    with pytest.raises(DataError, match="letters 1, key 2"):
        agreement(["A"], ["A", "B"])
    with pytest.raises(DataError, match="agrees 1, chance 2"):
        rates([1], chance=[0.25, 0.25])
    with pytest.raises(DataError, match=r"0\.5 is not one of 0, 1"):
        rates([0.5])
    with pytest.raises(DataError, match="off the scale 0 … 1"):
        rates([1], chance=[4])
    assert rates([])["agreement"].value is None


def test_the_best_constant_answer_is_the_most_frequent_letter_of_the_key() -> None:
    letters = ["B", "a", "B", "C", "B", None]
    table = risk_identification(
        [1, 0, 0, 0, None, None],
        reasons=[None, None, None, None, None, "no_key"],
        answers=letters,
    )
    found = {row.name: row for row in table}["best_constant"]
    # B stands 3 times among the 5 that have a key
    assert (found.member, found.estimate.value, found.estimate.n) == ("B", 0.6, 5)
    assert (found.estimate.low, found.estimate.high) == (0.6, 0.6)


def test_every_statistic_that_hangs_on_the_silver_key_says_so() -> None:
    names = [
        [
            row.name
            for row in risk_identification(
                [1, 0, 1], answers=list("ABA"), orders_of=list("xxy"), chance=[0.5] * 3, key=key
            )
        ]
        for key in KEYS
    ]
    assert names[0] == [
        "agreement",
        "answered",
        "agreement_all_orders",
        "order_flips",
        "chance",
        "best_constant",
    ]
    hanging = {"agreement", "agreement_all_orders", "best_constant"}
    assert names[1] == [f"silver_{name}" if name in hanging else name for name in names[0]]
