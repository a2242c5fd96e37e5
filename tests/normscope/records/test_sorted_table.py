"""A table written of tables in any order is the table in its order, byte for byte."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.errors import ModelError
from normscope.files import read_parquet
from normscope.records import sorted_table as module
from normscope.records.journal import PLACE
from normscope.records.sorted_table import write_sorted

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
    table = pa.table([texts, probs, top], schema=PAIRS)
    return table.append_column(PLACE, pa.array(places, pa.int64()))


@st.composite
def batches(draw: st.DrawFn) -> list[list[int]]:
    """The places of each table: every one in one table, some repeatedly."""
    total = draw(st.integers(0, 40))
    order = draw(st.permutations(range(total)))
    cuts = sorted(draw(st.lists(st.integers(0, total), max_size=8)))
    split = [order[a:b] for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
    return [
        draw(st.permutations([place for place in group for _ in range(draw(st.integers(1, 3)))]))
        for group in split
    ]


@given(groups=batches(), buffer=st.sampled_from([200, 1 << 20]))
@settings(max_examples=40, deadline=None)
def test_any_tables_in_any_order_give_the_bytes_of_the_sorted_table(
    groups: list[list[int]], buffer: int
) -> None:
    tables = [rows(group) for group in groups]
    places = np.array([place for group in groups for place in group], dtype=np.int64)
    in_memory = pa.concat_tables([rows([]), *tables])
    in_memory = in_memory.take(pa.array(np.argsort(places, kind="stable")))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROW_GROUP", 5)
        patch.setattr(module, "_BUFFER", buffer)
        write_sorted(Path(folder) / "batches", PAIRS, tables)
        assert read_parquet(Path(folder) / "batches").equals(in_memory.drop_columns([PLACE]))
        write_sorted(Path(folder) / "sorted", PAIRS, [in_memory])
        written = {(Path(folder) / name).read_bytes() for name in ("batches", "sorted")}
        assert len(written) == 1
        assert {path.name for path in Path(folder).iterdir()} == {"batches", "sorted"}


def test_places_may_stay_empty(tmp_path: Path) -> None:
    write_sorted(tmp_path / "t", PAIRS, [rows([9, 9]), rows([4])])
    assert read_parquet(tmp_path / "t")["text"].to_pylist() == ["4-0", "9-0", "9-1"]


def test_an_error_of_who_makes_the_rows_is_that_error_and_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[pa.Table]:
        yield rows([1])
        raise ModelError("out of order")

    with pytest.raises(ModelError, match="out of order"):
        write_sorted(tmp_path / "t", PAIRS, broken())
    assert not list(tmp_path.iterdir())
