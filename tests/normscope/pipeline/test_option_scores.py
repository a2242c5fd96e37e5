"""Agreement with the key: the key's own error, items in several orders, items without a key."""

from collections.abc import Callable
from typing import Any

import pytest
from judged_rows import judgements_of

from normscope.metrics.estimate import Estimate, Statistic
from normscope.pipeline import options as scoring
from normscope.records.item import Item

MakeItem = Callable[..., Item]
Pair = tuple[Item, dict[str, Any]]


def option_scores(pairs: list[Pair], groups: scoring.Groups | None = None) -> list[Statistic]:
    return scoring.option_scores(judgements_of(pairs), groups)


def row(said: float | str, **other: Any) -> dict[str, Any]:
    known = not isinstance(said, str)
    return {
        "criterion": "option",
        "source": "model_logits",
        "value": said if known else None,
        "reason": None if known else said,
        "sample": 0,
        **other,
    }


def overall(statistics: list[Statistic]) -> dict[str, Estimate]:
    return {s.name: s.estimate for s in statistics if not s.group}


@pytest.fixture
def turned(item: MakeItem) -> list[Pair]:
    """Two options: right in one order of two. Four: right in all. Two: right in none."""
    said = {1: ("ab", (1.0, 0.0)), 2: ("abcd", (1.0, 1.0, 1.0, 1.0)), 3: ("ab", (0.0, 0.0))}
    return [
        (
            item(number, options, scale_order=f"rotation-{step}" if step else ""),
            row(value),
        )
        for number, (options, values) in said.items()
        for step, value in enumerate(values)
    ]


def test_an_item_counts_once_however_many_orders_it_has(turned: list[Pair]) -> None:
    found = overall(option_scores(turned))
    # (1/2 + 1 + 0)/3; over rows it would be 5/8
    assert found["agreement"].value == pytest.approx(0.5)
    assert (found["agreement"].n, found["agreement"].target) == (3, "new items of the kind")
    assert found["answered"].value == 1
    # blind: (1/2 + 1/4 + 1/2)/3
    assert found["chance"].value == pytest.approx(5 / 12)
    # one of three agrees in all orders, one in some only
    assert found["agreement_all_orders"].value == pytest.approx(1 / 3)
    assert found["order_flips"].value == pytest.approx(1 / 3)


def test_turning_the_options_leaves_a_constant_answer_no_more_than_chance(
    item: MakeItem,
) -> None:
    # the right text stands under A, then under B: each letter is right in one of two orders
    pairs = [
        (
            item(n, answer=letter, scale_order=order, answer_source="silver"),
            row(float(letter == "A")),
        )
        for n in range(4)
        for letter, order in (("A", ""), ("B", "rotation-1"))
    ]
    by_name = {s.name: s for s in option_scores(pairs) if not s.group}
    assert by_name["silver_best_constant"].estimate.value == by_name["chance"].estimate.value == 0.5
    assert "silver_agreement_all_orders" in by_name
    assert not {"agreement", "agreement_all_orders", "best_constant"} & set(by_name)
