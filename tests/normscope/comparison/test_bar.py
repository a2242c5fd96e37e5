"""A bar: fixed in a file beforehand, read with its lines, and no run passes that was changed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from plain_runs import FAILED, QA, judged_run, qa

import normscope as ns
from normscope.cli.compare import compare as command
from normscope.comparison.bar import Bar, write_bar
from normscope.comparison.gate import gate, margins_for
from normscope.errors import ConfigError, UsageError
from normscope.records.run import Run

RISKY = {"base": 10, "good": 4, "open": 18, "bad": 60, "part": 4}
ITEMS = {"part": 80}


def bar_of(path: Path, run: Run, margin: Any, *on: str, alpha: float = 0.05) -> Bar:
    return Bar.read(write_bar(path, run, margins_for(run, margin, on), alpha))


@pytest.fixture
def compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls the verb with runs by their names, and `bar.yaml`."""

    def read(path: Path, *, name: str = "", **_: bool) -> Run:
        run: Run = qa(name or path.name, RISKY[path.name], ITEMS.get(path.name, 200))
        return run

    monkeypatch.setattr("normscope.records.run.Run.open", read)
    for name in RISKY:
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").touch()

    def call(*runs: str, flags: tuple[str, ...] = ()) -> Result:
        places = [str(tmp_path / name) for name in runs]
        out = ("--out", str(tmp_path / "out"), "--no-figures", "--bar", str(tmp_path / "bar.yaml"))
        return CliRunner().invoke(command, [*places, *out, *flags])

    return call


@pytest.mark.parametrize(
    ("later", "code", "says"),
    [
        ("good", 0, "PASS, bar.yaml:4 (SHA-256 "),
        ("open", 5, "INCONCLUSIVE, bar.yaml:4 (SHA-256 "),
        ("bad", 4, "FAIL, bar.yaml:4 (SHA-256 "),
    ],
)
def test_the_outcome_names_the_line_that_decided_and_the_files_hash(
    compared: Any, tmp_path: Path, later: str, code: int, says: str
) -> None:
    assert compared("base", flags=("--fail-if-worse", "5%", "--on", "hr")).exit_code == 0
    done = compared("base", later)
    assert done.exit_code == code, done.output
    assert says in done.stdout.splitlines()[-1]
    bar = Bar.read(tmp_path / "bar.yaml")
    assert bar.hash[:12] in (tmp_path / "out" / "compare.md").read_text(encoding="utf-8")
    assert bar.hash in (tmp_path / "out" / "compare.json").read_text(encoding="utf-8")


def test_other_items_or_another_judge_are_changed_whatever_the_numbers(
    compared: Any, tmp_path: Path
) -> None:
    compared("base", flags=("--fail-if-worse", "5%", "--on", "hr"))
    done = compared("base", "part")
    assert str(done.exception).startswith("CHANGED: bar.yaml:4 fixes the items of")
    assert getattr(done.exception, "exit_code", None) == 2
    assert not (tmp_path / "out").exists()
    base, bar = qa("base", 10), Bar.read(tmp_path / "bar.yaml")
    other = replace(base, name="new", config=replace(base.config, min_coverage=0.9))
    with pytest.raises(UsageError, match=r"bar\.yaml:4 fixes the judge of .*, and new has"):
        gate([base, other], bar)


def test_a_bar_is_written_once_and_states_everything(compared: Any, tmp_path: Path) -> None:
    assert "state them" in str(compared("base").exception)
    compared("base", flags=("--fail-if-worse", "5%"))
    text = (tmp_path / "bar.yaml").read_text(encoding="utf-8")
    assert "a bar stays as it was set" in str(
        compared("base", flags=("--fail-if-worse", "9%")).exception
    )
    assert (tmp_path / "bar.yaml").read_text(encoding="utf-8") == text
    both = compared("base", "good", flags=("--fail-if-worse", "9%"))
    assert "states the margins" in str(both.exception)


def test_a_line_that_cannot_be_meant_is_named(tmp_path: Path) -> None:
    path, base = tmp_path / "bar.yaml", qa("base", 10)
    bar_of(path, base, "5%", "hr")
    good = path.read_text(encoding="utf-8")
    path.write_text(good.replace('"hr"', '"hrr"'), encoding="utf-8")
    with pytest.raises(UsageError, match=rf"bar\.yaml:4: {QA} has no statistic 'hrr'"):
        gate([base, base], Bar.read(path))
    path.write_text(good.replace('"margin"', '"margn"'), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bar\.yaml:4.*did you mean 'margin'"):
        Bar.read(path)


def test_margins_of_a_bar_are_those_of_the_gate(tmp_path: Path) -> None:
    runs = [qa("base", 10), qa("new", 18)]
    margins = {"hr": 0.05, "rr1": 0.08}
    held = gate(runs, bar_of(tmp_path / "bar.yaml", runs[0], margins))
    stated = gate(runs, margins)
    assert [row.estimate for row in held.rows] == [row.estimate for row in stated.rows]
    assert [row.line for row in held.rows] == [4, 5]


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.02])
def test_of_two_hundred_pairs_of_one_model_at_most_five_in_a_hundred_fail(
    tmp_path: Path, margin: float
) -> None:
    # A/A: a model is sampled twice at temperature 1; every item has its own chance of harm
    rng = np.random.default_rng(44)
    failed = 0
    chances = rng.beta(0.4, 2.0, 250)

    def sampled(name: str) -> Run:
        risky = rng.random(len(chances)) < chances
        # a judge that now and then gives nothing, too
        values = [FAILED if rng.random() < 0.01 else 0.0 if harm else 3.0 for harm in risky]
        run: Run = judged_run(name, QA, {"refusal": values})
        return run

    bar = bar_of(tmp_path / "bar.yaml", sampled("first"), margin, "hr", "rr1")
    for _ in range(200):
        failed += gate([sampled("a"), sampled("b")], bar).outcome == "worse"
    assert failed <= 10


@pytest.mark.slow
def test_a_model_sampled_with_two_seeds_does_not_fail(
    tmp_path: Path, tiny_model: Path, small_source: Path
) -> None:
    first, second = (
        ns.run(
            tiny_model,
            "cfsafety",
            judge="bundled",
            source=small_source,
            unpinned=True,
            temperature=1.0,
            seed=seed,
            max_new_tokens=16,
            max_unscored=1.0,
            out=tmp_path / f"seed{seed}",
            progress=False,
        )
        for seed in (0, 1)
    )
    assert first.responses["text"] != second.responses["text"]
    runs = ns.compare(first, second, although=True).runs
    bar = bar_of(tmp_path / "bar.yaml", runs[0], {"score": 0.5, "moral": 0.2})
    assert gate(runs, bar).outcome in {"pass", "inconclusive"}
