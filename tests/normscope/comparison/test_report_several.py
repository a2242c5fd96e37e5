"""One report of several runs: their numbers, their comparison, and what is refused."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from report_runs import Page

from normscope.cli.report import report as verb
from normscope.comparison import compare, read_runs
from normscope.format import estimate
from normscope.pipeline.score import read_scores
from normscope.records.run import Run
from normscope.report.comparison.page import comparison_page
from normscope.report.writers import markdown

MakeRun = Callable[..., Path]
SMALL = {"limit": {"ci-vignettes:coppa": 4}}


def invoke(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(verb, list(map(str, arguments)))
    assert done.exit_code == code or (code and done.exception), done.output
    return done.output or str(done.exception)


@pytest.fixture
def runs(make_run: MakeRun) -> tuple[Path, Path]:
    return make_run("base", **SMALL), make_run("aligned", 0.3, **SMALL)


def page_of(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def test_the_numbers_are_those_of_the_runs_and_of_the_comparison_and_the_runs_stay_whole(
    runs: tuple[Path, Path],
) -> None:
    before = {path: path.read_bytes() for run in runs for path in run.iterdir() if path.is_file()}
    out = runs[0].parent / "report-base-aligned.html"
    assert str(out) in invoke(*runs, "--no-figures")
    assert {path: path.read_bytes() for path in before} == before
    page = page_of(out)
    assert page.open == []
    assert all(tag["href"].startswith("#") for tag in page.named("a"))
    assert page.named("img", "script", "iframe") == [{}]  # the page's own script
    for path in runs:
        for rows in read_scores(Run.open(path)).by_benchmark.values():
            for row in rows:
                if row.name == "score" and not row.group:
                    assert all(part in page.text for part in estimate(row.estimate)[:2])
    told = markdown.page(comparison_page(compare(read_runs(runs))))
    (line,) = re.findall(r"\| \*\*score\*\* \(primary\) \|(.*)\|", told)
    cells = [cell.strip(" *") for cell in line.split("|")]
    assert cells[0] == "aligned − base"
    assert f"{cells[1]} {cells[2]} {cells[3]}" in page.text


@pytest.mark.slow
def test_figures_stand_in_the_page_with_their_titles_in_its_language(
    make_run: MakeRun, tmp_path: Path
) -> None:
    runs = [
        make_run(f"figured-{shift}", shift, benchmark=("cfsafety",), limit={})
        for shift in (0.0, 0.3)
    ]
    invoke(*runs, "--out", tmp_path / "a.html", "--language", "zh")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    _, _, shown = page.partition('id="figures"')
    drawn = re.findall(r'<img[^>]* alt="([^"]+)"', shown)
    assert len(drawn) > 3
    assert any(label.startswith("cfsafety · 安全得分（0 至 5）") for label in drawn), drawn


def test_runs_that_were_not_measured_alike_are_refused_and_warned_of(
    make_run: MakeRun, tmp_path: Path
) -> None:
    runs = make_run("base", **SMALL), make_run("other", min_coverage=0.25, **SMALL)
    assert "min_coverage" in invoke(*runs, code=1)
    out = tmp_path / "a.html"
    invoke(*runs, "--although", "--no-figures", "--out", out)
    assert "not measured alike" in page_of(out).text


@pytest.mark.slow
def test_that_the_judge_has_changed_stands_first_of_the_limits(
    make_run: MakeRun, tmp_path: Path
) -> None:
    # the scripted judge leans as its run's model does
    runs = make_run("a", **SMALL), make_run("c", 0.3, **SMALL)
    invoke(*runs, "--no-figures", "--out", tmp_path / "a.html")
    text = page_of(tmp_path / "a.html").text
    limits = text[text.rindex("\nWhat limits it\n") :]
    assert "The judge has changed between a and c" in limits.split("\n")[2]


def test_an_unfinished_run_and_flags_of_several_are_refused(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    assert "although=True" in invoke(runs[0], "--although", code=2)
    half = tmp_path / "half"
    shutil.copytree(runs[1], half)
    (half / "manifest.json").unlink()
    assert "unfinished" in invoke(runs[0], half, code=1)
    assert "named twice" in invoke(runs[0], runs[0], code=2)
