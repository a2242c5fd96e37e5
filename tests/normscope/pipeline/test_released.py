"""A run's norms against released ones."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.datasets_builders.ci_vignettes.published_answers import published_norms
from normscope.errors import DataError
from normscope.pipeline.released import COLUMNS, Held, held_against

NORM = st.none() | st.integers(-2, 2)


def table(names: tuple[str, ...], rows: list[tuple[int | None, int | None]]) -> pa.Table:
    ids = [f"v{number}" for number in range(len(rows))]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return pa.table({"item_id": ids, **{n: pa.array(c, pa.float64()) for n, c in columns.items()}})


@given(st.lists(st.tuples(NORM, NORM, NORM, NORM), min_size=1, max_size=20), st.randoms())
def test_as_many_differ_as_are_not_equal_in_whatever_order(rows: list, draw) -> None:  # type: ignore[no-untyped-def,type-arg]
    ours = table(tuple(COLUMNS), [row[:2] for row in rows])
    theirs = table(tuple(COLUMNS.values()), [row[2:] for row in rows])
    order = list(range(len(rows)))
    draw.shuffle(order)
    unequal = sum(row[0] != row[2] for row in rows) + sum(row[1] != row[3] for row in rows)
    assert held_against(ours, theirs.take(order)) == Held(2 * len(rows), unequal)


def test_a_vignette_that_was_not_released_is_named() -> None:
    ours = table(tuple(COLUMNS), [(1, 1), (0, None)])
    with pytest.raises(DataError, match="2 vignettes of the run have no released norm, such as v0"):
        held_against(ours, published_norms("tulu-2-7b"))
