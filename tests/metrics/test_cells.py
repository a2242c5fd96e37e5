import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from normscope.budget import Budget
from normscope.errors import DataError
from normscope.spaces import cells
from normscope.spaces.cells import Sheet, read_file, read_table

TYPES = {"moral": "float64", "letter": "string"}


def columns(table: list[list[Any]]) -> dict[str, list[Any]]:
    return read_table(list(TYPES), table, TYPES).columns


def test_cells_become_columns_and_empty_ones_nulls() -> None:
    table: list[list[Any]] = [["0.5", " A "], [None, ""], [1, math.nan], ["", None], ["", ""]]
    assert columns(table) == {"moral": [0.5, None, 1.0], "letter": ["A", None, None]}
    assert columns([["", ""]]) == {"moral": [], "letter": []}


def test_a_cell_that_is_no_number_is_named() -> None:
    with pytest.raises(ValueError, match="moral: 'much' is not a number"):
        columns([["much", "A"]])


def test_a_table_goes_by_the_names_of_its_columns_not_by_their_order() -> None:
    # as when a file is dropped onto the form
    told = read_table(["letter", "clusters", "moral"], [["A", "x", 1]], TYPES, PER_ROW)
    assert told == Sheet({"moral": [1.0], "letter": ["A"]}, {"clusters": ["x"]}, ())
    with pytest.raises(DataError, match=r"the table has no column 'moral'.*known: letter"):
        read_table(["letter"], [["A"]], TYPES)


PER_ROW = ("groups", "clusters", "reasons", "n_options")
ROWS: list[dict[str, Any]] = [
    {"letter": "A", "moral": 0.5, "groups.area": "x", "clusters": "007", "n_options": 4},
    {"letter": None, "moral": None, "groups.area": "y", "clusters": "", "n_options": None},
]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_file_has_columns_options_per_row_and_what_is_not_used(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{kind}"
    rows = [{**row, "groups": "g", "clusters.a": "c", "note": "n"} for row in ROWS]
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        lines = [",".join("" if cell is None else str(cell) for cell in r.values()) for r in rows]
        path.write_text("\n".join([",".join(rows[0]), *lines]))
    assert read_file(path, TYPES, PER_ROW) == Sheet(
        columns={"moral": [0.5, None], "letter": ["A", None]},
        options={
            "groups": {"area": ["x", "y"]},
            "clusters": ["007", None],
            "n_options": [4, None],
        },
        # groups has levels, clusters has none
        unused=("groups", "clusters.a", "note"),
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "letter,morl\nA,1\n", "a.csv has no column 'moral'.*did you mean 'morl'"),
        ("a.csv", "letter,moral\n", "a.csv has 0 rows"),
        ("a.csv", "letter,moral\nA\n", "a.csv:2: 1 cells in a row under 2 columns"),
        ("a.jsonl", "[1]\n", "a.jsonl:1: not a JSON object but list"),
        ("a.parquet", "PK\x03\x04", "a.parquet is not a readable Parquet file"),
        ("a.xlsx", "PK\x03\x04", "a.xlsx: the ending is .xlsx"),
    ],
)
def test_a_file_that_cannot_be_taken_says_why_without_a_folder(
    name: str, content: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError, match=said) as error:
        read_file(path, TYPES, ())
    assert str(tmp_path) not in str(error.value)


def test_a_file_has_a_largest_size_and_a_largest_number_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("letter,moral\n" + "A,1\n" * 3)
    monkeypatch.setattr(cells, "_BUDGET", Budget(rows=2, columns=9, bytes=10_000))
    with pytest.raises(DataError, match=r"^a\.csv has more than 2 rows"):
        read_file(path, TYPES, ())
    monkeypatch.setattr(cells, "MOST_BYTES", 20)
    with pytest.raises(DataError, match=r"a\.csv is too large"):
        read_file(path, TYPES, ())


def test_a_small_parquet_file_that_unpacks_to_much_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rows = pa.table({"letter": ["A"] * 200_000, "moral": [1.0] * 200_000})
    pq.write_table(rows, path)
    assert path.stat().st_size < cells.MOST_BYTES
    with pytest.raises(DataError, match=r"^a\.parquet has more than 100,000 rows"):
        read_file(path, TYPES, ())
