"""Rows as files: each value in the form that the format has for it, and what has none refused."""

import csv
import json
from contextlib import nullcontext
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from normscope.errors import DataError
from normscope.table_writer import check_writable, write_rows
from normscope.tables import read_table
from normscope.text_tables import Rows

CELLS = ("a\rb", "a\nb", "a\r\nb", 'say "a"', "a,b", "", " a ", "\ra\r", "007")


def test_what_is_written_as_csv_reads_the_same_here_and_in_pandas(tmp_path: Path) -> None:
    rows: Rows = [{"id": str(at), "text": cell, "end": "x"} for at, cell in enumerate(CELLS)]
    path = tmp_path / "out.csv"
    write_rows(path, rows)
    assert read_table(path).to_rows() == rows
    found = pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False)
    assert found.to_dict("records") == rows
    # rows end in a line feed alone
    assert path.read_bytes().startswith(b"id,text,end\n0,")


WHEN = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
ODD: dict[str, Any] = {
    "when": WHEN,
    "day": date(2026, 3, 1),
    "price": Decimal("1.10"),
    "large": 2**63 - 1,
    "none": float("nan"),
    "endless": float("-inf"),
    "nested": [{"when": WHEN, "none": float("nan")}],
}


def test_what_has_one_obvious_form_is_written_in_it(tmp_path: Path) -> None:
    plain = {
        "when": "2026-03-01T12:30:00+00:00",
        "day": "2026-03-01",
        "price": "1.10",
        "large": 2**63 - 1,
        "none": None,
        "endless": None,
        "nested": [{"when": "2026-03-01T12:30:00+00:00", "none": None}],
    }
    check_writable(tmp_path / "out.jsonl", [ODD])
    write_rows(tmp_path / "out.jsonl", [ODD])
    assert json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8")) == plain
    write_rows(tmp_path / "out.csv", [ODD])
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["when"] == plain["when"]
    assert json.loads(row["nested"]) == plain["nested"]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([1, 2, 3, "x", 5], "column 'a' cannot be written .*ends in .jsonl"),
        ([1, 2**70], "column 'a' cannot be written"),
        ([{}], "column 'a' cannot be written as Parquet .*ends in .jsonl"),
    ],
)
def test_what_parquet_cannot_hold_is_refused_before_it_is_written(
    values: list[Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=told):
        check_writable(tmp_path / "out.parquet", [{"b": 0, "a": value} for value in values])


@pytest.mark.parametrize(
    ("kind", "is_text"),
    [
        (pa.binary(), False),
        (pa.list_(pa.large_binary()), False),
        (pa.duration("s"), False),
        (pa.struct([("binary", pa.timestamp("ns", "UTC"))]), True),
    ],
)
@pytest.mark.parametrize("out", ["out.csv", "out.jsonl"])
def test_a_type_that_has_no_form_in_text_is_refused_before_it_is_written(
    kind: pa.DataType, is_text: bool, out: str, tmp_path: Path
) -> None:
    refused = nullcontext() if is_text else pytest.raises(DataError, match=r"column 'a'.*in \.parq")
    with refused:
        check_writable(tmp_path / out, [{"a": None}], types=pa.schema([("a", kind)]))


def test_types_of_a_parquet_file_are_written_again(tmp_path: Path) -> None:
    table = pa.table(
        {
            "ns": pa.array([1_700_000_000_123_456_789], pa.timestamp("ns", "UTC")),
            "small": pa.array([1], pa.int8()),
            "large": pa.array([2**64 - 1], pa.uint64()),
            "price": pa.array([Decimal("1.10")], pa.decimal128(9, 2)),
            "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
            "raw": pa.array([b"x"]),
            "empty": pa.array([[]], pa.list_(pa.int16())),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    read = read_table(tmp_path / "in.parquet")
    rows, types = read.to_rows(), read.rows.schema
    check_writable(tmp_path / "out.parquet", rows, types=types)
    write_rows(tmp_path / "out.parquet", [row | {"new": 0.5} for row in rows], types=types)
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.drop_columns("new").equals(table)
    assert found["new"].to_pylist() == [0.5]
