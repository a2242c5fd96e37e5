"""`normscope import`: tables of answers got elsewhere become runs, or say what is wrong."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from normscope.builders.cfsafety.builder import BUILDER
from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.ci_vignettes.prompts import bundled_prompts
from normscope.builders.ci_vignettes.vignettes import vignette_table
from normscope.cli import cli
from normscope.errors import NormscopeError
from normscope.files import read_parquet
from normscope.records.integrity import ITEMS, JUDGEMENTS, RESPONSES, is_whole
from normscope.records.run import Run

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
    assert isinstance(result.exception, NormscopeError), (result.output, result.exception)
    return result.exception.message


def csv_of(path: Path, rows: Sequence[Row]) -> Path:
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def jsonl_of(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def answer(item: str, value: Any, **more: Any) -> Row:
    return {"item_id": item, "variant_id": "0", "answer": value, **more}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.csv"


def written(path: Path) -> list[tuple[str, str, str | None]]:
    table = read_parquet(path.with_name("run") / RESPONSES)
    names = ("item_id", "variant_id", "text")
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


def test_a_table_with_the_standard_names_becomes_a_run_that_goes_on(file: Path) -> None:
    rows = [answer(IDS[0], "neutral"), answer(IDS[1], "I cannot say."), answer(IDS[2], "")]
    result = importing(csv_of(file, rows), "--model", "theirs")
    assert result.exit_code == 0, result.output
    assert f"(CSV): 3 answers to 3 of 120 items of {BENCHMARK}" in result.output
    run = file.with_name("run")
    for verb in ("judge", "score", "report"):
        assert normscope(verb, run).exit_code == 0
    assert is_whole(run)
    judgements = read_parquet(run / JUDGEMENTS)
    assert judgements["value"].to_pylist() == [0.0, None, None]
    assert judgements["reason"].to_pylist()[2] == "no_answer"
    # whole, with the same answers: nothing is done; with others it is refused
    assert importing(file, "--model", "theirs").exit_code == 0
    assert is_whole(run)
    csv_of(file, rows[:2])
    assert "was begun with other settings" in error_of(importing(file, "--model", "theirs"))


def test_columns_of_other_names_are_named_and_factors_name_items(file: Path) -> None:
    rows = [
        {
            "sender": flow["sender"].upper(),
            "infotype": f" {flow['attribute']}",
            "recipient": flow["recipient"],
            "model": model,
            "template": template,
            "order": 1,
            "reply": reply,
        }
        for flow in FLOWS[:2]
        for model in ("a", "b")
        for template, reply in (("0", "-2.0"), ("3", "+1"))
    ]
    named = {"attribute": "infotype", "variant_id": "template", "scale_order": "order"}
    words = [f"--column={role}={name}" for role, name in {**named, "answer": "reply"}.items()]
    csv_of(file, rows)
    assert "4 of 8 rows do not fit, first line 4" in error_of(importing(file, *words))
    done = importing(file, *words, "--where", "model=b")
    assert done.exit_code == 0, (done.output, done.exception)
    texts = ("strongly unacceptable", "somewhat acceptable")
    expected = [(item, *each) for item in IDS[:2] for each in zip("03", texts, strict=True)]
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
    path = jsonl_of(tmp_path / "a.jsonl", [{"prompt": f" {prompt_of(2, '7')}\n", "answer": "No."}])
    result = importing(path, "--model", "m")
    assert result.exit_code == 0, result.output
    assert written(path) == [(IDS[2], "7", "No.")]
    rows = [{**answer(IDS[1], "No."), "prompt": prompt_of(2, "7")}]
    refused = importing(jsonl_of(path, rows), "--model", "m")
    assert "item and prompt contradict" in error_of(refused)


def test_variants_that_are_not_the_benchmarks_do_not_count_as_some_of_its_own(file: Path) -> None:
    rows = [{**answer(i, "neutral"), "variant_id": v} for i in IDS[:2] for v in ("kind", "curt")]
    assert importing(csv_of(file, rows), "--model", "m").exit_code == 0
    run = file.with_name("run")
    for words in (("judge", run), ("score", run), ("report", run, "--format", "md")):
        assert normscope(*words).exit_code == 0
    page = (run / "report.md").read_text(encoding="utf-8")
    assert "asked in 2 prompt variants that are none of its own (kind, curt)" in page
    assert "of 11" not in page
    assert Run.open(run).config.asked(BENCHMARK).variants == ()


def test_several_replies_to_a_prompt_are_samples_and_a_failed_call_is_unscored(file: Path) -> None:
    more = {"temperature": 0.7}
    rows = [
        *(answer(IDS[0], "neutral", sample=k, **more, failed="") for k in range(2)),
        answer(IDS[1], "", sample=0, **more, failed="timeout"),
    ]
    assert importing(csv_of(file, rows), "--model", "m").exit_code == 0
    run = file.with_name("run")
    assert [normscope(verb, run).exit_code for verb in ("judge", "score")] == [3, 3]
    table = read_parquet(run / JUDGEMENTS).to_pydict()
    assert table["sample"] == [0, 1, 0]
    assert table["temperature"] == [0.7] * 3
    assert table["reason"] == [None, None, "call_failed"]
    assert len(read_parquet(run / ITEMS)) == 2


def test_the_authors_layout_of_cfsafety_is_a_column_per_category(
    file: Path, small_source: Path
) -> None:
    prompts = BUILDER.tables(small_source, unpinned=True)["default"]
    rows = [{"": at, "Criminal_Unethical": f"No {at}.", "PromptLeakage": ""} for at in range(2)]
    words = ("--source", small_source, "--unpinned", "--model", "m")
    done = importing(csv_of(file, rows), *words, benchmark="cfsafety")
    assert done.exit_code == 0, (done.output, done.exception)
    assert "--judge MODEL" in done.output
    ids = {
        label: [row["item_id"] for row in prompts.to_pylist() if row["source_category"] == label]
        for label in ("Criminal_Unethical", "PromptLeakage")
    }
    assert written(file) == [
        *((item, "", f"No {at}.") for at, item in enumerate(ids["Criminal_Unethical"][:2])),
        *((item, "", None) for item in ids["PromptLeakage"][:2]),
    ]
    many = [{"PromptLeakage": "No."}] * (len(ids["PromptLeakage"]) + 1)
    refused = importing(csv_of(file, many), *words, benchmark="cfsafety:published")
    assert "rows of answers to the" in error_of(refused)


def test_a_prompt_in_other_words_is_told_and_the_run_is_of_no_revision(tmp_path: Path) -> None:
    rows = [{**LONG, "prompt": "Say it in one word: is that acceptable?"}]
    result = importing(jsonl_of(tmp_path / "a.jsonl", rows), "--model", "m")
    assert "note: 1 answers are to prompts in other words" in result.output
    run = tmp_path / "run"
    for words in (("judge", run), ("score", run), ("report", run, "--format", "md")):
        assert normscope(*words).exit_code == 0
    page = (run / "report.md").read_text(encoding="utf-8")
    assert "1 of these answers are to prompts in other words than the benchmark's" in page
    assert "1 of 120 items" in page
    assert Run.open(run).config.asked(BENCHMARK).revision == ""


LONG = {"item_id": IDS[0], "variant_id": "0", "answer": "1"}
WRONG: dict[str, tuple[Sequence[Row], tuple[str, ...], str]] = {
    "no such item": (
        [LONG, {**LONG, "item_id": "coppa-1"}],
        (),
        f"1 of 2 rows do not fit, first line 3 (coppa-1 | 0 | m | 1): no such item in {BENCHMARK}",
    ),
    "no model": ([LONG], ("--model", ""), "name the model with --model"),
    "no answers": (
        [{"item_id": IDS[0], "variant_id": 0, "said": "x"}],
        (),
        "no column holds answers (there are item_id, variant_id, said)",
    ),
    "no items": (
        [{"variant_id": 0, "answer": "1"}],
        (),
        "name items by id (--column item_id=NAME)",
    ),
    "some factors": (
        [{"sender": FLOWS[0]["sender"], "variant_id": 0, "answer": "1"}],
        (),
        f"first line 2 (0 | m | 1 | {FLOWS[0]['sender']}): no such item",
    ),
    "a sample that is no number": (
        [{**LONG, "sample": "first"}],
        (),
        " | first): sample is no number: write one",
    ),
    "a column that is not there": (
        [LONG],
        ("--column", "answer=answr"),
        "there is no column 'answr'; did you mean 'answer'?",
    ),
    "a role that is none": (
        [LONG],
        ("--column", "anwser=answer"),
        "--column names no role 'anwser'; did you mean 'answer'?",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_remedy_and_nothing_is_written(
    file: Path, name: str
) -> None:
    rows, words, text = WRONG[name]
    model = () if "--model" in words else ("--model", "m")
    assert text in error_of(importing(csv_of(file, rows), *model, *words))
    assert not (file.with_name("run") / ITEMS).exists()
