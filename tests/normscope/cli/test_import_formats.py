"""`normscope import` of what other tools wrote: scored runs, and files that are of no format."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tool_logs import BENCHMARK, FILES, label, prompts
from undrawn import undrawn

from normscope.cli import cli
from normscope.files import read_parquet
from normscope.judges.respondent import LIKERT_SCALE
from normscope.records.integrity import JUDGEMENTS, RESPONSES

__all__ = ["undrawn"]

VALUES = dict(zip(LIKERT_SCALE.labels, LIKERT_SCALE.values, strict=True))


def normscope(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)))


def scored(path: Path, out: Path, *words: object) -> list[dict[str, Any]]:
    """The judgements of the run that the file becomes, once it is scored."""
    result = normscope("import", path, "-b", BENCHMARK, "--out", out, *words)
    assert result.exit_code == 0, (result.output, result.exception)
    judged, scores = normscope("judge", out), normscope("score", out)
    rows: list[dict[str, Any]] = read_parquet(out / JUDGEMENTS).to_pylist()
    # of so few one call that failed is more than 5 %
    unscored = any(row["reason"] == "call_failed" for row in rows)
    assert [judged.exit_code, scores.exit_code] == [3 if unscored else 0] * 2, judged.output
    return rows


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def batch(folder: Path, ids: list[str]) -> tuple[Path, Path]:
    """The output of a batch whose last call failed, and its input."""
    outputs, inputs = [], []
    for custom_id, row in zip(ids, prompts(), strict=True):
        turn = {"role": "assistant", "content": label(row["prompt"])}
        body = {"model": "m-1", "choices": [{"message": turn}]}
        outputs.append({"custom_id": custom_id, "response": {"status_code": 200, "body": body}})
        turns = [{"role": "user", "content": row["prompt"]}]
        inputs.append({"custom_id": custom_id, "body": {"messages": turns, "temperature": 0.5}})
    outputs[-1]["response"] = {"status_code": 500, "body": None}
    return lines(folder / "output.jsonl", outputs), lines(folder / "input.jsonl", inputs)


@pytest.mark.parametrize("name", ["samples_flows", "samples_choices", "inspect"])
def test_what_a_tool_wrote_becomes_a_scored_run(name: str, tmp_path: Path) -> None:
    path = next(path for path in sorted(FILES.iterdir()) if path.name.startswith(name))
    rows = scored(path, tmp_path / "run")
    epochs = 2 if name == "inspect" else 1
    expected: list[float | None] = [VALUES[label(row["prompt"])] for row in prompts()]
    if name == "inspect":
        expected[-1] = None
    assert [row["value"] for row in rows] == expected * epochs
    assert [row["reason"] for row in rows if row["value"] is None] == (
        ["call_failed"] * 2 if name == "inspect" else []
    )
    assert (tmp_path / "run" / "scores.json").is_file()
    sides = read_parquet(tmp_path / "run" / RESPONSES)
    assert sides["sample"].to_pylist() == sorted([*range(epochs)] * len(expected))


def test_the_two_formats_of_a_log_make_the_same_run(tmp_path: Path) -> None:
    runs = [tmp_path / "eval", tmp_path / "json"]
    for run, ending in zip(runs, ("eval", "json"), strict=True):
        path = FILES / f"inspect.{ending}"
        assert normscope("import", path, "-b", BENCHMARK, "--out", run).exit_code == 0
    first, second = (read_parquet(run / RESPONSES) for run in runs)
    assert first.equals(second)


@pytest.mark.parametrize("by_request", [True, False])
def test_a_batch_is_matched_by_its_requests_or_by_ids_that_name_prompts(
    tmp_path: Path, by_request: bool
) -> None:
    rows = prompts()
    names = [f"{row['item_id']}|{row['variant_id']}|{row['scale_order']}" for row in rows]
    ids = [f"request-{at}" for at in range(len(rows))] if by_request else names
    output, requests = batch(tmp_path, ids)
    more = ["--requests", requests] if by_request else []
    judged = scored(output, tmp_path / "run", *more)
    assert [row["value"] for row in judged] == [
        *(VALUES[label(row["prompt"])] for row in rows[:-1]),
        None,
    ]
    assert judged[-1]["reason"] == "call_failed"
    temperatures = read_parquet(tmp_path / "run" / RESPONSES)["temperature"].to_pylist()
    assert temperatures == [0.5 if by_request else None] * len(rows)


def test_conversations_are_matched_by_their_prompts(tmp_path: Path) -> None:
    turns = [
        [
            {"role": "user", "content": row["prompt"]},
            {"role": "assistant", "content": label(row["prompt"])},
        ]
        for row in prompts()
    ]
    path = lines(tmp_path / "chat.jsonl", [{"messages": each} for each in turns])
    rows = scored(path, tmp_path / "run", "--model", "m-1")
    assert [row["value"] for row in rows] == [VALUES[label(row["prompt"])] for row in prompts()]


def test_a_format_can_be_named_and_must_fit(tmp_path: Path) -> None:
    path = lines(tmp_path / "rows.jsonl", [{"item_id": "a", "answer": "neutral"}])
    result = normscope("import", path, "-b", BENCHMARK, "--dry-run", "--format", "lm-eval")
    assert "rows.jsonl:1: doc_id is not as the format has it" in str(result.exception)
    result = normscope("import", path, "-b", BENCHMARK, "--dry-run", "--requests", path)
    assert "is for the output of a batch, and" in str(result.exception)


@pytest.mark.parametrize("content", ["", "{", "[1]"])
def test_a_file_of_no_format_is_a_table_whose_reader_says_what_is_wrong(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(content, encoding="utf-8")
    result = normscope("import", path, "-b", BENCHMARK, "--dry-run")
    assert "rows.jsonl" in str(result.exception)
    assert not (tmp_path / "run").exists()
