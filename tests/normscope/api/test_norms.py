"""`ns.norms`: answers in any form become norms, by our rule and by the published one."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import normscope as ns
from normscope.api.norms import Norms
from normscope.builders.ci_vignettes.published_answers import (
    published_answers,
    published_models,
    published_norms,
)
from normscope.errors import DataError, UsageError
from normscope.pipeline.published import Held, held_against

WIDE = pd.DataFrame(
    {
        "sender": ["a shop", "a shop", "a bank"],
        "recipient": ["a school", "a friend", "a school"],
        "p0": ["neutral", "Somewhat acceptable", None],
        "p1": [1, 1, -2],
        "p2": ["有些可接受", "1", "-2"],
    }
)
FACTORS = ["sender", "recipient"]
LONG = WIDE.melt(id_vars=FACTORS, var_name="prompt", value_name="answer")


def long(**options: Any) -> Norms:
    return ns.norms(LONG, item=FACTORS, variant="prompt", answer="answer", **options)


def test_every_form_of_the_same_answers_makes_the_same_norms() -> None:
    wide = ns.norms(WIDE, item=FACTORS)
    assert wide.table["norm"].to_pylist() == [1.0, 1.0, None]
    assert wide.table["state"].to_pylist()[2] == "no_answer"
    assert long().table == wide.table
    arrow = pa.Table.from_pandas(LONG.astype({"answer": "string"}))
    assert ns.norms(arrow, item=FACTORS, variant="prompt", answer="answer").table == wide.table
    matrix = ns.norms([[0, 1, 1], [1, 1, 1], [None, -2, -2]]).table
    counts = matrix.column_names[1:]
    assert matrix.select(counts) == wide.table.select(counts)
    assert ns.norms(np.array([[0, 1, 1], [1, 1, 1], [np.nan, -2, -2]])).table == matrix
    chosen = ns.norms(WIDE, item=FACTORS, variant=["p1", "p2"]).table
    assert chosen["norm"].to_pylist() == [1.0, 1.0, -2.0]


@pytest.mark.parametrize(
    "model",
    [
        "gpt-4o-mini-8B",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in published_models()
            if name != "gpt-4o-mini-8B"
        ),
    ],
)
def test_the_published_norms_come_out_of_the_published_answers(model: str) -> None:
    result = ns.norms(
        published_answers(model),
        item="item_id",
        variant="variant_id",
        order="scale_order",
        answer="answer",
        rule="published",
    )
    assert held_against(result.table, published_norms(model)) == Held(2 * 6912, 0)


def test_the_consensus_is_tidy() -> None:
    frame = ns.norms(WIDE, item=FACTORS, name="m").to_frame()
    row = frame[(frame.statistic == "accept_share") & (frame.group == "sender")]
    assert row.set_index("member").value.to_dict() == {"a shop": 1.0, "a bank": 0.0}
    assert set(frame.model) == {"m"}
    assert {"value", "low", "high", "level", "n", "unscored", "method"} <= set(frame.columns)


def test_models_are_compared_flow_by_flow_whatever_their_order() -> None:
    first = ns.norms(WIDE, item=FACTORS, name="a", min_valid=2)
    turned = WIDE.iloc[::-1].assign(p1=[2, 2, 2], p2=[2, 2, 2])
    second = ns.norms(turned, item=FACTORS, name="b", min_valid=2)
    agreement = first.agreement(second)
    assert agreement["agree: a, b"].estimate.value == 0
    assert first.agreement(first)["all_agree"].estimate.value == 1
    shift = first.shift(second)
    overall = shift.to_frame().query("group == ''")
    # p0 is the same in both; p1 and p2 move by 1, 1 and 4
    assert overall.value.tolist() == pytest.approx([4 / 3])
    assert "Wilcoxon signed rank" in shift.tests["name"].tolist()
    with pytest.raises(DataError, match="1 vignettes are those of one model alone"):
        first.agreement(ns.norms(WIDE[:2], item=FACTORS))


def test_an_id_beside_factors_is_no_factor() -> None:
    named = ns.norms(WIDE.assign(item_id=["x", "y", "z"]), item=["item_id", *FACTORS])
    assert named.table["item_id"].to_pylist() == ["x", "y", "z"]
    assert set(named.to_frame().group) == set(ns.norms(WIDE, item=FACTORS).to_frame().group)


def test_a_map_has_a_cell_per_flow() -> None:
    first = ns.norms(WIDE, item=FACTORS, name="a")
    chart = first.map()
    assert np.shape(chart.states) == (3,)
    assert repr(chart) == "NormsMap('norms · a')"
    many = pd.concat([WIDE.assign(practice=name) for name in ("lend", "sell")])
    several = ns.norms(many, item=[*FACTORS, "practice"])
    with pytest.raises(UsageError, match=r"2 maps: hold practice .*map\(practice='lend'\)"):
        several.map()
    sold = several.map(practice="sell")
    assert np.shape(sold.states) == (3,)
    assert repr(sold) == "NormsMap('norms · sell')"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: ns.norms(WIDE), "answers, item 0, row 0 .*'a shop' is no number and no label"),
        (lambda: ns.norms([[1, 3]]), "answers.*3.*not one of -2, -1, 0, 1, 2"),
        (lambda: ns.norms([["rather good"]]), "'rather good' is no number and no label"),
        (lambda: ns.norms([[1], [1, 2]]), "a row of the same length"),
        (lambda: ns.norms([1, 2]), r"a row of the same length.*not \[1, 2\]"),
        (lambda: ns.norms([[1]], item="id"), "column 'id'"),
        (lambda: ns.norms([[1]], rule=cast("Any", "publised")), "did you mean 'published'"),
        (lambda: ns.norms([[1]], missing="lost"), "missing 'lost'"),
        (lambda: ns.norms(WIDE, item=["sendr"]), "did you mean 'sender'"),
        (lambda: ns.norms(WIDE, item=FACTORS, order="p1"), "order= is for a table with a row"),
        (lambda: ns.norms(WIDE.drop(columns="recipient"), item="sender"), "all columns that tell"),
        (lambda: ns.norms(LONG, item=FACTORS, answer="answer"), "has variant '–' more than once"),
        (lambda: ns.norms(LONG, variant="prompt", answer="answer"), "which vignette was asked"),
        (lambda: ns.norms([[1]]).map(), "these have none"),
        (lambda: long().map(sender="a bnk"), "did you mean 'a bank'"),
        (lambda: long().consensus["simple_majorty"], "did you mean 'simple_majority'"),
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: Callable[[], object], told: str) -> None:
    with pytest.raises((UsageError, DataError), match=told):
        wrong()


def test_shares_are_exact_only_of_all_vignettes() -> None:
    answers = [[1, 1]] * 20 + [[-1, -1]] * 10
    share = ns.norms(answers).consensus["accept_share"].estimate
    # 20 of 30, as of others without end: Wilson's
    assert (share.value, share.method, share.target) == (2 / 3, "Wilson", "new items of the kind")
    assert (share.low, share.high) == pytest.approx((0.48780, 0.80769), abs=1e-5)
    drawn = ns.norms(answers, population=60).consensus["accept_share"].estimate
    assert drawn.method == "Wilson, 30 of 60"
    whole = ns.norms(answers, population=30).consensus["accept_share"].estimate
    assert (whole.low, whole.high, whole.method) == (2 / 3, 2 / 3, "exact")
    with pytest.raises(UsageError, match="population 29 for 30 items"):
        _ = ns.norms(answers, population=29).consensus
