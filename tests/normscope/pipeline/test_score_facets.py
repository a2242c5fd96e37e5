"""What moves the answers of a run: prompt variants and orders of the scale among its scores."""

from itertools import product

import pytest
from judged_rows import columns_of, item, judged

from normscope.metrics.facets import CHANGE, FACET, ORDER, SHARE, VARIANT
from normscope.pipeline.score import Scoring, _measure
from normscope.records.judgements import Judgements

LABELS = {"v0": (2, 2), "v1": (1, 1), "v2": (-1, 1)}
"""The answers to every vignette in each prompt variant: in the one order, and in the other."""


def answered(orders: tuple[str, ...], times: int = 1) -> Judgements:
    ids = [f"i{at}" for at in range(4)]
    rows = [
        judged(
            "acceptability",
            float(LABELS[variant][orders.index(order)]),
            item=name,
            variant=variant,
            order=order,
            source="text_rule",
            sample=sample,
        )
        for name, variant, order, sample in product(ids, LABELS, orders, range(times))
    ]
    result: Judgements = columns_of(rows, [item(name) for name in ids])
    return result


def split(judgements: Judgements) -> dict[tuple[str, str], float | None]:
    table = _measure(judgements, metrics=("norm_consensus",), scoring=Scoring(), grouped=True)
    return {(s.name, s.member): s.estimate.value for s in table if s.group == FACET}


def test_wording_and_order_are_told_apart_in_the_scores() -> None:
    values = split(answered(("forward", "reversed")))
    # the order alone: 2–2, 1–1, −1–1; the wording alone: 2–1, 2–−1, 1–−1, and 2–1, 2–1, 1–1
    assert values[CHANGE, ORDER] == pytest.approx(1 / 3)
    assert values[CHANGE, VARIANT] == pytest.approx(5 / 6)
    # all vignettes are answered alike
    assert values[SHARE, "vignette"] == 0
    shares = [value or 0.0 for (name, _), value in values.items() if name == SHARE]
    assert sum(shares) == pytest.approx(1)


def test_samples_of_one_order_are_the_same_prompt_again() -> None:
    values = split(answered(("forward",), times=2))
    assert (values[CHANGE, VARIANT], values[CHANGE, "again"]) == (1, 0)
    assert (CHANGE, ORDER) not in values


def test_a_run_that_asked_each_variant_once_has_nothing_to_split() -> None:
    assert split(answered(("forward",))) == {}
