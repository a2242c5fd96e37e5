from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from normscope.cli.rules import rules
from normscope.errors import DataError
from normscope.files import write_parquet
from normscope.judges.rules import RULES, rule_hash
from normscope.judges.trust.rule_frame import rule_frame
from normscope.records.config import RunConfig
from normscope.records.folder import opened
from normscope.records.item import Item, Option, Turn
from normscope.records.provenance import BenchmarkItems, Provenance, ResponsesProvenance
from normscope.records.response import SCHEMA as RESPONSES
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


def test_letters_are_taken_with_commas(answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "read.jsonl"
    run("read", answers, "--rule", "option", "--letters", "A,C", "--out", out)
    assert [row["label"] for row in read_rows(out)] == [None, None, None, "A"]


def test_columns_of_the_same_name_are_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    write_rows(path, [{"text": "neutral", "label": "mine"}])
    with pytest.raises(DataError, match="has a column 'label' already"):
        run("read", path, "--rule", "likert", "--out", tmp_path / "out.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run with texts of a multiple-choice question and of a vignette, and one by its labels."""
    question, vignette = "chisafetybench:mcq", "ci-vignettes:coppa"
    items = [
        Item(
            benchmark=question,
            item_id="q1",
            messages=(Turn("user", "天是什么颜色？"),),
            language="zh",
            options=(Option("A", "蓝"), Option("B", "绿")),
        ),
        Item(
            benchmark=vignette,
            item_id="v1",
            messages=(Turn("user", "How acceptable is it?"),),
            language="en",
            variant_id="0",
            scale_order="forward",
        ),
    ]
    path = tmp_path / "run"
    rows: list[dict[str, object]] = [
        {"benchmark": question, "item_id": "q1", "text": "选A", "temperature": 0.0},
        {"benchmark": question, "item_id": "q1", "labels": ["A", "B"]},
        {"benchmark": vignette, "item_id": "v1", "text": "=neutral", "temperature": 0.0},
        {"benchmark": vignette, "item_id": "v1", "labels": ["neutral", "no"]},
    ]
    blank: dict[str, object] = {"variant_id": "", "scale_order": "", "sample": 0, "model": "m"}
    for row in rows[2:]:
        row |= {"variant_id": "0", "scale_order": "forward"}
    criteria = {question: "option", vignette: "acceptability"}
    taken = {name: BenchmarkItems(criteria=(each,)) for name, each in criteria.items()}
    with opened(path, create=True) as run:
        run.write_items(items)
        write_parquet(
            path / "responses.parquet",
            pa.Table.from_pylist([blank | row for row in rows], schema=RESPONSES),
        )
        run.config = RunConfig(
            benchmark=(question, vignette),
            channels=("labels", "text"),
            provenance=Provenance(ResponsesProvenance(benchmarks=taken)),
        )
        run.seal("respond")
    return path


def test_a_runs_texts_are_read_by_the_rule_of_their_criteria(folder: Path) -> None:
    (option,) = rule_frame(folder, "option").rows
    assert option.labels == {"option": "A"}
    frame = rule_frame(folder, "likert")
    assert (frame.benchmark, frame.rows[0].labels) == ("ci-vignettes:coppa", {"likert": "neutral"})
    with pytest.raises(DataError, match="no text for the rule 'refusal'"):
        rule_frame(folder, "refusal")
