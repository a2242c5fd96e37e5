"""`normscope import`: files of answers got elsewhere become runs, or say what is wrong."""

import gzip
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from normscope.pipeline.importing.columns import ROLES

from normscope.cli import cli
from normscope.datasets_builders.ci_vignettes.context import bundled_contexts
from normscope.datasets_builders.ci_vignettes.prompts import bundled_prompts
from normscope.datasets_builders.ci_vignettes.vignettes import vignette_table
from normscope.errors import NormscopeError
from normscope.files import read_parquet
from normscope.pipeline.importing.target import Target
from normscope.records.config import RunConfig
from normscope.records.integrity import (
    ITEMS,
    JUDGEMENTS,
    RESPONSES,
    UNMATCHED,
    is_whole,
    read_checked,
)

BENCHMARK, GRADED = "ci-vignettes:coppa_null", "safety-gradient"
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


def factors_of(flow: Row) -> dict[str, Any]:
    """The factors of a flow in the columns that the authors have, in another case."""
    return {
        "sender": flow["sender"].upper(),
        "infotype": f" {flow['attribute']}",
        "recipient": flow["recipient"],
    }


def test_a_wide_table_names_items_by_factors_and_prompts_by_columns(file: Path) -> None:
    cells = {"p#0_1": "-2.0", "p#10_1": "", "p#3_1": "1.0", "majority": "x"}
    rows = [{**factors_of(flow), "model": m, **cells} for flow in FLOWS[:2] for m in ("a", "b")]
    csv_of(file, rows)
    words = ("--where", "model=b")
    refused = importing(file, *words)
    assert re.search(r"infotype +attribute \(a guess\)", refused.output)
    assert "not used: majority" in refused.output
    assert "--where model=b --yes" in error_of(refused)
    done = importing(file, *words, "--yes")
    assert done.exit_code == 0, done.output
    assert (
        "columns without any answer, taken for prompts that were not asked: p#10_1" in done.output
    )
    assert "orders that are none of the benchmark's: 1" in done.output
    unacceptable, acceptable = "strongly unacceptable", "somewhat acceptable"
    expected = [(i, "0", unacceptable) for i in IDS[:2]] + [(i, "3", acceptable) for i in IDS[:2]]
    assert written(file) == expected
    items = read_parquet(file.with_name("run") / ITEMS)
    # nobody knows the words of an order of theirs
    assert items["messages"].to_pylist() == [[]] * 4
    assert set(items["scale_order"].to_pylist()) == {"1"}


def prompt_of(item: int, variant: str) -> str:
    vignettes = pa.Table.from_pylist(FLOWS[item : item + 1])
    table = bundled_prompts().table(vignettes).to_pylist()
    return str(next(row["prompt"] for row in table if row["variant_id"] == variant))


def test_a_prompt_names_item_variant_and_order_at_once(tmp_path: Path) -> None:
    rows = [{"prompt": f" {prompt_of(2, '7')}\n", "answer": "neutral"}]
    result = importing(jsonl_of(tmp_path / "a.jsonl", rows), "--model", "m")
    assert result.exit_code == 0, result.output
    assert written(tmp_path / "a.jsonl") == [(IDS[2], "7", "neutral")]
    assert "prompt variants: 1 of 11 (7)" in result.output
    assert "orders of the answers: forward\n" in result.output


@pytest.mark.parametrize("name", ["7", "7.0", 7, 7.0, bundled_prompts().variants["7"]])
def test_a_variant_is_known_by_number_or_by_its_template(tmp_path: Path, name: Any) -> None:
    rows = [{"item_id": IDS[0], "variant_id": name, "answer": "neutral"}]
    result = importing(jsonl_of(tmp_path / "a.jsonl", rows), "--model", "m")
    assert result.exit_code == 0, result.output
    assert written(tmp_path / "a.jsonl") == [(IDS[0], "7", "neutral")]


def test_variants_that_are_not_the_benchmarks_do_not_count_as_some_of_its_own(file: Path) -> None:
    rows = [{**answer(i, "neutral"), "variant_id": v} for i in IDS[:2] for v in ("kind", "curt")]
    result = importing(csv_of(file, rows), "--model", "m")
    assert "prompt variants that are none of the benchmark's: kind, curt" in result.output
    run = file.with_name("run")
    for words in (("judge", run), ("score", run), ("report", run, "--format", "md")):
        assert normscope(*words).exit_code == 0
    page = (run / "report.md").read_text(encoding="utf-8")
    assert "asked in 2 prompt variants that are none of its own (kind, curt)" in page
    assert "of 11" not in page
    assert read_checked(run).asked(BENCHMARK).variants == ()


def test_several_replies_to_a_prompt_are_samples_and_a_failed_call_is_unscored(file: Path) -> None:
    more = {"temperature": 0.7}
    rows = [
        *(answer(IDS[0], "neutral", sample=k, **more, failed="") for k in range(2)),
        answer(IDS[1], "", sample=0, **more, failed="timeout"),
    ]
    result = importing(csv_of(file, rows), "--model", "m")
    assert "calls that failed, and are unscored: 1" in result.output
    run = file.with_name("run")
    assert [normscope(verb, run).exit_code for verb in ("judge", "score")] == [3, 3]
    table = read_parquet(run / JUDGEMENTS).to_pydict()
    assert table["sample"] == [0, 1, 0]
    assert table["temperature"] == [0.7] * 3
    assert table["reason"] == [None, None, "call_failed"]
    assert len(read_parquet(run / ITEMS)) == 2


