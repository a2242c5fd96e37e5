import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.categorical import Categorical
from normscope.errors import DataError
from normscope.metrics.estimate import Statistic
from normscope.metrics.groups import CROSS, Rows, broken_down, cluster_codes, crossed
from normscope.metrics.rates import exact

VALUES = np.array([1.0, 0.0, 1.0, 1.0])


def share(rows: Rows) -> list[Statistic]:
    return [Statistic("share", "rate", exact(VALUES[rows]))]


def test_overall_comes_first_then_levels_as_first_seen() -> None:
    groups = {"language": ["zh", "en", "en", "zh"], "category": ["b", "b", "a", "b"]}
    table = broken_down(share, 4, groups)
    assert [(row.group, row.member, row.estimate.value) for row in table] == [
        ("", "", 0.75),
        ("language", "zh", 1.0),
        ("language", "en", 0.5),
        ("category", "b", pytest.approx(2 / 3)),
        ("category", "a", 1.0),
    ]


def test_rows_without_a_level_stand_in_the_overall_alone() -> None:
    table = broken_down(share, 4, {"area": [None, "", float("nan"), "x"]})
    assert [(row.member, row.estimate.n) for row in table] == [("", 4), ("x", 1)]


@pytest.mark.parametrize("column", [np.array([1, 2, 1, 1]), pa.array(["1", "2", "1", "1"])])
def test_arrays_and_table_columns_are_taken_as_lists(column: object) -> None:
    table = broken_down(share, 4, {"x": column})  # type: ignore[dict-item]
    assert [(row.member, row.estimate.n) for row in table[1:]] == [("1", 3), ("2", 1)]


def test_a_group_of_another_length_is_named() -> None:
    with pytest.raises(DataError, match="group 'area' has 3 rows where the values have 4"):
        broken_down(share, 4, {"area": ["x"] * 3})


def test_clusters_far_apart_in_number_are_made_small() -> None:
    codes = cluster_codes(np.array([10**9, -5, 10**9]), 3)
    assert codes is not None and codes.tolist() == [1, 0, 1]
    assert cluster_codes(np.array([7, 8, 9]), 3) is None


LEVELS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "", None]), st.sampled_from(["1", "2", None])), min_size=1
)


@given(LEVELS)
def test_a_crossed_level_holds_the_rows_that_have_both_levels(rows: list[tuple[str, str]]) -> None:
    columns = {"x": Categorical.of([x for x, _ in rows]), "y": Categorical.of([y for _, y in rows])}
    pairs = [x + CROSS + y if x and y else None for x, y in rows]
    levels = [len({level for level in of if level}) for of in (*zip(*rows, strict=True), pairs)]
    found = crossed(columns, [("x", "y"), ("x", "z")])
    # a pair that says no more than one of the two is left out
    expected = {"x × y": pairs} if levels[2] > max(levels[:2]) else {}
    assert {name: column.tolist() for name, column in found.items()} == expected
