"""Users' files of rows: what is read as it was meant, and what is refused with its place."""

import csv
import json
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from normscope.errors import DataError
from normscope.rows import Rows, check_writable, read_rows, types_of, write_rows

CELLS = ("a\rb", "a\nb", "a\r\nb", 'say "a"', "a,b", "", " a ", "\ra\r", "007")


def raw(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_a_csv_of_pandas_reads_with_every_kind_of_line_break_in_a_cell(tmp_path: Path) -> None:
    rows = [{"id": str(at), "text": cell, "end": "x"} for at, cell in enumerate(CELLS)]
    pd.DataFrame(rows).to_csv(tmp_path / "in.csv", index=False)
    assert b"a\rb," in (tmp_path / "in.csv").read_bytes()  # unquoted, as pandas leaves it
    assert read_rows(tmp_path / "in.csv") == rows


def test_what_is_written_as_csv_reads_the_same_here_and_in_pandas(tmp_path: Path) -> None:
    rows: Rows = [{"id": str(at), "text": cell, "end": "x"} for at, cell in enumerate(CELLS)]
    path = tmp_path / "out.csv"
    write_rows(path, rows)
    assert read_rows(path) == rows
    found = pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False)
    assert found.to_dict("records") == rows
    # rows end in a line feed alone
    assert path.read_bytes().startswith(b"id,text,end\n0,")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_rows_may_end_as_any_system_ends_them(end: str, tmp_path: Path) -> None:
    path = raw(tmp_path / "in.csv", end.join(["\ufeffa,b", "1,2", "", "3,4"]) + end)
    assert read_rows(path) == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]


def test_a_cell_may_be_longer_than_the_limit_of_the_csv_module(tmp_path: Path) -> None:
    path = raw(tmp_path / "in.csv", f"a,b\n{'x' * 200_000},2\n")
    assert len(read_rows(path)[0]["a"]) == 200_000


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # the second row begins on line 4, since the first has a line break in it
        ('a,b\n"x\ny",1\nhello, world,2\n', r"in.csv:4: 3 cells .* 2 columns; is there a comma"),
        ("a,b\n1,one\ntwo\n", r"in.csv:3: 1 cells .* a line break in a cell without quotation"),
        ('a,b\n1,2\n"x,3\n4,5\n', r"in.csv:3: not readable as CSV .*quotation mark"),
        ('a,b\n"he said "hi" twice",2\n', r"in.csv:2: not readable as CSV .*not doubled"),
        ("a,b,a\n1,2,3\n", r"in.csv: 'a' is there 2 times: rename"),
        ("a,,\n1,2,\n", r"in.csv:2: a value in one of several columns without a name"),
        ("", "in.csv is empty"),
    ],
)
def test_a_csv_that_cannot_be_meant_is_refused_with_its_line(
    text: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=told):
        read_rows(raw(tmp_path / "in.csv", text))


def test_empty_columns_that_a_spreadsheet_leaves_behind_are_no_obstacle(tmp_path: Path) -> None:
    path = raw(tmp_path / "in.csv", "a,b,,\n1,2,,\n,,,\n")
    assert [(row["a"], row["b"]) for row in read_rows(path)] == [("1", "2"), ("", "")]


def test_a_column_that_is_there_twice_is_refused_in_every_format(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["score", "score"])
    pq.write_table(table, tmp_path / "in.parquet")
    raw(tmp_path / "in.jsonl", '{"a": 1}\n{"a": {"score": 1, "score": 2}}\n')
    for name, place in (("in.parquet", "in.parquet:"), ("in.jsonl", "in.jsonl:2:")):
        with pytest.raises(DataError, match=re.escape(f"{place} 'score' is there 2 times")):
            read_rows(tmp_path / name)


def test_lone_surrogates_are_taken_out_wherever_they_stand_in_a_row(tmp_path: Path) -> None:
    path = raw(tmp_path / "in.jsonl", '{"a": [{"b": "x\\ud83d"}], "c": "\\ud83d\\ude00"}\n')
    assert read_rows(path) == [{"a": [{"b": "x?"}], "c": "😀"}]


WHEN = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
ODD: dict[str, Any] = {
    "when": WHEN,
    "day": date(2026, 3, 1),
    "price": Decimal("1.10"),
    "large": 2**63 - 1,
    "none": float("nan"),
    "nested": [{"when": WHEN, "none": float("nan")}],
}


def test_what_has_one_obvious_form_is_written_in_it(tmp_path: Path) -> None:
    plain = {
        "when": "2026-03-01T12:30:00+00:00",
        "day": "2026-03-01",
        "price": "1.10",
        "large": 2**63 - 1,
        "none": None,
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
    ("out", "values", "told"),
    [
        ("out.jsonl", ["x", b"x"], "row 2, column 'a' holds a value of type bytes.*ends in .parq"),
        ("out.csv", [timedelta(1)], "row 1, column 'a' holds a value of type timedelta"),
        ("out.jsonl", [[0.5, float("-inf")]], "row 1, column 'a' holds an infinite number"),
        ("out.csv", [[float("inf")]], "row 1, column 'a' holds an infinite number"),
        ("out.parquet", [1, 2, 3, "x", 5], "column 'a' cannot be written .*ends in .jsonl"),
        ("out.parquet", [1, 2**70], "column 'a' cannot be written"),
        ("out.parquet", [{}], "column 'a' cannot be written as Parquet .*ends in .jsonl"),
    ],
)
def test_what_has_no_form_is_refused_before_it_is_written(
    out: str, values: list[Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=told):
        check_writable(tmp_path / out, [{"b": 0, "a": value} for value in values])


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
    rows, types = read_rows(tmp_path / "in.parquet"), types_of(tmp_path / "in.parquet")
    check_writable(tmp_path / "out.parquet", rows, types=types)
    write_rows(tmp_path / "out.parquet", [row | {"new": 0.5} for row in rows], types=types)
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.drop_columns("new").equals(table)
    assert found["new"].to_pylist() == [0.5]
