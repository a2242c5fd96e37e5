"""Files are whole or absent, and errors name them."""

from pathlib import Path

import pyarrow as pa
import pytest

from normscope.files import hash_file, read_parquet, replacing, unreadable_parquet, write_parquet

TABLE = pa.table({"a": [1, 2], "b": ["x", None]})


def test_a_write_that_fails_leaves_the_old_file_and_no_part(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(path) as part:
        part.write_text("half")
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["f.txt"]


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_parquet(tmp_path / name, TABLE)
    assert hash_file(tmp_path / "a") == hash_file(tmp_path / "b")
    assert read_parquet(tmp_path / "a") == TABLE


def test_memory_that_runs_out_is_not_told_as_a_damaged_file(tmp_path: Path) -> None:
    with pytest.raises(pa.ArrowMemoryError), unreadable_parquet(tmp_path / "t.parquet"):
        raise pa.ArrowMemoryError("malloc of size 9 failed")
