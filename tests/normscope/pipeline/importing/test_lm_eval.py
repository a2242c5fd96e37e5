"""Samples of lm-evaluation-harness: files that it wrote, and lines that are of another shape."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from normscope.pipeline.importing.formats import reader
from tool_logs import FILES, MODEL, label, prompts

from normscope.errors import DataError

LM_EVAL = reader("lm-eval")
FLOWS, CHOICES = (next(FILES.glob(f"samples_{name}_*.jsonl")) for name in ("flows", "choices"))
KEYS = ("item_id", "variant_id", "scale_order")


def changed(path: Path, tmp_path: Path, line: int = 0, **values: Any) -> Path:
    """A copy of the file in which a line has other values."""
    rows = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    rows[line] |= values
    copy = tmp_path / path.name
    copy.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return copy


@pytest.mark.parametrize(("path", "more"), [(FLOWS, ". As was asked."), (CHOICES, "")])
def test_what_the_harness_wrote_is_read_with_the_documents_own_columns(
    path: Path, more: str
) -> None:
    asked = prompts()
    raw = LM_EVAL.read(path)
    assert LM_EVAL.is_format(json.loads(path.read_text(encoding="utf-8").splitlines()[0]), path)
    assert raw.table[raw.roles["prompt"]].to_pylist() == [row["prompt"] for row in asked]
    answers = [label(row["prompt"]) + more for row in asked]
    assert raw.table[raw.roles["answer"]].to_pylist() == answers
    assert raw.table.select(KEYS).to_pylist() == [{key: row[key] for key in KEYS} for row in asked]
    assert set(raw.table[raw.roles["model"]].to_pylist()) == {MODEL}


def test_of_several_filters_the_one_that_leaves_the_text_alone_is_taken() -> None:
    raw = LM_EVAL.read(FLOWS)
    assert raw.note == "of the filters first_word, none the answers of none were taken"
    assert raw.place.to_pylist() == [f"line {n}" for n in range(5, 9)]
    assert raw.table[raw.roles["temperature"]].to_pylist() == [0.5] * 4


def test_samples_apart_from_their_results_have_no_model(tmp_path: Path) -> None:
    assert "model" not in LM_EVAL.read(Path(shutil.copy(CHOICES, tmp_path))).roles


@pytest.mark.parametrize(
    ("log_probs", "answer", "failed"),
    [
        ([-3.0, -1.0, -2.0, -9.0, -9.0], "somewhat unacceptable", None),
        ([-1.0, -1.0, -2.0, -9.0, -9.0], None, None),
        ([-1.0, "nan", -2.0, -9.0, -9.0], None, "a choice has no log-probability"),
    ],
)
def test_the_likeliest_choice_is_the_answer(
    tmp_path: Path, log_probs: list[Any], answer: str | None, failed: str | None
) -> None:
    values = [[str(value), "False"] for value in log_probs]
    raw = LM_EVAL.read(changed(CHOICES, tmp_path, filtered_resps=values))
    assert raw.table[raw.roles["answer"]][0].as_py() == answer
    said = raw.table[raw.roles["failed"]][0].as_py() if "failed" in raw.roles else None
    assert said == failed
    ties = int(answer is None and failed is None)
    assert f"({ties} ties have no answer)" in raw.note


def test_samples_stand_in_the_order_of_the_documents(tmp_path: Path) -> None:
    # several processes log their documents one after the other: 0, 2, 1, 3
    texts = CHOICES.read_text(encoding="utf-8").splitlines()
    path = tmp_path / CHOICES.name
    path.write_text("\n".join(texts[at] for at in (0, 2, 1, 3)) + "\n", encoding="utf-8")
    raw = LM_EVAL.read(path)
    assert raw.table.select(KEYS).equals(LM_EVAL.read(CHOICES).table.select(KEYS))
    assert raw.place.to_pylist() == ["line 1", "line 3", "line 2", "line 4"]


@pytest.mark.parametrize("name", ["none", "first_word"])
def test_samples_of_two_tasks_in_one_file_are_refused(tmp_path: Path, name: str) -> None:
    other = json.loads(FLOWS.read_text(encoding="utf-8").splitlines()[1])
    other |= {"doc_id": 0, "filter": name}
    text = CHOICES.read_text(encoding="utf-8") + json.dumps(other) + "\n"
    path = tmp_path / "both.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"both.jsonl:5: doc_id 0 is there again"):
        LM_EVAL.read(path)


def test_the_choices_without_a_context_are_no_answers(tmp_path: Path) -> None:
    # a task with acc_mutual_info asks for each choice a second time, after an empty context
    first = json.loads(CHOICES.read_text(encoding="utf-8").splitlines()[0])
    arguments = first["arguments"] | {
        f"gen_args_{5 + at}": {"arg_0": "", "arg_1": each["arg_1"]}
        for at, each in enumerate(first["arguments"].values())
    }
    values = [[str(-at), "False"] for at in range(1, 6)] + [["0.0", "False"]] * 5
    path = changed(CHOICES, tmp_path, arguments=arguments, filtered_resps=values)
    raw = LM_EVAL.read(path)
    assert raw.table[raw.roles["answer"]][0].as_py() == "strongly unacceptable"


def test_several_repeats_are_samples_of_one_prompt(tmp_path: Path) -> None:
    raw = LM_EVAL.read(changed(FLOWS, tmp_path, 4, filtered_resps=[["neutral", "yes"]]))
    assert raw.table[raw.roles["answer"]].to_pylist()[:2] == ["neutral", "yes"]
    assert raw.table[raw.roles["sample"]].to_pylist() == [0, 1, 0, 0, 0]


def test_the_last_turn_of_a_conversation_is_the_prompt(tmp_path: Path) -> None:
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "One?"}]
    arguments = {"gen_args_0": {"arg_0": [json.dumps(turns)], "arg_1": {"do_sample": False}}}
    raw = LM_EVAL.read(changed(FLOWS, tmp_path, 4, arguments=arguments))
    assert raw.table[raw.roles["prompt"]][0].as_py() == "One?"
    assert raw.table[raw.roles["temperature"]][0].as_py() == 0


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"doc_id": 1}, ":2: doc_id 1 is there again; are the samples of two tasks"),
        ({"filtered_resps": "yes"}, ":1: filtered_resps is not as the format has it"),
        ({"filtered_resps": [["-1", "False"]]}, ":1: neither generated text nor a choice"),
        ({"arguments": {"gen_args_0": {"arg_0": "a"}}}, ":1: neither generated text nor a choice"),
    ],
)
def test_a_line_of_another_shape_is_named(
    tmp_path: Path, values: dict[str, Any], text: str
) -> None:
    with pytest.raises(DataError, match=text):
        LM_EVAL.read(changed(CHOICES, tmp_path, **values))


@pytest.mark.parametrize(
    ("results", "is_own"),
    [
        ({}, True),
        ({"chat_template": None}, False),
        ({"system_instruction": "Be kind."}, False),
        ({"n-shot": {"choices": 2}}, False),
        ({"configs": {"choices": {"description": "Be kind."}}}, False),
        ({"configs": {}}, False),
    ],
)
def test_a_chat_template_alone_changes_no_word_of_the_prompt(
    tmp_path: Path, results: dict[str, Any], is_own: bool
) -> None:
    template = "<|user|>{}<|end|><|assistant|>"
    [asked, *_] = prompts()
    arguments = {
        f"gen_args_{at}": {"arg_0": template.format(asked["prompt"]), "arg_1": text}
        for at, text in enumerate(["neutral", "strongly acceptable"])
    }
    values = [["-1.0", "False"], ["-2.0", "False"]]
    path = changed(CHOICES, tmp_path, arguments=arguments, filtered_resps=values)
    written = {
        "model_name": MODEL,
        "chat_template": "{{ messages }}",
        "system_instruction": None,
        "n-shot": {"choices": 0},
        "configs": {"choices": {"description": ""}},
    }
    date = path.stem.rpartition("_")[2]
    (tmp_path / f"results_{date}.json").write_text(json.dumps(written | results), encoding="utf-8")
    raw = LM_EVAL.read(path)
    own, whole = asked["prompt"], template.format(asked["prompt"])
    assert raw.table[raw.roles["prompt"]][0].as_py() == (own if is_own else whole)
