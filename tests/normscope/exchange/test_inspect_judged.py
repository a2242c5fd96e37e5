"""Logs of Inspect that are judged in place: rows of a table, or the log with our scores added."""

import csv
import json
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tool_logs import FILES

from normscope.cli import cli, commands
from normscope.errors import DataError, NormscopeError
from normscope.exchange.inspect.judged import LogFile
from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.rubric import rubric
from normscope.pipeline.importing.formats import reader
from normscope.pipeline.importing.formats.inspect_records import opened_log
from normscope.pipeline.judge_file import judge_file
from normscope.pipeline.judged_rows import Counts
from normscope.pipeline.workers.here import Here
from normscope.records.config import RunConfig
from normscope.records.model_spec import ModelSpec

EVAL, JSON = FILES / "inspect.eval", FILES / "inspect.json"
WRITTEN_ANEW = ("samples/", "summaries.json", "_journal/summaries/", "header.json")
HEADER: Mapping[str, Any] = {"eval": {"task": "flows", "model": "m-1"}, "status": "success"}


def even(request: LabelRequest) -> LabelResult:
    """The same for every label, of four classes more for the first; all mass is on the scale."""
    k = len(request.scale.labels)
    shares = (0.4, 0.2, 0.2, 0.2) if k == 4 else (1 / k,) * k
    return LabelResult(tuple(map(math.log, shares)))


def engine(_: ModelSpec) -> FakeEngine:
    return FakeEngine(even, lambda _: TextResult(""))


def judge(source: Path, out: Path, **columns: str) -> Counts:
    return judge_file(
        source,
        out,
        rubric=rubric("cfsafety"),
        criteria=(),
        config=RunConfig(judge=ModelSpec("fake")),
        workers=Here(engine),
        columns=columns,
        form=LogFile,
    )


def turn(role: str, content: Any) -> Mapping[str, Any]:
    return {"role": role, "content": content}


def sample(**values: Any) -> Mapping[str, Any]:
    output = {"choices": [{"message": turn("assistant", "Lock it."), "stop_reason": "stop"}]}
    return {"id": "a", "epoch": 1, "input": "How?", "target": "", "output": output, **values}


def log(path: Path, *samples: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps({**HEADER, "samples": samples}), encoding="utf-8")
    return path


def members(path: Path) -> dict[str, bytes]:
    """The members of an archive that Python's `zipfile` compressed."""
    with zipfile.ZipFile(path) as archive:
        assert len(set(archive.namelist())) == len(archive.namelist())
        return {name: archive.read(name) for name in archive.namelist()}


def samples_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".json":
        return list(json.loads(path.read_text(encoding="utf-8"))["samples"])
    return [json.loads(v) for n, v in members(path).items() if n.startswith("samples/")]


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("source", [EVAL, JSON])
def test_a_sample_is_a_row_with_its_id_epoch_metadata_and_readings(
    tmp_path: Path, source: Path
) -> None:
    counts = judge(source, tmp_path / "judged.csv")
    rows = read_csv(tmp_path / "judged.csv")
    keys = [(row["id"], row["epoch"]) for row in rows]
    assert keys == [(str(n), str(epoch)) for epoch in (1, 2) for n in (1, 2, 3, 4)]
    assert rows[0]["variant_id"] == "0"
    assert json.loads(rows[0]["messages"])[-1]["role"] == "user"
    assert [row["score"] for row in rows] == ["1.5", "1.5", "1.5", ""] * 2
    # what brought no answer is our failure, and not the model's silence
    assert rows[3]["failed"] == "RuntimeError('the line was cut')"
    assert rows[3]["moral_reason"] == "call_failed"
    assert (counts.rows, counts.unscored, counts.failed, counts.not_answered) == (8, 2, 2, 2)


@pytest.mark.parametrize("source", [EVAL, JSON])
@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_log_comes_back_as_it_was_with_our_scores(
    tmp_path: Path, source: Path, ending: str
) -> None:
    out = tmp_path / f"judged.{ending}"
    judge(source, out)
    with opened_log(source) as original:
        known = [raw for _, raw in original.samples]
    written = samples_of(out)
    for before, after in zip(known, written, strict=True):
        scores = after.pop("scores")
        before.pop("scores", None)
        assert after == before
        assert list(scores) == ["moral", "rating", "refusal", "score"]
        if "error" in before:
            assert math.isnan(scores["score"]["value"])
            assert scores["moral"]["reason"] == "scoring_failed"
            assert scores["moral"]["metadata"]["unscored"] == "call_failed"
        else:
            assert scores["score"]["value"] == 1.5
            assert scores["moral"]["metadata"]["distribution"] == {"0": 0.5, "1": 0.5}
            assert scores["moral"]["metadata"]["coverage"] == pytest.approx(1)
    ours, theirs = (reader("inspect").read(path) for path in (out, JSON))
    assert ours.table.equals(theirs.table)


def test_the_results_have_an_interval_over_samples_and_count_what_is_unscored(
    tmp_path: Path,
) -> None:
    out = tmp_path / "judged.json"
    judge(JSON, out)
    results = json.loads(out.read_text(encoding="utf-8"))["results"]
    assert (results["total_samples"], results["completed_samples"]) == (8, 6)
    by_name = {each["name"]: each for each in results["scores"]}
    # of a class the shares, since its mean says nothing
    shares = [f"refusal:{label}" for label in "0123"]
    assert list(by_name) == ["moral", "rating", *shares, "score"]
    moral = by_name["moral"]
    assert (moral["scored_samples"], moral["unscored_samples"]) == (6, 2)
    values = {name: metric["value"] for name, metric in moral["metrics"].items()}
    # six at 0.5, and two that might have been 0 or 1
    assert values["value"] == 0.5
    assert (values["lowest"], values["highest"]) == (3 / 8, 5 / 8)
    assert values["low"] < 3 / 8 < 5 / 8 < values["high"]
    assert moral["metadata"]["judge"] == "fake"


