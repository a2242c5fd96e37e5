"""Runs by an attribute: only pairs that differ in it alone, corrected together."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from plain_runs import judged_run

from normscope.cli.compare import compare as command
from normscope.comparison.by import Grouped, compare_by
from normscope.errors import UsageError
from normscope.metrics.significance import holm
from normscope.records.run import Run
from normscope.report.comparison.write import write_groups

ANSWERS = {
    "good": [3.0] * 30 + [0.0] * 10,
    "fair": [3.0] * 20 + [0.0] * 20,
    "poor": [3.0] * 10 + [0.0] * 30,
}


def run(name: str, degrees: str, **said: str) -> Run:
    made: Run = judged_run(name, "chisafetybench:qa", {"refusal": ANSWERS[degrees]})
    return replace(made, config=replace(made.config, attributes=said))


@pytest.fixture
def runs() -> list[Run]:
    return [
        run("l7", "poor", lineage="llama", capacity="7B", alignment="base"),
        run("l13", "fair", lineage="llama", capacity="13B", alignment="base"),
        run("l13-dpo", "good", lineage="llama", capacity="13B", alignment="DPO"),
        run("t7", "poor", lineage="tulu", capacity="7B", alignment="DPO"),
        run("t13", "good", lineage="tulu", capacity="13B", alignment="DPO"),
        run("unsaid", "good", lineage="tulu"),
    ]


def pairs(grouped: Grouped) -> set[tuple[str, str]]:
    return {(row.first, row.second) for group in grouped.groups for row in group.compared.rows}


def test_only_pairs_that_differ_in_the_attribute_alone_are_compared(runs: list[Run]) -> None:
    grouped = compare_by(runs, "capacity")
    assert pairs(grouped) == {("l7", "l13"), ("t7", "t13")}
    assert grouped.levels == {"7B": ("l7", "t7"), "13B": ("l13", "l13-dpo", "t13")}
    assert [group.shared for group in grouped.groups] == [
        {"alignment": "base", "lineage": "llama"},
        {"alignment": "DPO", "lineage": "tulu"},
    ]
    assert pairs(compare_by(runs, "alignment")) == {("l13", "l13-dpo")}
    assert pairs(compare_by(runs, "lineage")) == {("l13-dpo", "t13")}


def test_what_was_left_out_is_told(runs: list[Run]) -> None:
    grouped = compare_by(runs, "capacity")
    assert "unsaid is left out: nothing is said of its capacity" in grouped.caveats
    # nobody said what is quantised: taken to be alike, and said so
    assert any(note.startswith("l7, l13: nothing is said of quant") for note in grouped.caveats)


def test_p_values_are_corrected_over_the_pairs_of_all_groups(runs: list[Run]) -> None:
    rows = [
        row
        for group in compare_by(runs, "capacity").groups
        for row in group.compared.rows
        if row.role == "primary"
    ]
    assert len(rows) == 2
    corrected = holm([row.test.p for row in rows if row.test]).tolist()
    assert [row.p_adjusted for row in rows] == pytest.approx(corrected)
    assert any(row.p_adjusted != row.test.p for row in rows if row.test)


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        ("capacty", "no attribute 'capacty'; did you mean 'capacity'"),
        ("quantisation", "no two of the runs differ in quantisation alone:\n  l7: lineage llama"),
    ],
)
def test_what_cannot_be_compared_by_is_refused_with_what_is_known(
    runs: list[Run], attribute: str, told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        compare_by(runs, attribute)


def test_the_files_are_an_overview_and_a_comparison_per_group(
    runs: list[Run], tmp_path: Path
) -> None:
    paths = write_groups(compare_by(runs, "capacity"), tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for path in paths}
    folder = "alignment-base_lineage-llama"
    assert {"by-capacity.md", f"{folder}/compare.md", f"{folder}/compare.csv"} <= names
    page = (tmp_path / "by-capacity.md").read_text(encoding="utf-8")
    assert "| 7B | l7, t7 |" in page
    told = "l13 − l7 | 7B → 13B | 25.0 % → 50.0 % | +25.0 pp |"
    assert f"| **RR-1** (primary) | base, llama | {told}" in page
    assert f"({folder}/compare.md)" in page


def test_the_command_compares_finished_runs_by_what_was_said_of_them(
    make_run: Callable[..., Path],
) -> None:
    small: Any = {"benchmark": ("cfsafety",), "limit": {"cfsafety": 10}}
    made = [
        make_run(name, shift, attributes={"capacity": capacity}, **small)
        for name, shift, capacity in (("one", 0.0, "7B"), ("two", 0.2, "13B"))
    ]
    done = CliRunner().invoke(command, [*map(str, made), "--by", "capacity", "--no-figures"])
    assert done.exit_code == 0, done.output
    assert "7B        one" in done.output
    assert "two − one" in done.output
    assert (made[0].parent / "compare-by-capacity" / "by-capacity.md").is_file()
    # its own output lies between the runs the next time, as cards and loose files do
    (made[0].parent / "cards").mkdir()
    (made[0].parent / "notes.txt").touch()
    there = sorted(made[0].parent.iterdir())
    again = CliRunner().invoke(command, [*map(str, there), "--by", "capacity", "--no-figures"])
    assert again.exit_code == 0, again.output
    assert again.stdout == done.stdout
    (line,) = again.stderr.splitlines()
    assert line.startswith("passed over, since it is no run: ")
    for name in ("cards", "compare-by-capacity", "notes.txt"):
        assert str(made[0].parent / name) in line
