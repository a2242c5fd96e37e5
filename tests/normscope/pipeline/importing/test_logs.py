"""What other tools wrote becomes scored runs; what is no whole log of theirs is refused."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from tool_logs import BENCHMARK, FILES, label, prompts

from normscope.cli import cli
from normscope.errors import DataError, MissingExtraError
from normscope.files import read_parquet
from normscope.judges.respondent import LIKERT_SCALE
from normscope.pipeline.importing import read_answers
from normscope.records.integrity import JUDGEMENTS, RESPONSES

VALUES = dict(zip(LIKERT_SCALE.labels, LIKERT_SCALE.values, strict=True))
EXPECTED = [VALUES[label(row["prompt"])] for row in prompts()]


def judged(path: Path, out: Path) -> list[dict[str, Any]]:
    for words in (["import", path, "-b", BENCHMARK, "--out", out], ["judge", out]):
        result = CliRunner().invoke(cli, list(map(str, words)))
        # of so few one call that failed is more than 5 %
        assert result.exit_code in {0, 3}, (result.output, result.exception)
    rows: list[dict[str, Any]] = read_parquet(out / JUDGEMENTS).to_pylist()
    return rows


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def samples(name: str) -> list[dict[str, Any]]:
    [path] = FILES.glob(f"samples_{name}_*")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["flows", "choices"])
def test_samples_of_the_harness_are_imported_with_their_model(name: str, tmp_path: Path) -> None:
    [path] = FILES.glob(f"samples_{name}_*")
    table = read_answers(path)
    assert set(table.texts("model").to_pylist()) == {"none/scripted"}
    assert [row["value"] for row in judged(path, tmp_path / "run")] == EXPECTED
    temperatures = read_parquet(tmp_path / "run" / RESPONSES)["temperature"].to_pylist()
    assert set(temperatures) == {0.5 if name == "flows" else None}


def test_choices_as_likely_have_no_answer_and_one_without_a_number_is_a_failed_call(
    tmp_path: Path,
) -> None:
    rows = samples("choices")
    rows[0]["filtered_resps"] = [["-1.0", "False"]] * 5
    rows[1]["filtered_resps"][2] = ["nan", "False"]
    table = read_answers(lines(tmp_path / "samples_x_1.jsonl", rows[::-1]))
    assert table.texts("item_id").to_pylist() == [row["doc"]["item_id"] for row in rows]
    assert table.texts("answer").to_pylist()[:2] == [None, None]
    assert table.texts("failed").to_pylist()[:2] == [None, "a choice has no log-probability"]


@pytest.mark.parametrize(("shots", "is_own"), [(0, True), (2, False)])
def test_a_prompt_is_the_documents_where_a_chat_template_alone_stands_around_it(
    shots: int, is_own: bool, tmp_path: Path
) -> None:
    [row] = samples("choices")[:1]
    for request in row["arguments"].values():
        request["arg_0"] = f"<user>{request['arg_0']}<end>"
    path = lines(tmp_path / "samples_x_1.jsonl", [row])
    about = {"chat_template": "…", "n-shot": {"x": shots}, "configs": {"x": {"description": ""}}}
    (tmp_path / "results_1.json").write_text(json.dumps(about), encoding="utf-8")
    assert (read_answers(path).texts("prompt")[0].as_py() == row["doc"]["prompt"]) is is_own


def test_several_texts_are_samples_and_what_has_no_answer_is_refused(tmp_path: Path) -> None:
    rows = [row for row in samples("flows") if row["filter"] == "none"][:1]
    rows[0]["filtered_resps"] = [["neutral", "no"]]
    path = lines(tmp_path / "samples_x_1.jsonl", rows)
    assert read_answers(path).texts("answer").to_pylist() == ["neutral", "no"]
    rows[0]["arguments"] = {"gen_args_0": {"arg_0": "How?", "arg_1": " So."}}
    lines(path, rows)
    with pytest.raises(DataError, match=r"_1.jsonl:1: neither text nor a choice"):
        read_answers(path)


def inspect_log(**more: Any) -> Any:
    """A log as Inspect's reader gives it: two epochs, the later one failed."""
    turns = [SimpleNamespace(role="user", text="How?"), SimpleNamespace(role="tool", text="4")]
    output = SimpleNamespace(error=None, choices=[1], stop_reason="stop", completion="neutral")
    asked = {"id": 1, "messages": turns, "output": output, "metadata": {"item_id": "x"}}
    failed = SimpleNamespace(message="the line\nwas cut")
    config = SimpleNamespace(temperature=0.5)
    about = SimpleNamespace(
        model="m",
        task="flows",
        dataset=SimpleNamespace(sample_ids=[1]),
        model_generate_config=SimpleNamespace(temperature=None),
    )
    known = {
        "status": "success",
        "eval": about,
        "plan": SimpleNamespace(config=config),
        "samples": [
            SimpleNamespace(epoch=2, error=failed, **asked),
            SimpleNamespace(epoch=1, error=None, **asked),
        ],
    }
    return SimpleNamespace(**{**known, **more})


def with_inspect(monkeypatch: pytest.MonkeyPatch, read: Any) -> None:
    module = SimpleNamespace(read_eval_log=read)
    monkeypatch.setitem(sys.modules, "inspect_ai", module)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", module)


def test_the_epochs_of_a_log_are_samples_and_an_error_is_a_failed_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(b"")
    with_inspect(monkeypatch, lambda *_, **__: inspect_log(status="cancelled"))
    table = read_answers(path)
    assert table.rows.to_pylist() == [
        {"item_id": "x", "prompt": "How?", "answer": answer, "failed": failed, "sample": at}
        | {"model": "m", "temperature": 0.5}
        for at, answer, failed in ((0, "neutral", None), (1, None, "the line was cut"))
    ]
    assert table.places == ["sample 1, epoch 1", "sample 1, epoch 2"]
    assert table.note == "the run of flows was not finished (cancelled): the log has 2 samples"


def test_a_log_that_cannot_be_read_or_has_no_reader_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK")

    def fails(*_: Any, **__: Any) -> None:
        raise NotImplementedError("compression\n99")

    with_inspect(monkeypatch, fails)
    with pytest.raises(DataError, match=r"log.eval is no whole log of Inspect \(compression 99\)"):
        read_answers(path)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'normscope\[inspect\]'"):
        read_answers(path)
