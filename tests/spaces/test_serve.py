import os
from typing import Any

import pytest
from click.testing import CliRunner

import normscope.space as page
from normscope.cli.serve import serve


def test_the_verb_names_judge_rubric_and_place(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: dict[str, Any] = {}
    monkeypatch.setenv("NORMSCOPE_JUDGE", "before")
    monkeypatch.delenv("NORMSCOPE_RUBRIC", raising=False)
    monkeypatch.setattr(page, "build", lambda: os.environ["NORMSCOPE_JUDGE"])
    monkeypatch.setattr(page, "serve", lambda made, **place: shown.update(place, made=made))
    done = CliRunner().invoke(serve, ["--judge", "someone/large", "--port", "8123"])
    assert done.exit_code == 0, done.output
    assert shown == {"made": "someone/large", "host": "127.0.0.1", "port": 8123}
    assert "NORMSCOPE_RUBRIC" not in os.environ