def test_rows_that_match_nothing_are_listed_and_refused_or_kept_apart(file: Path) -> None:
    rows = [answer(IDS[0], "neutral"), answer("coppa-1", "neutral"), answer("", "neutral")]
    csv_of(file, rows)
    refused = importing(file, "--model", "m")
    assert "match nothing: 2 rows (no such item)" in refused.output
    assert "  line 3: no such item: coppa-1 | 0\n" in refused.output
    assert f"2 of 3 rows match no prompt of {BENCHMARK}" in error_of(refused)
    run = file.with_name("run")
    assert not run.exists()
    assert importing(file, "--model", "m", "--allow-unmatched").exit_code == 0
    table = pa_csv.read_csv(run / UNMATCHED)
    assert table["place"].to_pylist() == ["line 3", "line 4"]
    assert table["item_id"].to_pylist() == ["coppa-1", ""]
    for words in (("judge", run), ("score", run), ("report", run, "--format", "md")):
        assert normscope(*words).exit_code == 0
    page = (run / "report.md").read_text(encoding="utf-8")
    assert "2 rows of the imported file match no prompt of the benchmark" in page
    # the list is sealed with the run, like its tables
    (run / UNMATCHED).unlink()
    assert "unmatched.csv: it is no longer there" in error_of(normscope("score", run))


def test_a_dry_run_checks_everything_and_writes_nothing(file: Path) -> None:
    csv_of(file, ANSWERS)
    result = normscope("import", file, "-b", BENCHMARK, "--model", "m", "--dry-run")
    assert result.exit_code == 0
    assert "nothing was written (--dry-run)" in result.output
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert "name the run's folder with --out" in error_of(
        normscope("import", file, "-b", BENCHMARK)
    )


