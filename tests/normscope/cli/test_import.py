"""`normscope import`: files of answers got elsewhere become runs, or say what is wrong."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from normscope.cli import cli
from normscope.datasets_builders.ci_vignettes.context import bundled_contexts
from normscope.datasets_builders.ci_vignettes.vignettes import vignette_table
from normscope.files import read_parquet
from normscope.records.integrity import (
    JUDGEMENTS,
    RESPONSES,
    is_whole,
)

BENCHMARK = "ci-vignettes:coppa_null"
FLOWS = vignette_table(bundled_contexts()["coppa"], null_control=True).to_pylist()
IDS = [flow["item_id"] for flow in FLOWS]
Row = Mapping[str, Any]


def normscope(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)))


def importing(path: Path, *words: object, benchmark: str = BENCHMARK) -> Result:
    out = path.with_name("run")
    return normscope("import", path, "-b", benchmark, "--out", out, *words)


def error_of(result: Result) -> str:
    assert result.exception is not None, result.output
    return str(result.exception)


def csv_of(path: Path, rows: Sequence[Row], *, encoding: str = "utf-8") -> Path:
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding=encoding)
    return path


def answer(item: str, value: Any, **more: Any) -> Row:
    return {"item_id": item, "variant_id": "0", "answer": value, **more}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.csv"


ANSWERS = [answer(IDS[0], "neutral"), answer(IDS[1], "I cannot say."), answer(IDS[2], "")]


def written(path: Path) -> list[tuple[str, str, str | None]]:
    table = read_parquet(path.with_name("run") / RESPONSES)
    names = ("item_id", "variant_id", "text")
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


def test_a_table_with_the_standard_names_becomes_a_run_that_goes_on(file: Path) -> None:
    result = importing(csv_of(file, ANSWERS), "--model", "theirs")
    assert result.exit_code == 0, result.output
    assert f"{BENCHMARK}: 3 answers to 3 of 120 items, 1 of them no valid answer" in result.output
    assert "prompt variants: 1 of 11 (0)" in result.output
    run = file.with_name("run")
    for verb in ("judge", "score", "report"):
        assert normscope(verb, run).exit_code == 0
    assert is_whole(run)
    judgements = read_parquet(run / JUDGEMENTS)
    assert judgements["value"].to_pylist() == [0.0, None, None]
    assert judgements["reason"].to_pylist()[2] == "no_answer"
    # whole, with the same answers: nothing is done; with others it is refused
    again = importing(file, "--model", "theirs")
    assert "is whole already, with the same answers" in again.output
    csv_of(file, ANSWERS[:2])
    assert "was begun with other settings" in error_of(importing(file, "--model", "theirs"))


def parquet_of(path: Path, rows: Sequence[Row]) -> Path:
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def jsonl_of(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def gzipped(path: Path, rows: Sequence[Row]) -> Path:
    path.write_bytes(gzip.compress(csv_of(path, rows).read_bytes()))
    return path


@pytest.mark.parametrize(
    ("name", "write"),
    [("a.csv", csv_of), ("a.csv.gz", gzipped), ("a.jsonl", jsonl_of), ("a.parquet", parquet_of)],
)
def test_every_format_gives_the_same_answers(tmp_path: Path, name: str, write: Any) -> None:
    result = importing(write(tmp_path / name, ANSWERS), "--model", "theirs")
    assert result.exit_code == 0, result.output
    expected = [(IDS[0], "0", "neutral"), (IDS[1], "0", "I cannot say."), (IDS[2], "0", None)]
    assert written(tmp_path / name) == expected


def test_guessed_columns_are_shown_and_only_taken_when_confirmed(file: Path) -> None:
    rows = [{"id": IDS[0], "template": 3, "reply": "neutral", "who": "x", "seconds": 1.5}]
    result = importing(csv_of(file, rows), "--model", "theirs")
    assert "reply   " in result.output
    assert "answer (a guess)" in result.output
    assert "not used: who, seconds" in result.output
    text = error_of(result)
    assert f"normscope import {file} -b {BENCHMARK}" in text
    assert "--model theirs --yes" in text
    named = "--column item_id=id --column variant_id=template --column answer=reply"
    assert text.endswith(named)
    assert not file.with_name("run").exists()
    assert importing(file, "--model", "theirs", *named.split()).exit_code == 0
    assert written(file) == [(IDS[0], "3", "neutral")]
    assert importing(file, "--model", "theirs", "--yes").exit_code == 0
