"""One reader of tables: files, frames, datasets and columns, with the place of each row."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from normscope.errors import DataError, UsageError
from normscope.tables import read_table

ROWS = [{"item_id": "007", "n": 3.0}, {"item_id": "x, y", "n": None}]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def sources(folder: Path) -> dict[str, Any]:
    frame = pd.DataFrame(ROWS, index=[10, 11])
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "a.parquet")
    return {
        "csv": write(folder / "a.csv", 'item_id,n\n\n007,3.0\n"x, y",\n'),
        "jsonl": write(folder / "a.jsonl", "".join(f"{json.dumps(row)}\n" for row in ROWS)),
        "parquet": str(folder / "a.parquet"),
        "frame": frame,
        "arrow": pa.Table.from_pylist(ROWS),
        "columns": frame.to_dict("list"),
    }


PLACES = {"csv": ["line 3", "line 4"], "jsonl": ["line 1", "line 2"], "frame": ["row 10", "row 11"]}


@pytest.mark.parametrize("name", ["csv", "jsonl", "parquet", "frame", "arrow", "columns"])
def test_every_source_has_the_same_texts_and_its_own_places(name: str, tmp_path: Path) -> None:
    table = read_table(sources(tmp_path)[name])
    assert table.texts("item_id").to_pylist() == ["007", "x, y"]
    # as it stands in a text, and a whole number elsewhere
    assert table.texts("n").to_pylist() == (["3.0", ""] if name == "csv" else ["3", None])
    assert table.places == PLACES.get(name, ["row 1", "row 2"])
    assert table.where({"item_id": "x, y"}).places == table.places[1:]


def test_the_words_of_a_datasets_labels_are_its_values() -> None:
    datasets = pytest.importorskip("datasets")
    kind = datasets.Features({"said": datasets.ClassLabel(names=["no", "yes"])})
    table = read_table(datasets.Dataset.from_dict({"said": [1, 0, -1]}, features=kind))
    assert table.texts("said").to_pylist() == ["yes", "no", None]


def test_values_of_several_types_are_texts_and_objects_their_json(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"a": 1, "b": {"x": [1]}}\n{"a": "one"}\n')
    table = read_table(path)
    assert table.texts("a").to_pylist() == ["1", "one"]
    assert table.texts("b").to_pylist() == ['{"x":[1]}', None]


WRONG: dict[str, tuple[str, str | bytes, str]] = {
    "no row": ("a.csv", "a,b\n", "a.csv is empty: it has no row"),
    "nothing": ("a.csv", "", "is empty: its first line is to name the columns"),
    "another encoding": ("a.csv", "a\né\n".encode("latin-1"), r"a.csv:2: byte 2 .* is not UTF-8"),
    "UTF-16": ("a.csv", "a\nb\n".encode("utf-16"), "is saved as UTF-16"),
    "a comma too many": ("a.csv", "a,b\n1,2\n1,2,3\n", "a.csv:3: 3 cells in a row under 2"),
    "an open quote": ("a.csv", 'a,b\n"1,2\n', "not readable as CSV"),
    "a column twice": ("a.csv", "a,a\n1,2\n", "'a' is there 2 times"),
    "cut off": ("a.jsonl", '{"a": 1}\n{"a"', "a.jsonl:2: not a JSON object"),
    "a list": ("a.jsonl", "[1]\n", "a.jsonl:1: not a JSON object but list"),
    "not Parquet": ("a.parquet", "PAR1", "a.parquet"),
    "a sheet": ("a.xlsx", "", r"a.xlsx: a table's name ends in .csv, .jsonl, .parquet"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_read_is_said_with_its_place(name: str, tmp_path: Path) -> None:
    file, content, text = WRONG[name]
    with pytest.raises(DataError, match=text):
        read_table(write(tmp_path / file, content))


def test_what_is_no_table_and_what_has_no_text_is_refused() -> None:
    with pytest.raises(UsageError, match="not a list"):
        read_table([[1]])
    table = read_table(pa.table({"a": [[1]], "b": ["x"]}))
    with pytest.raises(DataError, match="'a' holds lists, objects or bytes"):
        table.texts("a")
    with pytest.raises(UsageError, match="there is no column 'bb'; did you mean 'b'"):
        table.texts("bb")
    with pytest.raises(DataError, match="no row has 'y' in 'b'; it has x"):
        table.where({"b": "y"})


def test_arrays_in_cells_are_json_and_pandas_missing_values_null() -> None:
    frame = pd.DataFrame({"a": [np.array([1, 2]), pd.NA, None], "b": ["x", 1, float("nan")]})
    assert read_table(frame).rows.to_pydict() == {"a": ["[1,2]", None, None], "b": ["x", "1", None]}


@pytest.mark.parametrize("answer", ["x" * 1_100_000, "a\nb\n" * 300_000])
def test_a_cell_of_a_csv_may_be_longer_than_a_block_of_its_reader(
    tmp_path: Path, answer: str
) -> None:
    path = write(tmp_path / "a.csv", f'id,answer\n007,"{answer}"\n008,short\n')
    assert read_table(path).texts("answer").to_pylist() == [answer, "short"]
