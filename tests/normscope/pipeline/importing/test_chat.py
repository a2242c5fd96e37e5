"""Conversations whose last turn is the model's."""

import json
from pathlib import Path
from typing import Any

import pytest
from normscope.pipeline.importing.formats import reader

from normscope.errors import DataError, UsageError

CHAT = reader("chat")


def written(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def turn(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def test_the_last_turn_answers_the_one_before(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "Three?"}, {"type": "image_url", "image_url": {"url": "x"}}]
    earlier = [turn("user", "One?"), turn("assistant", "1"), turn("user", parts)]
    path = written(
        tmp_path,
        {"messages": [*earlier, turn("assistant", "3")], "model": "m-1", "variant": 4},
        {"messages": [turn("user", "Two?"), turn("assistant", "2")], "metadata": {"item_id": "i"}},
    )
    raw = CHAT.read(path)
    assert raw.table[raw.roles["prompt"]].to_pylist() == ["Three?", "Two?"]
    assert raw.table[raw.roles["answer"]].to_pylist() == ["3", "2"]
    assert raw.table[raw.roles["model"]].to_pylist() == ["m-1", None]
    assert raw.table["variant"].to_pylist() == ["4", None]
    assert raw.table["item_id"].to_pylist() == [None, "i"]


def test_conversations_of_sharegpt_are_read(tmp_path: Path) -> None:
    turns = [{"from": "human", "value": "One?"}, {"from": "gpt", "value": "1"}]
    raw = CHAT.read(written(tmp_path, {"id": "x", "conversations": turns}))
    assert raw.table.to_pylist() == [{"prompt": "One?", "last turn": "1", "id": "x"}]


@pytest.mark.parametrize("turns", [[], [turn("user", "One?")], [turn("tool", "1")]])
def test_a_conversation_without_an_answer_is_named(tmp_path: Path, turns: list[Any]) -> None:
    whole = {"messages": [turn("user", "One?"), turn("assistant", "1")]}
    with pytest.raises(DataError, match=rf"chat.jsonl:2: the last of {len(turns)} turns is"):
        CHAT.read(written(tmp_path, whole, {"messages": turns}))


def test_requests_are_for_batches_alone(tmp_path: Path) -> None:
    path = written(tmp_path, {"messages": [turn("user", "One?"), turn("assistant", "1")]})
    with pytest.raises(UsageError, match="chat JSONL has the prompts beside the answers"):
        CHAT.read(path, requests=path)
