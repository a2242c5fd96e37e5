"""Files are whole or absent, and errors name them."""

from pathlib import Path

import pyarrow as pa
import pytest

from normscope.errors import DataError
from normscope.files import (
    hash_file,
    read_json,
    read_parquet,
    replacing,
    unreadable_parquet,
    write_json,
    write_parquet,
)

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


def test_a_truncated_parquet_is_named_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_parquet(path, TABLE)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"t\.parquet is not a readable Parquet.*truncated"):
        read_parquet(path)


def test_memory_that_runs_out_is_not_told_as_a_damaged_file(tmp_path: Path) -> None:
    with pytest.raises(pa.ArrowMemoryError), unreadable_parquet(tmp_path / "t.parquet"):
        raise pa.ArrowMemoryError("malloc of size 9 failed")


def test_missing_and_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_parquet(tmp_path / "no.parquet")
    with pytest.raises(DataError, match="does not exist"):
        read_json(tmp_path / "no.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(DataError, match=r"bad\.json is not JSON"):
        read_json(tmp_path / "bad.json")


def test_nan_is_not_written_as_json(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(tmp_path / "x.json", {"a": float("nan")})
    assert not (tmp_path / "x.json").exists()