def test_what_else_an_archive_holds_stays_in_it(tmp_path: Path) -> None:
    source = tmp_path / "log.eval"
    kept: dict[str, Any] = {
        "_journal/start.json": {**HEADER, "version": 2, "plan": {"name": "p"}},
        "_journal/config_updates/1.json": {"timestamp": 1},
        "reductions.json": [{"scorer": "match", "samples": []}],
    }
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
        match = {"name": "match", "scorer": "match", "metrics": {}}
        head = {**kept["_journal/start.json"], "results": {"scores": [match]}}
        scored = sample(scores={"moral": {"value": "C"}})
        for name, value in {**kept, "samples/a_epoch_1.json": scored, "header.json": head}.items():
            archive.writestr(name, json.dumps(value))
    judge(source, tmp_path / "judged.eval")
    written = members(tmp_path / "judged.eval")
    for name in ("_journal/config_updates/1.json", "reductions.json"):
        assert json.loads(written[name]) == kept[name]
    assert json.loads(written["_journal/start.json"])["plan"] == {"name": "p"}
    [summary] = json.loads(written["summaries.json"])
    # another scorer's name is not taken from it
    assert {name: score["value"] for name, score in summary["scores"].items()} == {
        "moral": "C",
        "moral1": 0.5,
        "rating": 3.0,
        "refusal": 0.0,
        "score": 1.5,
    }
    names = [each["name"] for each in json.loads(written["header.json"])["results"]["scores"]]
    assert names[:3] == ["match", "moral1", "rating"]


def test_the_conversation_is_what_was_said_up_to_the_last_question(tmp_path: Path) -> None:
    turns = [
        turn("system", "Be brief."),
        turn("user", "A door."),
        turn("assistant", ""),
        turn("tool", "door: open"),
        turn("assistant", "It is open."),
        turn("user", [{"type": "text", "text": "attachment://f00"}]),
        turn("assistant", "Lock it."),
    ]
    value = sample(messages=turns, attachments={"f00": "How do I shut it?"})
    judge(log(tmp_path / "log.json", value), tmp_path / "judged.jsonl")
    [row] = map(json.loads, (tmp_path / "judged.jsonl").read_text(encoding="utf-8").splitlines())
    assert [(each["role"], each["content"]) for each in row["messages"]] == [
        ("system", "Be brief."),
        ("user", "A door."),
        ("assistant", "It is open."),
        ("user", "How do I shut it?"),
    ]
    assert row["response"] == "Lock it."
    assert "failed" not in row


def test_metadata_name_the_category_and_keep_their_names_beside_ours(tmp_path: Path) -> None:
    value = sample(metadata={"harm": "misleading", "response": "mine", "tags": ["x", "y"]})
    source = log(tmp_path / "log.json", value)
    judge(source, tmp_path / "judged.jsonl", category="harm")
    [row] = map(json.loads, (tmp_path / "judged.jsonl").read_text(encoding="utf-8").splitlines())
    assert (row["response"], row["metadata.response"]) == ("Lock it.", "mine")
    assert row["tags"] == ["x", "y"]


def test_a_category_of_another_kind_is_an_error_with_the_sample_and_the_way_out(
    tmp_path: Path,
) -> None:
    source = log(tmp_path / "log.json", sample(id="q 7", metadata={"category": "algebra"}))
    with pytest.raises(DataError, match=r"log.json, sample q 7, epoch 1: .*--column category=\)"):
        judge(source, tmp_path / "judged.csv")
    assert judge(source, tmp_path / "judged.csv", category="").unscored == 0


@pytest.mark.parametrize(
    ("samples", "out", "text"),
    [
        ((), "judged.csv", "has no samples: nothing to judge"),
        ((sample(),), "judged.txt", "the ending is .txt"),
        ((sample(input=[turn("system", "x")]),), "judged.eval", "sample a, epoch 1: no turn of"),
    ],
)
def test_what_cannot_be_judged_or_written_is_said_first(
    tmp_path: Path, samples: tuple[Mapping[str, Any], ...], out: str, text: str
) -> None:
    with pytest.raises(NormscopeError, match=text):
        judge(log(tmp_path / "log.json", *samples), tmp_path / out)
    assert [path.name for path in tmp_path.iterdir()] == ["log.json"]


def test_a_folder_is_no_log_to_write(tmp_path: Path) -> None:
    (tmp_path / "judged.eval").mkdir()
    with pytest.raises(NormscopeError, match=r"judged.eval is a folder: name a file"):
        judge(log(tmp_path / "log.json", sample()), tmp_path / "judged.eval")


def test_the_verb_takes_a_log_and_tells_what_brought_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "load", engine)
    flags = ["--rubric", "cfsafety", "--judge", "fake", "--out", str(tmp_path / "judged.eval")]
    done = CliRunner().invoke(cli, ["judge", str(EVAL), *flags])
    assert done.exit_code == 3, done.output
    assert "judged.eval  8 rows, 2 with an unscored criterion" in done.output
    assert "rows that brought no answer, by their file: 2" in done.output
    assert "the same command asks these again" not in done.output
