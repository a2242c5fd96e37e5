"""`normscope plan` and `run --budget` as a user types them, the models scripted servers."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from finished_runs import scripted
from undrawn import undrawn

from normscope.cli import budget, cli, commands
from normscope.errors import UsageError
from normscope.progress import hidden
from normscope.records.config import read

__all__ = ["undrawn"]

MODELS = ("--model", "http://host/v1#m", "--judge", "http://host/v1#j")
GRADED = ("-b", "safety-gradient", *MODELS)


@pytest.fixture(autouse=True)
def servers(monkeypatch: pytest.MonkeyPatch) -> None:
    # the package's `plan` is the verb, as which it takes its module's name
    for module in (budget, commands, import_module("normscope.cli.plan")):
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


def test_it_is_told_as_a_table_in_two_languages(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("currency: EUR\nmodels: {j: {input: 2.0, cached: 0.5}}\n")
    arguments = (*GRADED, "--limit", "20", "--calibrate", "0", "--prices", str(prices))
    english = typed("plan", *arguments)
    assert "not measured" in english
    assert "EUR" in english
    assert "! the tokens of http://host/v1#j are taken for four bytes each" in english
    chinese = typed("plan", *arguments, "--language", "zh")
    assert "运行所需" in chinese
    assert "not measured" not in chinese


def test_a_run_follows_the_slice_that_its_budget_pays_for(tmp_path: Path) -> None:
    out, most = tmp_path / "run", "90k tokens"
    proposed = planned("--budget", most)
    assert proposed["cut"]
    assert proposed["tokens"][0] <= 90_000
    typed("run", *GRADED, "--budget", most, "--out", str(out))
    config = read(out / "config.yaml")
    assert config.limit == proposed["limit"]
    assert config.asked("safety-gradient").items == proposed["items"]["safety-gradient"]
    # whatever is paid for it later, it is the same run
    typed("run", *GRADED, "--budget", "1G tokens", "--out", str(out))
    assert read(out / "config.yaml").limit == config.limit


@pytest.mark.parametrize("in_a_file", [False, True])
def test_the_same_command_goes_on_with_the_slice_where_it_names_other_limits(
    in_a_file: bool, tmp_path: Path
) -> None:
    out, file = tmp_path / "run", tmp_path / "config.yaml"
    file.write_text("benchmark: [safety-gradient]\nlimit: {safety-gradient: 60}\n")
    limited = ("--config", str(file), *MODELS) if in_a_file else (*GRADED, "--limit", "60")
    command = ("run", *limited, "--budget", "90k tokens", "--out", str(out))
    typed(*command)
    begun = read(out / "config.yaml")
    assert 0 < begun.asked("safety-gradient").items < 60
    typed(*command)
    assert read(out / "config.yaml") == begun


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("plan", *GRADED, "--budget", "two hours"), "is no budget"),
        (("plan", *GRADED, "--calibrate", "soon"), "is no time"),
        (
            ("plan", *GRADED[:2], "--judge", "http://a:hunter2@b/v1", "--calibrate", "0"),
            "^http://…@b/v1 carries",
        ),
        (("run", *GRADED, "--prices", "p.yaml", "--out", "x"), "--prices belongs to --budget"),
        (
            ("run", *GRADED, "--budget", "1h", "--reproduce", "x", "--out", "y"),
            "--budget is of one",
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


def test_a_begun_run_keeps_its_limits(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    typed("run", *GRADED, "--limit", "10", "--out", out)
    assert json.loads(typed("plan", "--run", out, "--format", "json"))["stages"] == []
    with pytest.raises(UsageError, match="keeps its limits"):
        typed("plan", "--run", out, "--budget", "1h")
