"""Every problem of a context stands on the Chinese page in Chinese."""

import re
from copy import deepcopy
from typing import Any

import pytest
import yaml

from normscope.errors import NormscopeError
from normscope.messages import translate
from normscope.space.context_review import EXAMPLE as FILE
from normscope.space.context_review import look

EXAMPLE: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
FACTORS: dict[str, Any] = EXAMPLE["factors"]
TIED = {"tied_to": "x", "levels_for": {"y": ["z"]}}
LEVELS = ["a", "a", " b", "", "jo@mail.test", "a big big shop", "an shop"]
RATED = {"levels": {"sender": "q"}, "mean": 9, "sd": -1, "n": 0}
WHOLE = "{sender} passes {attribute} to {recipient} {transmission_principle}"


def factors(name: str, value: Any) -> dict[str, Any]:
    return {"factors": {**FACTORS, name: value}}


BROKEN: list[str | dict[str, Any]] = [
    "a: [x", 'a: "b', "a: 'b's", "a: {b} c", "a: @b", "a: 1\nb:2\nc: 3", "a: 1\nb：2\nc: 3",
    "a:\n- b\n-c\nd: 1", "title: “a”", 'title: a"', "a: - b", "title:\n- a # b\n- c\n  - d",
    "title: {a: b}", "title: no", "year: 2,0",
    factors("sender", {"levels": ["a - b", "c.", "a\nb"]}), factors("sender", {"levels": ["a"]}),
    {"practices": {"b": {"template": WHOLE.replace(" {t", ". {t") + "!"}}},
    "a:\n\t- b", "a: &: b", "a: !!int b", "a: b: c",
    "a: &b 1\nc: *b", "a: 1\na: 2", "x: 1", "", "[1]", "name: ___",
    {"name": "Bad_Name"}, {"name": "coppa"}, {"name": "anchors"}, {"language": "xx1!"},
    {"language": "fr"}, {"title": ""}, {"year": "soon"}, {"license": ""}, {"contributors": []},
    {"contributors": "me"}, {"constants": {"subjct": "x"}}, {"constants": {}}, {"surprise": 1},
    {"absent": {"subject": ""}}, {"anchors": []}, {"exclusions": [{}]},
    {"anchors": [{"text": "a", "expected": "maybe", "reason": "x"}]},
    {"exclusions": [{"sender": "nobody"}]}, {"corrections": {"x": "x"}}, {"practices": {}},
    {"practices": {"b": {"template": "{sendr} a {"}}}, {"practices": {"b": {"template": WHOLE}}},
    {"factors": 3}, factors("sender", {"levels": LEVELS}), factors("extra", {"levels": ["x"]}),
    factors("sender", TIED), factors("sender", {"levels": ["a@b"], "tied_to": "x"}),
    {"ratings": {"question": "q", "low": 5, "high": 1, "source": "s", "values": [RATED]}},
]  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_problem_is_told_in_chinese(broken: str | dict[str, Any]) -> None:
    text = broken if isinstance(broken, str) else yaml.safe_dump(deepcopy(EXAMPLE) | broken)
    try:
        found = [finding.text for finding in look(text).findings]
    except NormscopeError as error:
        found = [error.message]
    assert found
    for told in found:
        chinese = translate(told, "zh")
        assert re.search("[\u4e00-\u9fff]", chinese), told
        # what is quoted, listed or typed is the visitor's own
        own = r"'[^']*'|\"[^\"]*\"|`[^`]*`|\{[^}]*\}|已知：.*|--prompts FILE|<[a-z ]+>"
        assert not re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", re.sub(own, "", chinese)), chinese
