"""Texts that are data until they are shown."""

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from normscope.errors import DataError
from normscope.files import read_json, write_json
from normscope.messages import Message, from_json, joined, message, translate

WILSON = message("{method}, over the scored", method=message("Wilson"))
BOTH = joined([WILSON, "s-01"], "; ")


def test_slots_are_translated_where_they_are_messages() -> None:
    assert translate(WILSON, "zh") == "Wilson 区间，仅限已评分者"
    named = message("{method}, over the scored", method="exact")
    assert translate(named, "zh") == "exact，仅限已评分者"
    assert translate(BOTH, "zh") == "Wilson 区间，仅限已评分者；s-01"
    assert translate(BOTH, "en") == BOTH == "Wilson, over the scored; s-01"
    assert translate("", "zh") == ""


@pytest.mark.parametrize("text", ["{a.b}", "{0}", "{}", "{a[0]}", "{", "{n!x.y}{m"])
def test_a_slot_is_a_plain_name(text: str) -> None:
    with pytest.raises(ValueError, match=r"slot|brace|'}'|format|conversion"):
        Message(text, {"n": 1})


@pytest.mark.parametrize("text", [WILSON, BOTH, message("exact")])
def test_a_message_survives_files_copies_and_processes(text: str, tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"notes": [text]})
    read = read_json(tmp_path / "a.json")["notes"][0]
    for other in (read, copy.deepcopy(text), pickle.loads(pickle.dumps(text))):  # noqa: S301
        assert other == text
        assert translate(other, "zh") == translate(text, "zh")
    assert type(copy.copy(text)) is type(text)


def nested(depth: int) -> Any:
    value: Any = "a"
    for _ in range(depth):
        value = {"id": "{a}{a}{a}{a}{a}{a}{a}{a}{a}{a}", "slots": {"a": value}}
    return value


@pytest.mark.parametrize(
    "value",
    [
        {"id": 3, "slots": {}},
        {"id": "{a}", "slots": []},
        {"id": "{a}", "slots": {}},
        {"id": "{a}", "slots": {"a": [1]}},
        {"id": "{a.__class__}", "slots": {"a": "b"}},
        {"separator": 1, "parts": []},
        {"separator": ", ", "parts": ["a", 1]},
        {"separator": ", ", "parts": "ab"},
        nested(5),
        {"separator": "", "parts": [{"separator": "", "parts": [nested(3)] * 80}] * 10},
    ],
)
def test_a_damaged_message_in_a_file_is_refused(value: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        from_json([value])
    write_json(tmp_path / "a.json", [value])
    with pytest.raises(DataError, match=r"a\.json is not JSON of ours"):
        read_json(tmp_path / "a.json")


def test_a_format_in_a_file_is_not_followed() -> None:
    read = from_json({"id": "{a:>999999999}{a!r}", "slots": {"a": "b"}})
    assert read == "b'b'"
