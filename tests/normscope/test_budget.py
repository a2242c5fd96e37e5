"""Files that swell: what is read of them is counted while it is read."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bombs import BOMBS, write_bombs

from normscope.budget import Budget, Meter
from normscope.errors import BudgetError, DataError
from normscope.rows import read_rows, write_rows

REFUSALS = {
    "rows": "more than [0-9,]+ rows",
    "columns": "more than 200 columns",
    "bytes": "more than 100 MB",
    "line": "a line of more than 1.05 MB",
}
WHY = {
    "many_rows.parquet": "rows",
    "keys.jsonl": "columns",
    "commas.csv": "columns",
    "brackets.jsonl": "line",
}
OFTEN = Budget(rows=10, columns=3, bytes=10_000, line=100)


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
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
    read: dict[str, dict[str, Any]], name: str
) -> None:
    found = read[name]
    kinds = [WHY[name]] if name in WHY else ["bytes", "rows"]
    assert any(matches(REFUSALS[kind], found["told"]) for kind in kinds), found["told"]
    assert found["grown"] < 600


def matches(pattern: str, text: str) -> bool:

    return re.search(pattern, text) is not None


def parquet(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    ("ending", "rows", "what"),
    [
        (".csv", [{"a": "x"}] * 11, "rows"),
        (".jsonl", [{"a": "x"}] * 11, "rows"),
        (".parquet", [{"a": "x"}] * 11, "rows"),
        (".csv", [dict.fromkeys("abcd", "x")], "columns"),
        (".jsonl", [{"a": 1}, {"b": 1}, {"c": 1}, {"d": 1}], "columns"),
        (".parquet", [dict.fromkeys("abcd", "x")], "columns"),
        (".csv", [{"a": "x" * 3_000}] * 5, "bytes"),
        (".jsonl", [{"a": "x" * 80}] * 10, None),
        (".jsonl", [{"a": "x" * 200}], "bytes in a line"),
        (".parquet", [{"a": "x" * 3_000}] * 5, "bytes"),
    ],
)
def test_the_budget_that_is_overstepped_is_named(
    tmp_path: Path, ending: str, rows: list[dict[str, Any]], what: str | None
) -> None:
    path = tmp_path / f"a{ending}"
    write_rows(path, rows)
    if what is None:
        assert read_rows(path, budget=OFTEN) == rows
        return
    with pytest.raises(BudgetError, match=f"more than [0-9,]+ {what}") as error:
        read_rows(path, budget=OFTEN)
    assert error.value.what == what


def test_within_the_budget_a_file_reads_as_without_one(tmp_path: Path) -> None:
    wide = Budget(rows=100, columns=20, bytes=1_000_000)
    rows = {
        "text": ["a", None, "c"],
        "number": [1.5, None, float("inf")],
        "list": [["x", "y"], [], None],
        "struct": [{"p": "q", "n": 1}, None, {"p": None, "n": 2}],
        "map": pa.array([[("k", "v")], [], None], pa.map_(pa.string(), pa.string())),
        "fixed": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2)),
        "a.b": [1, 2, 3],
    }
    for version in ("1.0", "2.0"):
        for dictionary in (True, False):
            path = tmp_path / "a.parquet"
            how = {"use_dictionary": dictionary, "data_page_version": version}
            pq.write_table(pa.table(rows), path, row_group_size=2, **how)
            assert read_rows(path, budget=wide) == read_rows(path)
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": [1, {"b": null}]}\n\n{"c": "x"}\n')
    assert read_rows(path, budget=wide) == read_rows(path)


@pytest.mark.parametrize("cut", [1, 4, 9, 40, 200])
def test_a_damaged_parquet_file_is_an_error_and_no_more(tmp_path: Path, cut: int) -> None:
    path = parquet(tmp_path / "a.parquet", a=["x" * 50] * 9)
    data = path.read_bytes()
    for broken in (data[:-cut], data[:10] + b"\xff" * cut + data[10 + cut :], data[cut:]):
        path.write_bytes(broken)
        with pytest.raises(DataError):
            read_rows(path, budget=OFTEN)


def lines(path: Path, budget: Budget | None) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from Meter(path, budget).lines(file)
