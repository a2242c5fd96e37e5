"""A table written of batches in any order is the table in its order, byte for byte."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@st.composite
def batches(draw: st.DrawFn) -> list[list[int]]:
    """The places of each batch: every one in one batch, some repeatedly."""
    total = draw(st.integers(0, 40))
    order = draw(st.permutations(range(total)))
    cuts = sorted(draw(st.lists(st.integers(0, total), max_size=8)))
    split = [order[a:b] for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
    return [
        draw(st.permutations([place for place in group for _ in range(draw(st.integers(1, 3)))]))
        for group in split
    ]


@pytest.mark.parametrize("spilled", [True, False])
@given(given=batches())
@settings(max_examples=60, deadline=None)
def test_any_batches_in_any_order_give_the_bytes_of_the_sorted_table(
    given: list[list[int]], *, spilled: bool
) -> None:
    groups = given
    tables = [rows(group) for group in groups]
    places = np.array([place for group in groups for place in group], dtype=np.int64)
    in_memory = pa.concat_tables([PAIRS.empty_table(), *tables])
    in_memory = in_memory.take(pa.array(np.argsort(places, kind="stable")))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROW_GROUP", 5)
        if spilled:
            patch.setattr(module, "_BUCKET", 3)
            patch.setattr(module, "_BUFFER", 200)
        with ordered(Path(folder) / "batches", PAIRS) as table:
            for group, batch in zip(groups, tables, strict=True):
                table.add(np.array(group, dtype=np.int64), batch)
        assert read_parquet(Path(folder) / "batches").equals(in_memory)
        with ordered(Path(folder) / "sorted", PAIRS) as table:
            table.add(np.arange(len(in_memory)), in_memory)
        written = {(Path(folder) / name).read_bytes() for name in ("batches", "sorted")}
        assert len(written) == 1
        assert {path.name for path in Path(folder).iterdir()} == {"batches", "sorted"}


def test_places_may_stay_empty(tmp_path: Path) -> None:
    with ordered(tmp_path / "t", PAIRS) as table:
        table.add(np.array([9, 9]), rows([9, 9]))
        table.add(np.array([4]), rows([4]))
    assert read_parquet(tmp_path / "t")["text"].to_pylist() == ["4-0", "9-0", "9-1"]
