from pathlib import Path

import pytest
from click.testing import CliRunner

from normscope.cli.rules import rules
from normscope.errors import DataError
from normscope.judges.rules import RULES, rule_hash
from normscope.rows import read_rows, write_rows


def run(*arguments: object) -> str:
    result = CliRunner().invoke(rules, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    texts = ["Answer: B", "ABCD", "I cannot answer this question.", "选A"]
    path = tmp_path / "answers.csv"
    write_rows(path, [{"id": f"0{k}", "response": text} for k, text in enumerate(texts)])
    return path


def test_a_files_rows_come_back_with_what_was_read(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "read.csv"
    told = run("read", answers, "--rule", "option", "--out", out)
    rows = read_rows(out)
    assert [row["id"] for row in rows] == ["00", "01", "02", "03"]
    assert [row["label"] for row in rows] == ["B", "", "", "A"]
    assert [row["reason"] for row in rows] == ["", "all_labels_listed", "refused_to_choose", ""]
    names = {pattern.name for pattern in RULES["option"].patterns()} | {"all-labels"}
    assert {row["rule"] for row in rows} <= names
    assert f"rule option, version 1, {rule_hash('option')[:12]}" in told
    assert "1  all_labels_listed" in told


def test_options_are_those_of_the_row(tmp_path: Path) -> None:
    options = [{"letter": "A", "text": "ask first"}, {"letter": "E", "text": "say nothing"}]
    for ending in ("jsonl", "csv"):  # in a CSV the list is JSON
        path, out = tmp_path / f"mcq.{ending}", tmp_path / f"read.{ending}"
        write_rows(path, [{"response": text, "options": options} for text in ("Ask first!", "E")])
        run("read", path, "--rule", "option", "--out", out)
        assert [row["label"] for row in read_rows(out)] == ["A", "E"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"answer": "A"}, "no column 'response' or 'text'"),
        ({"text": 7}, "row 1: text is 7, not a text"),
        ({"text": "A", "options": "A, B"}, "row 1: options is 'A, B', not a list"),
    ],
)
def test_a_file_of_another_shape_is_refused(
    tmp_path: Path, row: dict[str, object], problem: str
) -> None:
    write_rows(tmp_path / "odd.jsonl", [row])
    with pytest.raises(DataError, match=problem):
        run("read", tmp_path / "odd.jsonl", "--rule", "option", "--out", tmp_path / "out.jsonl")
