import numpy as np
import pytest

from normscope.errors import DataError
from normscope.metrics.pivot import panels

NAN = float("nan")


def test_conditions_have_the_same_items_and_variants_in_the_same_order() -> None:
    found = panels(
        [1, 2, -1, 0, 2],
        ["a", "b", "b", "a", "c"],
        ["v0", "v0", "v0", "v1", "v1"],
        ["x", "x", "y", "y", "y"],
    )
    assert found.whole.items == ("a", "b", "c")
    assert found.variant_ids == ("v0", "v1")
    np.testing.assert_equal(found.answers["x"], [[1, NAN], [2, NAN], [NAN, NAN]])
    np.testing.assert_equal(found.answers["y"], [[NAN, 0], [-1, NAN], [NAN, 2]])
    # x was never asked v1; of v0 it lacks item c
    assert found.asked["x"].tolist() == [True, False]
    assert found.unscored["x"].tolist() == [[False, False], [False, False], [True, False]]
    assert found.asked["y"].tolist() == [True, True]
    assert found.shared_variants() == {"x, y": ["v0"]}


def test_a_variant_without_an_answer_was_asked_where_a_reason_says_so() -> None:
    rows = {
        "values": [1, None, 2, None],
        "item_id": ["a", "a", "b", "b"],
        "variant_id": ["v", "w"] * 2,
        "condition": ["x"] * 4,
    }
    silent = panels(**rows)  # type: ignore[arg-type]
    assert (silent.asked["x"].tolist(), silent.unscored["x"].sum()) == ([True, False], 0)
    told = panels(**rows, reasons=[None, "call_failed", None, None])  # type: ignore[arg-type]
    assert (told.asked["x"].tolist(), told.unscored["x"].sum()) == ([True, True], 2)
    # where nothing came of any row, all rows were asked
    failed = panels(**{**rows, "values": [None] * 4})  # type: ignore[arg-type]
    assert (failed.asked["x"].tolist(), failed.unscored["x"].sum()) == ([True, True], 4)
    assert silent.shared_variants() == {"x": ["v"]}


def test_an_answer_that_was_not_given_is_not_unscored() -> None:
    found = panels(
        [None, None], ["a", "a"], ["v", "w"], ["x", "x"], reasons=["no_answer", "call_failed"]
    )
    assert found.unscored["x"].tolist() == [[False, True]]
    every = panels([None], ["a"], ["v"], ["x"], reasons="no_answer")
    assert not every.unscored["x"].any()


def test_levels_of_groups_are_per_item() -> None:
    found = panels([1, 2, 1], ["a", "a", "b"], ["v", "w", "v"], ["x"] * 3)
    assert found.whole.levels({"sender": ["s", "s", "t"]}) == {"sender": ["s", "t"]}
    with pytest.raises(DataError, match="item 'a' has"):
        found.whole.levels({"sender": ["s", "t", "t"]})


def test_what_is_not_a_table_is_refused() -> None:
    with pytest.raises(DataError, match="condition is empty in row 1"):
        panels([1, 1], ["a", "b"], ["v", "v"], ["x", None])  # type: ignore[list-item]
    with pytest.raises(DataError, match="more than once"):
        panels([1, 1], ["a", "a"], ["v", "v"], ["x", "x"])
    with pytest.raises(DataError, match="predictions 1, item_id 2"):
        panels([1], ["a", "b"], ["v", "v"], ["x", "x"])
    assert panels([], [], [], []).answers == {}
