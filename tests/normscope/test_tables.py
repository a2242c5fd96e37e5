"""One reader of tables: files, frames, datasets and columns, with the place of each row."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bombs import BOMBS, write_bombs

from normscope.errors import DataError, UsageError
from normscope.table_writer import write_rows
from normscope.tables import read_table
from normscope.text_tables import Limits, Row

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


def test_a_dataset_is_read_as_arrow_and_the_words_of_its_labels_are_its_values() -> None:
    datasets = pytest.importorskip("datasets")
    kind = datasets.Features(
        {"n": datasets.Value("int16"), "label": datasets.ClassLabel(names=["no", "yes"])}
    )
    columns = {"n": range(2_000), "label": [1, 0, -1, 1] * 500}
    table = read_table(datasets.Dataset.from_dict(columns, features=kind).select(range(1, 2_000)))
    assert table.texts("n").to_pylist()[:3] == ["1", "2", "3"]
    assert table.texts("label").to_pylist()[:3] == ["no", None, "yes"]
    assert len(table.places) == 1_999


def test_values_of_several_types_are_texts_and_objects_their_json(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"a": 1, "b": {"x": [1]}}\n{"a": "one"}\n')
    table = read_table(path)
    assert table.texts("a").to_pylist() == ["1", "one"]
    assert table.texts("b").to_pylist() == ['{"x":[1]}', None]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_rows_may_end_and_columns_part_as_any_system_has_them(
    end: str, sign: str, tmp_path: Path
) -> None:
    text = end.join(["\ufeffa,b", "1,2", "", "3,4"]) + end
    path = write(tmp_path / "in.csv", text.replace(",", sign))
    assert read_table(path).to_rows() == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]


def test_a_semicolon_parts_columns_only_where_the_header_has_one(tmp_path: Path) -> None:
    path = write(tmp_path / "in.csv", "question\nWhy; how?\n")
    assert read_table(path).to_rows() == [{"question": "Why; how?"}]


def test_a_file_of_many_rows_is_read_piece_by_piece(tmp_path: Path) -> None:
    texts = [f"{n}\n{n}" for n in range(25_000)]
    lines = "".join(f'{n},"{text}"\n' for n, text in enumerate(texts))
    table = read_table(write(tmp_path / "in.csv", f"\ufeffid,a\n{lines}"))
    assert table.texts("a").to_pylist() == texts
    assert table.places[-1] == "line 50000"


def test_empty_columns_that_a_spreadsheet_leaves_behind_are_no_obstacle(tmp_path: Path) -> None:
    rows = read_table(write(tmp_path / "in.csv", "a,b,,\n1,2,,\n,,,\n")).to_rows()
    assert [(row["a"], row["b"]) for row in rows] == [("1", "2"), ("", "")]


def test_rows_of_jsonl_come_back_with_the_parts_that_each_has(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"a": 1, "b": {"x": [1, None]}, "c": [{"role": "user"}]},
        {"a": 2, "b": {"y": float("inf")}, "c": None},
        {"a": None, "b": {}, "c": []},
    ]
    path = write(tmp_path / "a.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    assert read_table(path).to_rows() == rows


def test_lone_surrogates_are_taken_out_wherever_they_stand_in_a_row(tmp_path: Path) -> None:
    text = '{"a": [{"b": "x\\ud83d"}], "c": "\\ud83d\\ude00"}\n'
    read = read_table(write(tmp_path / "in.jsonl", text))
    assert read.to_rows() == [{"a": [{"b": "x?"}], "c": "😀"}]


WRONG: dict[str, tuple[str, str | bytes, str]] = {
    "no row": ("a.csv", "a,b\n", "a.csv is empty: it has no row"),
    "no line": ("a.jsonl", "\n", "a.jsonl is empty: it has no row"),
    "nothing": ("a.csv", "", "is empty: its first line is to name the columns"),
    "another encoding": (
        "a.csv",
        "a\né\n".encode("latin-1"),
        "a.csv:2: not UTF.* in Windows.* reads 'é'",
    ),
    "GBK": ("a.csv", "a\n问题\n".encode("gbk"), "a.csv:2: not UTF.* in GBK .* reads '问题'"),
    "UTF-16": ("a.csv", "a\nb\n".encode("utf-16"), "a.csv: it is UTF-16 text, .* save it again"),
    # the second row begins on line 4, since the first has a line break in it
    "a comma too many": (
        "a.csv",
        'a,b\n"x\ny",1\nhello, world,2\n',
        "a.csv:4: 3 cells .* 2 columns; is there a comma",
    ),
    "a lone return": ("a.csv", "a,b\n1,x\ry\n", "a.csv:3: 1 cells .* a line break in a cell"),
    "cells too few": ("a.csv", "a,b\n1,one\ntwo\n", "a.csv:3: 1 cells .* a line break in a cell"),
    "an open quote": ("a.csv", 'a,b\n1,2\n"x,3\n4,5\n', "a.csv:3: not readable as CSV .*quotation"),
    "a quote within": ("a.csv", 'a,b\n"he said "hi" twice",2\n', "a.csv:2: .*not doubled"),
    "a column twice": ("a.csv", "a,b,a\n1,2,3\n", "a.csv: 'a' is there 2 times: rename"),
    "no name": ("a.csv", "a,,\n1,2,\n", "a.csv:2: a value in one of several columns without a"),
    "cut off": ("a.jsonl", '{"a": 1}\n{"a"', "a.jsonl:2: not a JSON object"),
    "a list": ("a.jsonl", "[1]\n", "a.jsonl:1: not a JSON object but list"),
    "a name twice": ("a.jsonl", '{"a": 1}\n{"a": {"b": 1, "b": 2}}', "a.jsonl:2: 'b' is there 2"),
    "deep": ("a.jsonl", '{"a":' * 50_000, "a.jsonl:1: the object is nested beyond reason"),
    "not Parquet": ("a.parquet", "PAR1", "a.parquet is not a readable .* may be truncated"),
    "a sheet": ("a.xlsx", "", r"a.xlsx: the ending is .xlsx, not .csv, .jsonl, .parquet"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_read_is_said_with_its_place(name: str, tmp_path: Path) -> None:
    file, content, text = WRONG[name]
    with pytest.raises(DataError, match=text):
        read_table(write(tmp_path / file, content))


def twice(path: Path) -> pa.Table:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["score", "score"])
    pq.write_table(table, path)
    return table


def test_a_column_that_is_there_twice_is_refused_in_every_source(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    arrow = twice(path)
    frame = pd.DataFrame([[1, 2]], columns=["score", "score"])
    for source, place in ((path, "in.parquet"), (arrow, "the table"), (frame, "the data frame")):
        with pytest.raises(DataError, match=re.escape(f"{place}: 'score' is there 2 times")):
            read_table(source)


def test_a_needed_column_that_is_missing_is_named_with_those_that_there_are() -> None:
    with pytest.raises(DataError, match=r"has no column 'x': rename or add it \(it has a, b\)"):
        read_table({"a": ["1"], "b": ["2"]}, needed=("a", "x"))


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


OFTEN = Limits(rows=10, columns=3, bytes=10_000, line=100)


@pytest.mark.parametrize(
    ("ending", "rows", "what"),
    [
        (".csv", [{"a": "x"}] * 11, "rows"),
        (".jsonl", [{"a": "x"}] * 11, "rows"),
        (".parquet", [{"a": "x"}] * 11, "rows"),
        (".csv", [dict.fromkeys("abcd", "x")], "columns"),
        (".jsonl", [{"a": 1}, {"b": 1}, {"c": 1}, {"d": 1}], "columns"),
        (".parquet", [dict.fromkeys("abcd", "x")], "columns"),
        (".jsonl", [{"a": "x" * 80}] * 10, None),
        (".jsonl", [{"a": "x" * 200}], "bytes in a line"),
        (".parquet", [{"a": "x" * 3_000}] * 5, "bytes"),
        (".parquet", [{"a": ["x" * 100] * 3}] * 5, "bytes"),
    ],
)
def test_the_limit_that_is_overstepped_is_named(
    tmp_path: Path, ending: str, rows: list[Row], what: str | None
) -> None:
    path = tmp_path / f"a{ending}"
    write_rows(path, rows)
    if what is None:
        assert read_table(path, limits=OFTEN).to_rows() == rows
        return
    with pytest.raises(DataError, match=f"more than [0-9,]+ {what}"):
        read_table(path, limits=OFTEN)


def test_within_the_limits_a_file_reads_as_without_them(tmp_path: Path) -> None:
    wide = Limits(rows=100, columns=20, bytes=1_000_000)
    rows = {
        "text": ["a", None, "c"],
        "number": [1.5, None, float("inf")],
        "list": [["x", "y"], [], None],
        "struct": [{"p": "q", "n": 1}, None, {"p": None, "n": 2}],
        "map": pa.array([[("k", "v")], [], None], pa.map_(pa.string(), pa.string())),
        "fixed": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2)),
        'a."b': [1, 2, 3],
    }
    for version in ("1.0", "2.0"):
        for dictionary in (True, False):
            path = tmp_path / "a.parquet"
            how = {"use_dictionary": dictionary, "data_page_version": version}
            pq.write_table(pa.table(rows), path, row_group_size=2, **how)
            assert read_table(path, limits=wide).rows.equals(read_table(path).rows)


@pytest.mark.parametrize("cut", [1, 4, 9, 40, 200])
def test_a_damaged_parquet_file_is_an_error_and_no_more(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": ["x" * 50] * 9}), path)
    data = path.read_bytes()
    for broken in (data[:-cut], data[:10] + b"\xff" * cut + data[10 + cut :], data[cut:]):
        path.write_bytes(broken)
        with pytest.raises(DataError):
            read_table(path, limits=OFTEN)


WHY = {"keys.jsonl": "columns", "commas.csv": "columns", "brackets.jsonl": "bytes in a line"}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What became of every bomb, in one process."""
    folder = tmp_path_factory.mktemp("bombs")
    write_bombs(folder)
    script = Path(__file__).parents[1] / "shared" / "bombs.py"
    done = subprocess.run(
        [sys.executable, str(script), str(folder)], capture_output=True, text=True, check=False
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (lines[-1:], done.stderr[-500:])
    return {line["file"]: line for line in lines}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_swells_is_refused_by_name_and_takes_little(
    refused: dict[str, dict[str, Any]], name: str
) -> None:
    found = refused[name]
    what = WHY.get(name, "(rows|bytes once it is read)")
    assert re.search(f"more than [0-9,]+ {what},", found["told"]), found["told"]
    assert found["grown"] < 200
