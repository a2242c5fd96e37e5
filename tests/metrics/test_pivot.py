import numpy as np
import pytest

from normscope.errors import DataError
from normscope.metrics.pivot import pivot

NAN = float("nan")


def test_rows_find_their_cells_in_first_seen_order() -> None:
    table = pivot(["b", "a", "b", "a"], ["v1", "v1", "v0", "v2"])
    assert (table.items, table.variant_ids) == (("b", "a"), ("v1", "v0", "v2"))
    np.testing.assert_equal(table.matrix([1, 2, 3, None]), [[1, 3, NAN], [2, NAN, NAN]])
    assert table.reasons([None, None, None, "no_answer"]) == [
        [None, None, None],
        [None, None, "no_answer"],
    ]


def test_an_item_has_one_level_of_a_group() -> None:
    table = pivot(["a", "a", "b"], ["v0", "v1", "v0"])
    assert table.per_item(["x", "x", "y"]) == ["x", "y"]
    with pytest.raises(DataError, match="sender: item 'a' has 'x' and, in row 1, 'z'"):
        table.per_item(["x", "z", "y"], "sender")
    with pytest.raises(DataError, match="item_id 3, sender 2"):
        table.per_item(["x", "z"], "sender")


def test_a_variant_twice_or_without_a_name_is_refused() -> None:
    with pytest.raises(DataError, match="item 'a' has variant 'v0' more than once"):
        pivot(["a", "b", "a"], ["v0", "v0", "v0"])
    with pytest.raises(DataError, match="variant_id is empty in row 1"):
        pivot(["a", "a"], ["v0", ""])
    with pytest.raises(DataError, match="item_id 1, variant_id 2"):
        pivot(["a"], ["v0", "v1"])


def test_no_rows_make_an_empty_matrix() -> None:
    assert pivot([], []).matrix([]).shape == (0, 0)
