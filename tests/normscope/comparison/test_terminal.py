"""What verbs print: 80 columns, whole numbers; with --json one object, with --quiet no notes."""

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from plain_runs import both, judged_run, qa, vignette_run
from rich.cells import cell_len
from rich.console import Console

from normscope import progress
from normscope.cli import cli
from normscope.comparison import compare
from normscope.report.blocks import Column, Table
from normscope.report.comparison.page import first_screen
from normscope.report.writers.terminal import show_blocks

MakeRun = Callable[..., Path]
SMALL = {"limit": {"ci-vignettes:coppa": 4}}
PLAN = ("plan", "--model", "http://host/v1#m", "-b", "ci-vignettes:coppa", "--limit", "4")
RUNS = (
    ("score", "scored"),
    ("compare", "a", "b", "--no-figures", "--out", "out"),
    ("verify", "a"),
    ("validate", "drift", "a", "b"),
    PLAN,
)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, env={"COLUMNS": "80"})


def lines_of(blocks: Any, width: int = 80) -> list[str]:
    printed = io.StringIO()
    show_blocks(blocks, Console(file=printed, width=width))
    return [line.rstrip() for line in printed.getvalue().splitlines()]


@pytest.fixture
def here(make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run("b", 0.3, **SMALL)
    # scored anew a run is whole when its report is written
    shutil.copytree(make_run("a", **SMALL), tmp_path / "scored")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("here")
def test_the_verbs_print_80_columns_or_one_object() -> None:
    for command in (*RUNS, ("build", "--list")):
        shown = run(*command)
        assert shown.exit_code in {0, 3}, (command, shown.output, shown.exception)
        assert max(map(cell_len, shown.stdout.splitlines())) <= 80, shown.stdout
    for command in RUNS:
        shown = run(*command, "--json")
        (line,) = shown.stdout.splitlines()
        whole = json.loads(line)
        assert [*whole] == ["schema", "command", "exit", "message", "result", "files"]
        assert (whole["schema"], whole["exit"]) == ("normscope/1", shown.exit_code)
        name, _, of = whole["command"].partition(" ")
        assert (name, of) == (command[0], command[1] if command[0] == "validate" else "")
        assert all(Path(file).is_file() for file in whole["files"])
        assert whole["result"]


@pytest.mark.usefixtures("here")
def test_two_runs_are_compared_on_25_lines_and_quietly() -> None:
    Path("other").mkdir()
    shown = run("compare", "a", "b", "other", "--no-figures", "--out", "out")
    assert len(shown.stdout.splitlines()) <= 25
    assert "passed over, since it is no run: other" in shown.stderr
    quiet = run("compare", "a", "b", "other", "--no-figures", "--out", "out", "--quiet")
    assert (quiet.stdout, quiet.stderr) == (shown.stdout, "")


def test_three_benchmarks_with_gaps_stand_on_25_lines_as_well() -> None:
    flows = np.array([[at % 3 - 1 for at in range(11)]] * 9, dtype=float)
    runs = [
        both(
            both(qa(name, risky, unscored=5), vignette_run(name, flows)),
            judged_run(name, "cfsafety", {"moral": [0.5, None] * 20, "rating": [3.0] * 40}),
        )
        for name, risky in (("a", 10), ("b", 40))
    ]
    lines = lines_of(first_screen(compare(runs)))
    assert len(lines) <= 25
    assert max(map(cell_len, lines)) <= 80


@pytest.mark.parametrize(
    ("arguments", "command", "code", "text"),
    [
        (("score", "nowhere"), "score", 1, "nowhere is not a run"),
        (("compare", "a", "--bad"), "compare", 2, "No such option"),
        (("validate",), "validate", 2, "a card needs people's labels"),
    ],
)
def test_an_error_is_the_same_object(
    arguments: tuple[str, ...], command: str, code: int, text: str
) -> None:
    shown = run(*arguments, "--json")
    whole = json.loads(shown.stdout)
    assert (shown.exit_code, whole["exit"], whole["command"]) == (code, code, command)
    assert text in whole["message"]
    assert (whole["result"], whole["files"]) == (None, [])


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_number_is_cut_or_stands_on_two_lines(width: int) -> None:
    cells = ("−0.768 → 0.104", "+0.872", "[−0.263, +2.01]", "12,345")
    heads = (Column("statistic"), *(Column(f"a long name {at}", "number") for at in range(4)))
    table = Table(heads, (("a statistic of several words \x1b[31m", *cells),))
    lines = lines_of([table], width)
    assert max(map(cell_len, lines)) <= width
    assert all(any(cell in line for line in lines) for cell in cells)
    assert "\x1b" not in "".join(lines)


def test_what_the_unscored_leave_open_stands_beside_the_interval() -> None:
    a = judged_run("a", "q", {"refusal": [3.0, 0.0, "low_coverage", "low_coverage"]})
    b = judged_run("b", "q", {"refusal": [3.0, 3.0, "low_coverage", 3.0]})
    lines = lines_of(first_screen(compare([a, b])))
    # of two scored one less in b; of four 0 − 3 at least, with the unscored ones 1 − 1 and 0 − 0
    text = " ".join(" ".join(lines).split())
    assert "−50.0 pp" in text
    assert "2 unscored, lowest – highest [−75.0, 0] pp" in text
    whole = [judged_run(name, "q", {"refusal": [3.0, 0.0]}) for name in "ab"]
    assert "unscored" not in "".join(lines_of(first_screen(compare(whole))))


def test_bars_stand_in_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr("sys.stderr", shown)
    assert progress.bar(10, label="judge").disable
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress.bar(10, label="judge") as bar, progress.quiet():
        assert not bar.disable
        assert progress.bar(10, label="judge").disable
        progress.to_stderr("a note")
    assert "a note" not in shown.getvalue()
