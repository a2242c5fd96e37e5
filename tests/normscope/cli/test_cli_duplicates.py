from pathlib import Path

import pytest
from click.testing import CliRunner
from normscope.cli.duplicates import duplicates

from normscope.errors import DataError
from normscope.rows import read_rows, write_rows

TEXTS = [
    "May the watch send its owner's heart rate to a doctor?",
    "Which birds sing at night?",
    "May the watch send the owner's heart rate to a doctor?",
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_rows(tmp_path / "mine.jsonl", [{"text": text} for text in TEXTS])
    return tmp_path / "mine.jsonl"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(duplicates, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_the_pairs_are_shown_and_all_are_written(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    told = run(str(file), "--column", "text", "--threshold", "0.7", "--out", str(out))
    assert f"{file}:0  {TEXTS[0]}" in told
    assert f"{file}:2  {TEXTS[2]}" in told
    assert f"1 pair among 3 texts; all of them are in {out}" in told
    (row,) = read_rows(out)
    assert (row["left"], row["right"], row["method"]) == ("0", "2", "characters")
    assert (row["left_text"], row["right_text"]) == (TEXTS[0], TEXTS[2])


def test_another_files_texts_can_be_compared_with(file: Path, tmp_path: Path) -> None:
    write_rows(tmp_path / "theirs.csv", [{"text": "which birds  sing at NIGHT?"}])
    told = run(str(file), "--column", "text", "--against", str(tmp_path / "theirs.csv"))
    assert "1.00 by characters" in told
    assert "theirs.csv:0  which birds sing at NIGHT?" in told
    assert "1 pair among 3 texts and 1 others" in told


def test_no_pairs_are_reported_as_none(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.parquet"
    assert "0 pairs among 3 texts" in run(
        str(file), "--column", "text", "--threshold", "1", "--out", str(out)
    )
    assert read_rows(out) == []


def test_a_row_without_a_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gaps.jsonl"
    write_rows(path, [{"text": "one"}, {"text": None}])
    with pytest.raises(DataError, match="row 1 has no text in 'text' but None"):
        run(str(path), "--column", "text")
    with pytest.raises(DataError, match="no column 'prompt'"):
        run(str(path), "--column", "prompt")
