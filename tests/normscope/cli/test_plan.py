"""`normscope plan` as a user types it, the models scripted servers."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from finished_runs import scripted
from undrawn import undrawn

from normscope.cli import cli, commands
from normscope.errors import UsageError
from normscope.progress import hidden

__all__ = ["undrawn"]

MODELS = ("--model", "http://host/v1#m", "--judge", "http://host/v1#j")
GRADED = ("-b", "safety-gradient", *MODELS)


@pytest.fixture(autouse=True)
def servers(monkeypatch: pytest.MonkeyPatch) -> None:
    # the package's `plan` is the verb, as which it takes its module's name
    for module in (commands, import_module("normscope.cli.plan")):
        monkeypatch.setattr(module, "load", scripted)


def typed(*arguments: str) -> str:
    with hidden():
        result = CliRunner().invoke(cli, arguments, standalone_mode=False, catch_exceptions=False)
    if result.exception:
        raise result.exception
    return result.stdout


def planned(*arguments: str) -> Any:
    return json.loads(typed("plan", *GRADED, *arguments, "--format", "json"))


def test_it_is_told_as_json_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = planned("--limit", "20")
    assert told["items"] == {"safety-gradient": 20}
    assert [stage["stage"] for stage in told["stages"]] == ["judge", "judge:facts"]
    assert told["tokens"][0] > 0
    assert told["seconds"][0] > 0
    assert told["precision"][0]["items"] == 20
    assert not list(tmp_path.iterdir())


def test_it_is_told_as_a_table_in_two_languages() -> None:
    arguments = (*GRADED, "--limit", "20", "--calibrate", "0")
    english = typed("plan", *arguments)
    assert "not measured" in english
    assert "! the tokens of http://host/v1#j are taken for four bytes each" in english
    chinese = typed("plan", *arguments, "--language", "zh")
    assert "运行所需" in chinese
    assert "not measured" not in chinese


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("plan", *GRADED[:2], "--judge", "http://a:hunter2@b/v1", "--calibrate", "0"),
            "^http://…@b/v1 carries",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: tuple[str, ...], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=error):
        typed(*arguments)
    assert not list(tmp_path.iterdir())


def test_of_a_finished_run_nothing_is_left_to_plan(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    typed("run", *GRADED, "--limit", "10", "--out", out)
    assert json.loads(typed("plan", "--run", out, "--format", "json"))["stages"] == []
