"""What a notebook and a terminal show of a result: the report's own blocks, and nothing around."""

import html
import re
from pathlib import Path

import pytest
from finished_runs import GRADED_SET, VIGNETTES

import normscope as ns
from normscope.report.blocks import Caveat, Facts, Section, Table, columns
from normscope.report.charts import Bars
from normscope.report.charts.figure import ChartFigure
from normscope.report.notebook import Shown, cell

HOSTILE = "<script>alert(1)</script><style>body{}</style>"


class Result(Shown):
    """A result with somebody else's words in it."""

    def _shown(self) -> list[Section]:
        rows = (("hr", "0.5"), (HOSTILE, "1"))
        table = Table(columns("statistic", "value"), rows)
        facts = Facts((("Model under test", "m"),))
        return [Section("result", (facts, Caveat("read this first", warns=True), table))]


@pytest.fixture
def run(folder: Path) -> "ns.Run":
    return ns.Run(folder)


def test_a_run_shows_the_first_screen_of_its_report(run: "ns.Run") -> None:
    shown = html.unescape(run._repr_html_())
    report = html.unescape((run.path / "report.html").read_text(encoding="utf-8"))
    for benchmark in (VIGNETTES, GRADED_SET):
        [sentence] = re.findall(rf">{benchmark}<.*?<p class=\"lead\">(.*?)</p>", shown, re.DOTALL)
        assert sentence in report
    assert "6 of 1,800 items" in shown


def test_in_a_terminal_a_run_is_its_scores_with_n_and_unscored(run: "ns.Run") -> None:
    lines = repr(run).splitlines()
    assert lines[0] == "base"
    assert any("Slices" in line for line in lines)
    [score] = [line for line in lines if line.startswith("rr1 ")]
    assert score.split() == ["rr1", "100", "%", "[61.0,", "100]", "%", "6", "0"]


def test_a_run_that_is_not_scored_says_so_in_place_of_its_scores(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("benchmark: [cfsafety]\n", encoding="utf-8")
    for shown in (repr(ns.Run(tmp_path)), ns.Run(tmp_path)._repr_html_()):
        assert "normscope respond" in shown


def test_no_word_of_others_becomes_markup_and_no_script_is_shown() -> None:
    shown = Result()._repr_html_()
    assert "<script" not in shown
    assert shown.count("<style>") == 1
    assert html.escape(HOSTILE) in shown
    assert repr(Result()).splitlines()[:2] == ["result", "- Model under test: m"]


def test_every_rule_of_the_style_is_for_what_is_shown_alone() -> None:
    [style] = re.findall(r"<style>(.*?)</style>", cell(""), re.DOTALL)
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    depth, selector, selectors = 0, "", []
    for sign in style:
        if sign == "{":
            selectors += [selector] if not depth else []
        depth += {"{": 1, "}": -1}.get(sign, 0)
        selector = "" if sign in "{}" else selector + sign
    assert depth == 0
    parts = [part.strip() for each in selectors for part in each.split(",")]
    assert all(".normscope" in part.split() or part.startswith(".normscope") for part in parts)


def test_a_chart_is_drawn_where_it_stands() -> None:
    chart = Bars(counts=[[3, 1]], rows=["a"], classes=["x", "y"], title="answers", caption="of 4")
    shown = chart._repr_html_()
    assert shown.startswith('<img class="chart" alt="answers: of 4"')
    figure = chart.draw()
    assert isinstance(figure, ChartFigure)
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_as_text_it_is_text_in_a_notebook_too(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = repr(Result())
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert repr(Result()) == elsewhere
    assert "read this first" in elsewhere