LONG = {"item_id": IDS[0], "variant_id": "0", "answer": "1"}
WRONG: dict[str, tuple[Sequence[Row], tuple[str, ...], str]] = {
    "off the scale": (
        [LONG, {**LONG, "item_id": IDS[1], "answer": "3"}],
        (),
        "1 answers are no degree of acceptability (−2 … +2), first '3' at line 3",
    ),
    "off the scale, wide": (
        [{"item_id": IDS[0], "p#0": "1", "p#1": "1.5"}],
        ("--yes",),
        "first '1.5' at line 2, p#1",
    ),
    "a key twice": (
        [LONG, LONG],
        (),
        (
            f"1 prompts were answered more than once, first {IDS[0]} 0 forward at line 2 and line "
            "3; leave one answer to each, or name the column that numbers them (--column "
            "sample=NAME)"
        ),
    ),
    "two models": (
        [{**LONG, "model": "a"}, {**LONG, "model": "a"}, {**LONG, "model": "b"}],
        (),
        (
            "the file has answers of 2 models: a (2 rows), b (1 rows); a run is one model's: take "
            "the rows of one with --where model=a"
        ),
    ),
    "two models, one of them named": (
        [{**LONG, "model": "a"}, {**LONG, "model": "b"}],
        ("--model", "b"),
        "take the rows of one with --where model=b",
    ),
    "no model": ([LONG], ("--model", ""), "name the model with --model NAME"),
    "a model without a name": (
        [{**LONG, "model": ""}],
        (),
        "the column model is empty: name the model with --model NAME",
    ),
    "columns of answers without any": (
        [{"item_id": IDS[0], "p#0": "", "p#1": ""}],
        ("--yes",),
        "none of the columns of answers has any: p#0, p#1",
    ),
    "no answers": (
        [{"item_id": IDS[0], "variant_id": 0, "said": "x"}],
        (),
        (
            "no column holds answers (there are item_id, variant_id, said): name it with --column "
            "answer=NAME"
        ),
    ),
    "no items": (
        [{"variant_id": 0, "answer": "1"}],
        (),
        "no column says which item was asked (there are variant_id, answer)",
    ),
    "some factors": (
        [{"sender": FLOWS[0]["sender"], "variant_id": 0, "answer": "1"}],
        (),
        "sender alone do not name an item: 120 items have 5 combinations",
    ),
    "no variant": (
        [{"item_id": IDS[0], "answer": "1"}],
        (),
        (
            "no column says in which variant_id each item was asked, and "
            "ci-vignettes:coppa_null has 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10: name the column "
            "(--column variant_id=NAME), or the only one that was asked (--variant 0)"
        ),
    ),
    "a sample that is no number": (
        [{**LONG, "sample": "first"}],
        (),
        "line 2: 'first' is no sample; write a number",
    ),
    "a column that is not there": (
        [LONG],
        ("--column", "answer=answr"),
        "the file has no column 'answr' for answer; did you mean 'answer'?",
    ),
    "a role that is none": (
        [LONG],
        ("--column", "anwser=answer"),
        "--column names no role 'anwser'; did you mean 'answer'?",
    ),
    "a value that is not there": (
        [{**LONG, "model": "a"}],
        ("--where", "model=b"),
        "no row has 'b' in 'model'; it has a",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_remedy_and_nothing_is_written(
    file: Path, name: str
) -> None:
    rows, words, text = WRONG[name]
    model = () if "model" in rows[0] or "--model" in words else ("--model", "m")
    result = importing(csv_of(file, rows), *model, *words)
    assert isinstance(result.exception, NormscopeError)
    assert text in error_of(result)
    assert not file.with_name("run").exists()


CONTENT: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty: its first line is to name the columns"),
    "header only": (b"item_id,answer\n", "is empty: it has no row of answers"),
    "another encoding": (
        "item_id,answer\nx,d'accord\ny,tr\u00e8s\n".encode("cp1252"),
        ":3: byte 30 (0xe8) is not UTF-8 text: the file has another encoding, such as Windows-1252",
    ),
    "utf-16": ("item_id,answer\nx,y\n".encode("utf-16"), "is saved as UTF-16; save it as UTF-8"),
    "ragged": (b"item_id,answer\nx,y\nz\n", ":3: 1 cells in a row under 2 columns"),
    "a quotation mark": (b'item_id,answer\nx,"y\n', ":2: not readable as CSV"),
    "a name twice": (b"item_id,answer,answer\nx,y,z\n", "'answer' is there 2 times"),
    "GBK": (
        "item_id,answer\nx,\u53ef\u4ee5\n".encode("gbk"),
        ":2: byte 17 (0xbf) is not UTF-8 text: the file has another encoding, such as",
    ),
    "semicolons": (b"item_id;answer\nx;y;z\n", ":2: 3 cells in a row under 2 columns"),
}


@pytest.mark.parametrize("name", CONTENT)
def test_a_file_that_is_no_table_is_said_with_its_line(file: Path, name: str) -> None:
    content, text = CONTENT[name]
    file.write_bytes(content)
    result = importing(file, "--model", "m")
    assert isinstance(result.exception, NormscopeError)
    assert text in error_of(result)
    assert not file.with_name("run").exists()


def test_a_question_is_known_by_its_words_where_nothing_else_names_it(
    tmp_path: Path, small_source: Path
) -> None:
    file = small_source / "harmful_question.csv"
    text = file.read_text(encoding="utf-8").replace("Question 0?", "What is a tulip?", 1)
    file.write_text(text, encoding="utf-8")
    known = Target.of(RunConfig(benchmark=("cfsafety",), source=str(small_source), unpinned=True))
    questions = {row["question"]: row for row in known.questions.to_pylist()}
    question = questions["What is a tulip?"]
    rows = [{"question": name, "output": "A flower."} for name in (question["question"], "Why?")]
    path = jsonl_of(tmp_path / "a.jsonl", rows)
    words = ("--source", small_source, "--unpinned", "--model", "m", "--yes", "--allow-unmatched")
    result = importing(path, *words, benchmark="cfsafety")
    assert result.exit_code == 0, (result.output, result.exception)
    assert "line 2: no such prompt: Why?" in result.output
    assert "next: normscope judge" in result.output
    assert "--judge MODEL" in result.output
    assert written(path) == [(question["item_id"], "", "A flower.")]
    brings = importing(csv_of(tmp_path / "b.csv", ANSWERS), "--model", "m", benchmark=GRADED)
    assert "safety-gradient brings its answers along" in error_of(brings)


def test_a_column_of_lists_holds_no_answers(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet_of(path, [{**LONG, "answer": ["1"], "notes": [{"by": "me"}]}])
    result = importing(path, "--model", "m")
    assert "the column 'answer' holds lists, objects or bytes" in error_of(result)
    parquet_of(path, [{**LONG, "notes": [{"by": "me"}], "when": b"\xff"}])
    result = importing(path, "--model", "m")
    assert result.exit_code == 0, result.output
    assert "not used: notes, when" in result.output


def test_a_prompt_in_other_words_is_told_and_the_run_is_of_no_revision(tmp_path: Path) -> None:
    rows = [{**LONG, "prompt": "Say it in one word: is that acceptable?"}]
    result = importing(jsonl_of(tmp_path / "a.jsonl", rows), "--model", "m")
    said = "answers to prompts in other words than the benchmark's, matched by item: 1"
    assert said in result.output
    run = tmp_path / "run"
    for words in (("judge", run), ("score", run), ("report", run, "--format", "md")):
        assert normscope(*words).exit_code == 0
    page = (run / "report.md").read_text(encoding="utf-8")
    assert "1 of these answers are to prompts in other words than the benchmark's" in page
    assert "1 of 120 items were answered" in page
    assert read_checked(run).asked(BENCHMARK).revision == ""


def test_the_docs_name_every_role() -> None:
    page = (Path(__file__).parents[3] / "docs" / "import.md").read_text(encoding="utf-8")
    table = page.partition("| role |")[2].partition("\n\n")[0]
    for role in ROLES:
        assert f"`{role}`" in table
