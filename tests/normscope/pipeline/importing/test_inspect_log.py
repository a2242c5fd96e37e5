"""Logs of Inspect: those that it wrote, and archives that are damaged or take too much."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from normscope.pipeline.importing.formats import inspect_archive, inspect_records, reader
from normscope.pipeline.importing.formats.content import FILTERED
from tool_logs import FILES, label, prompts

from normscope.errors import BudgetError, DataError

INSPECT = reader("inspect")
EVAL, JSON = FILES / "inspect.eval", FILES / "inspect.json"
KEYS = ("item_id", "variant_id", "scale_order")
HEADER: Mapping[str, Any] = {"status": "success", "eval": {"task": "flows", "model": "m-1"}}


def turn(content: Any, stop_reason: str = "stop") -> Mapping[str, Any]:
    return {"message": {"role": "assistant", "content": content}, "stop_reason": stop_reason}


def sample(**values: Any) -> Mapping[str, Any]:
    return {"id": "a", "input": "One?", "output": {"choices": [turn("neutral")]}, **values}


def archive(path: Path, members: Mapping[str, Any], **how: Any) -> Path:
    """An archive that Python compressed, of values as JSON or of bytes as they are."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **how) as file:
        for name, value in members.items():
            file.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


def log(path: Path, *samples: Mapping[str, Any], **header: Any) -> Path:
    """A log in JSON."""
    path.write_text(json.dumps({**HEADER, **header, "samples": samples}), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", [EVAL, JSON])
def test_what_inspect_wrote_is_read_with_epochs_errors_and_metadata(path: Path) -> None:
    asked = prompts() * 2
    raw = INSPECT.read(path)
    assert INSPECT.is_format({}, path)
    assert raw.table[raw.roles["prompt"]].to_pylist() == [row["prompt"] for row in asked]
    answers = [label(row["prompt"]) for row in prompts()[:-1]] + [None]
    assert raw.table[raw.roles["answer"]].to_pylist() == answers * 2
    assert raw.table.select(KEYS).to_pylist() == [{key: row[key] for key in KEYS} for row in asked]
    assert raw.table[raw.roles["sample"]].to_pylist() == [0] * 4 + [1] * 4
    failed = raw.table[raw.roles["failed"]].to_pylist()
    assert failed == [None, None, None, "RuntimeError('the line was cut')"] * 2
    assert set(raw.table[raw.roles["model"]].to_pylist()) == {"mockllm/model"}
    assert set(raw.table[raw.roles["temperature"]].to_pylist()) == {0.5}
    assert raw.place.to_pylist()[-1] == "sample 4, epoch 2"
    # the metadata name the item: the number that Inspect gave the sample does not
    assert "item_id" not in raw.roles
    assert raw.note == "samples that ended in an error, taken as failed calls: 2"


def test_what_a_solver_made_of_the_input_is_the_prompt(tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": "Think: One?"},
        {"role": "assistant", "content": "neutral"},
    ]
    raw = INSPECT.read(log(tmp_path / "log.json", sample(messages=turns)))
    assert raw.table[raw.roles["prompt"]].to_pylist() == ["Think: One?"]
    assert raw.table[raw.roles["item_id"]].to_pylist() == ["a"]


def test_a_refusal_in_words_is_an_answer(tmp_path: Path) -> None:
    parts = [
        {"type": "reasoning", "reasoning": "…", "text": None},
        {"type": "text", "text": "I cannot say.", "refusal": True},
    ]
    value = sample(output={"choices": [turn(parts)]})
    raw = INSPECT.read(log(tmp_path / "log.json", value))
    assert raw.table[raw.roles["answer"]].to_pylist() == ["I cannot say."]


def test_samples_stand_in_the_order_of_the_dataset_epoch_by_epoch(tmp_path: Path) -> None:
    keys = [("b", 2), ("a", 1), ("b", 1), ("a", 2)]
    samples = [sample(id=name, epoch=epoch) for name, epoch in keys]
    evaluation = {**HEADER["eval"], "dataset": {"sample_ids": ["b", "a"]}}
    raw = INSPECT.read(log(tmp_path / "log.json", *samples, eval=evaluation))
    assert raw.table.select(["id", "epoch"]).to_pylist() == [
        {"id": name, "epoch": epoch} for epoch in (0, 1) for name in ("b", "a")
    ]


def test_half_of_a_character_becomes_a_question_mark(tmp_path: Path) -> None:
    # JSON can spell it, and no file in UTF-8 can hold it
    path = log(tmp_path / "log.json", sample(input="One \ud83d?"))
    raw = INSPECT.read(path)
    assert raw.table[raw.roles["prompt"]].to_pylist() == ["One ??"]


def test_a_text_that_the_log_keeps_apart_is_put_back(tmp_path: Path) -> None:
    value = sample(input="attachment://f00", attachments={"f00": "One long question?"})
    raw = INSPECT.read(log(tmp_path / "log.json", value))
    assert raw.table[raw.roles["prompt"]].to_pylist() == ["One long question?"]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"output": {"choices": []}}, "no output"),
        ({"output": {"choices": [], "error": "blocked"}}, "blocked"),
        ({"output": {"choices": [turn("blocked", stop_reason="content_filter")]}}, FILTERED),
        ({"error": {"message": "Timeout\nafter 3 s"}}, "Timeout after 3 s"),
    ],
)
def test_a_sample_without_an_answer_is_a_failed_call(
    tmp_path: Path, values: Mapping[str, Any], why: str
) -> None:
    raw = INSPECT.read(log(tmp_path / "log.json", sample(**values)))
    assert raw.table[raw.roles["failed"]].to_pylist() == [why]
    assert raw.table[raw.roles["answer"]].to_pylist() == [None]


