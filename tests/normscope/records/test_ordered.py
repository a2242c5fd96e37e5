"""A table written of batches in any order is the table in its order, byte for byte."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.errors import RunError
from normscope.files import read_parquet
from normscope.records import ordered as module
from normscope.records.ordered import ordered

PAIRS = pa.schema(
    [
        pa.field("text", pa.string(), nullable=False),
        pa.field("probs", pa.list_(pa.float64())),
        pa.field("top", pa.list_(pa.struct([("token", pa.string()), ("prob", pa.float64())]))),
    ]
)


def rows(places: list[int]) -> pa.Table:
    """A row for each of the places, which can be told by it; nulls and empty lists among them."""
    probs = [None if place % 5 == 0 else [place / 7] * (place % 3) for place in places]
    top = [[{"token": str(place), "prob": None}] if place % 4 else None for place in places]
    texts = [f"{place}-{at}" for at, place in enumerate(places)]
    return pa.table([texts, probs, top], schema=PAIRS)


@pytest.fixture
def put_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of a few rows are handled as those of millions are."""
    for name, size in {"ROW_GROUP": 5, "_BUCKET": 3, "_BUFFER": 400}.items():
        monkeypatch.setattr(module, name, size)


@st.composite
def batches(draw: st.DrawFn) -> tuple[int, list[list[int]]]:
    """How many places, and the places of each batch: every one in one batch, some repeatedly."""
    total = draw(st.integers(0, 40))
    order = draw(st.permutations(range(total)))
    cuts = sorted(draw(st.lists(st.integers(0, total), max_size=8)))
    split = [order[a:b] for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
    return total, [
        draw(st.permutations([place for place in group for _ in range(draw(st.integers(1, 3)))]))
        for group in split
    ]


@pytest.mark.parametrize("spilled", [True, False])
@given(given=batches())
@settings(max_examples=60, deadline=None)
def test_any_batches_in_any_order_give_the_bytes_of_the_sorted_table(
    given: tuple[int, list[list[int]]], *, spilled: bool
) -> None:
    total, groups = given
    tables = [rows(group) for group in groups]
    places = np.array([place for group in groups for place in group], dtype=np.int64)
    in_memory = pa.concat_tables([PAIRS.empty_table(), *tables])
    in_memory = in_memory.take(pa.array(np.argsort(places, kind="stable")))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROW_GROUP", 5)
        if spilled:
            patch.setattr(module, "_BUCKET", 3)
            patch.setattr(module, "_BUFFER", 200)
        with ordered(Path(folder) / "batches", PAIRS, total) as table:
            for group, batch in zip(groups, tables, strict=True):
                table.add(np.array(group, dtype=np.int64), batch)
        assert read_parquet(Path(folder) / "batches").equals(in_memory)
        with ordered(Path(folder) / "sorted", PAIRS, len(in_memory)) as table:
            table.add(np.arange(len(in_memory)), in_memory)
        written = {(Path(folder) / name).read_bytes() for name in ("batches", "sorted")}
        assert len(written) == 1
        assert {path.name for path in Path(folder).iterdir()} == {"batches", "sorted"}


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Path]:
    """A table that stands there already, and still does when the new one could not be written."""
    path = tmp_path / "table.parquet"
    path.write_bytes(b"old")
    yield path
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["table.parquet"]


@pytest.mark.usefixtures("put_aside")
def test_places_without_a_row_are_named_and_nothing_is_written(old: Path) -> None:
    missing = r"table\.parquet: rows are missing: 7 of 12 \(at 5, 6, 7, 8, 9, …\)"
    with pytest.raises(RunError, match=missing), ordered(old, PAIRS, 12) as table:
        table.add(np.array([4, 0, 1, 2, 3]), rows([4, 0, 1, 2, 3]))


@pytest.mark.usefixtures("put_aside")
def test_a_place_that_is_given_twice_is_refused(old: Path) -> None:
    twice = r"table\.parquet: rows were given twice \(at 1\)"
    with pytest.raises(RunError, match=twice), ordered(old, PAIRS, 3) as table:
        table.add(np.array([0, 1]), rows([0, 1]))
        table.add(np.array([1, 2]), rows([1, 2]))


@pytest.mark.usefixtures("put_aside")
def test_places_may_stay_empty_where_that_is_meant(tmp_path: Path) -> None:
    with ordered(tmp_path / "t", PAIRS, 10, gaps=True) as table:
        table.add(np.array([9, 9]), rows([9, 9]))
        table.add(np.array([4]), rows([4]))
    assert read_parquet(tmp_path / "t")["text"].to_pylist() == ["4-0", "9-0", "9-1"]
