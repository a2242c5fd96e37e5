"""What a comparison looks like: files, terminal, command line."""

import csv
import io
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from plain_runs import both, judged_run, vignette_run
from rich.console import Console

from normscope.cli.compare import compare as command
from normscope.comparison import compare, read_runs
from normscope.records.run import Run
from normscope.report.comparison.page import comparison_page
from normscope.report.comparison.write import write
from normscope.report.writers import markdown, terminal

MakeRun = Callable[..., Path]
GOLDEN = Path(__file__).parent / "compare_golden.md"
SMALL = {"limit": {"ci-vignettes:coppa": 4}}


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(command, [str(one) for one in arguments])


def test_the_page_is_as_it_was_looked_at() -> None:
    def run(name: str, degrees: list[float | str | None], lean: float, least: float) -> Run:
        judged: Run = judged_run(name, "chisafetybench:qa", {"refusal": degrees})
        flows = [[at % 3 - 1 + lean for at in range(11)], [lean * (at % 2) for at in range(11)]]
        asked: Run = vignette_run(name, flows)
        return replace(
            judged,
            config=replace(judged.config, min_coverage=least),
            contents=both(judged, asked).contents,
        )

    base = run("base", [0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 3.0, 3.0, 1.0, None], 0.0, 0.5)
    aligned = run("aligned", [3.0, 2.0, 3.0, 3.0, 3.0, 2.0, "no_answer", 3.0, 3.0, 3.0], 1.0, 0.4)
    page = markdown.page(comparison_page(compare([base, aligned], although=True)))
    if "NORMSCOPE_WRITE_GOLDEN" in os.environ:
        GOLDEN.write_text(page, encoding="utf-8")
    assert page == GOLDEN.read_text(encoding="utf-8")


def test_the_files_say_the_same_and_are_the_same_twice(make_run: MakeRun, tmp_path: Path) -> None:
    compared = compare(read_runs([make_run("a", **SMALL), make_run("b", 0.3, **SMALL)]))
    first, second = write(compared, tmp_path / "1"), write(compared, tmp_path / "2")
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
    rows = json.loads(first[0].read_text())["rows"]
    with first[1].open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(rows) == len(lines) == len(compared.rows)
    for row, line in zip(rows, lines, strict=True):
        assert line["difference"] == str(row["estimate"]["value"])
        assert line["p_adjusted"] == ("" if row["p_adjusted"] is None else str(row["p_adjusted"]))
        assert bool(line["test"]) == (row["test"] is not None)


def test_the_terminal_shows_what_the_unscored_could_make_beside_the_interval() -> None:
    a = judged_run("a", "q", {"refusal": [3.0, 0.0, "low_coverage", "low_coverage"]})
    b = judged_run("b", "q", {"refusal": [3.0, 3.0, "low_coverage", 3.0]})
    printed = io.StringIO()
    terminal.show(comparison_page(compare([a, b])), Console(file=printed, width=200))
    (line,) = (line for line in printed.getvalue().splitlines() if line.startswith("b − a"))
    # of two scored one fewer in b; of four 0 − 3 at the lowest, 1 − 1 at the highest
    assert "−50.0 pp" in line
    assert line.startswith("b − a (2 unscored, lowest – highest [−75.0, 0] pp)")
    printed = io.StringIO()
    whole = [judged_run(name, "q", {"refusal": [3.0, 0.0]}) for name in "ab"]
    terminal.show(comparison_page(compare(whole)), Console(file=printed, width=200))
    assert "unscored" not in printed.getvalue()


def test_the_command_prints_writes_and_draws(make_run: MakeRun, tmp_path: Path) -> None:
    runs = make_run("a", **SMALL), make_run("b", 0.3, **SMALL)
    done = run(*runs, "--out", tmp_path / "out", "--format", "svg")
    assert done.exit_code == 0, done.output
    assert "mean acceptability" in done.output
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        "compare.json",
        "compare.csv",
        "compare.md",
        "figures",
        "norms.parquet",
        "norms.csv",
        "norm-agreement.csv",
        "norm-tests.csv",
    }
    drawn = {p.name for p in (tmp_path / "out" / "figures").iterdir()}
    assert drawn == {
        f"{name}.svg"
        for name in (
            "cfsafety-score-by-area-heatmap",
            "cfsafety-score-by-area-ridge",
            "cfsafety-score-by-category-heatmap",
            "cfsafety-score-by-category-ridge",
            "ci-vignettes-coppa-acceptability-answers",
            "ci-vignettes-coppa-acceptability-by-attribute",
            "ci-vignettes-coppa-acceptability-by-recipient",
            "ci-vignettes-coppa-acceptability-by-sender",
            "ci-vignettes-coppa-acceptability-by-transmission-principle",
            "ci-vignettes-coppa-mean-norms",
            "ci-vignettes-coppa-norms-by-label",
            "ci-vignettes-coppa-prompts",
            "ci-vignettes-coppa-variance",
        )
    }