@pytest.mark.parametrize("member", ["header.json", "_journal/start.json"])
def test_a_run_that_was_not_finished_is_read_and_said(tmp_path: Path, member: str) -> None:
    header = (
        {**HEADER, "status": "cancelled"} if member == "header.json" else {"eval": HEADER["eval"]}
    )
    path = archive(tmp_path / "log.eval", {member: header, "samples/a_epoch_1.json": sample()})
    raw = INSPECT.read(path)
    status = header.get("status", "started")
    assert raw.note == f"the run of flows was not finished ({status}): the log has 1 samples"
    assert len(raw.table) == 1


def test_a_log_that_was_cut_in_half_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(EVAL.read_bytes()[:5_000])
    with pytest.raises(DataError, match=r"log.eval is no whole Inspect log \(.*\): was it cut off"):
        INSPECT.read(path)


def test_a_damaged_member_is_named(tmp_path: Path) -> None:
    content = bytearray(EVAL.read_bytes())
    at = content.index(b"samples/1_epoch_1.json") + 60
    content[at : at + 40] = bytes(40)
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"samples/1_epoch_1.json is damaged"):
        INSPECT.read(path)


@pytest.mark.parametrize(
    ("at", "value", "told"),
    [
        # of a member's entry in the directory: where it stands, how large it is, who can read it
        (42, -20, "is damaged"),
        (42, 1 << 31, "is damaged"),
        (20, (1 << 32) - 2, "is damaged"),
        (6, 92, "is no whole Inspect log"),
    ],
)
def test_a_directory_that_leads_astray_is_told(
    tmp_path: Path, at: int, value: int, told: str
) -> None:
    content = bytearray(EVAL.read_bytes())
    entry = content.rindex(b"PK\1\2")
    width = 2 if at == 6 else 4
    number = value if value >= 0 else len(content) + value
    content[entry + at : entry + at + width] = number.to_bytes(width, "little")
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    with pytest.raises(DataError, match=told):
        INSPECT.read(path)


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"samples/a.json": sample()}, "is an archive without header.json"),
        ({"header.json": b"{"}, "header.json is not JSON"),
        ({"header.json": {"eval": {}}}, r"header.json: eval.model is not as the format has it"),
        ({"header.json": HEADER, "samples/a.json": []}, "samples/a.json is no object of a log"),
        ({"header.json": HEADER, "samples/a.json": {"id": "a"}}, "samples/a.json: input is not"),
        (
            {"header.json": HEADER, "samples/a/sample.json": {}},
            "a part of a sample .* before that conv",
        ),
    ],
)
def test_an_archive_of_another_shape_is_refused(
    tmp_path: Path, members: Mapping[str, Any], text: str
) -> None:
    with pytest.raises(DataError, match=text):
        INSPECT.read(archive(tmp_path / "log.eval", members))


def test_members_whose_names_lead_elsewhere_are_not_unpacked(tmp_path: Path) -> None:
    names = ("samples/../../up.json", "/samples/b.json", "other/a.json")
    members = {
        "header.json": HEADER,
        "samples/a.json": sample(),
        **dict.fromkeys(names[1:], sample()),
    }
    raw = INSPECT.read(archive(tmp_path / "log.eval", members))
    assert len(raw.table) == 1
    with pytest.raises(DataError, match="is a part of a sample"):
        INSPECT.read(archive(tmp_path / "up.eval", {"header.json": HEADER, names[0]: sample()}))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.eval", "up.eval"]


def test_a_member_that_takes_more_than_it_may_is_refused_while_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect_archive, "LONGEST", 100_000)
    members = {"header.json": HEADER, "samples/a.json": b" " * 10_000_000}
    path = archive(tmp_path / "log.eval", members)
    assert path.stat().st_size < 20_000
    with pytest.raises(BudgetError, match=r"samples/a\.json is larger than"):
        INSPECT.read(path)


def test_so_is_one_that_zstd_compressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_archive, "LONGEST", 100_000)
    packed = bytes(pa.compress(b" " * 10_000_000, "zstd"))
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", packed)
    # the compression's number in the member's own header and in the directory
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\1\2")
    content[8:10] = content[directory + 10 : directory + 12] = (93).to_bytes(2, "little")
    path.write_bytes(content)
    with pytest.raises(BudgetError, match=r"header.json is larger than"):
        INSPECT.read(path)


def test_more_members_or_a_larger_json_than_may_be_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect_archive, "MOST", 5)
    with pytest.raises(BudgetError, match=r"inspect.eval has 12 members, more than the 5"):
        INSPECT.read(EVAL)
    monkeypatch.setattr(inspect_records, "_LONGEST", 1 << 10)
    with pytest.raises(BudgetError, match=r"inspect.json is larger than .* --to eval"):
        INSPECT.read(JSON)
