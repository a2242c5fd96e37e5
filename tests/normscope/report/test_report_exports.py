"""A run's scores as CSV and as LaTeX: every number, inert for spreadsheets and for LaTeX."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from finished_runs import finished_run
from hypothesis import given
from hypothesis import strategies as st
from report_runs import small_run
from undrawn import undrawn

from normscope.cli.report import report as verb
from normscope.messages import message
from normscope.metrics.estimate import Estimate, Statistic
from normscope.report import render
from normscope.report.blocks import Table, columns
from normscope.report.exports import COLUMNS, scores_csv, scores_tex
from normscope.report.writers.tex import escaped, table

__all__ = ["undrawn"]

SHARE = Estimate(1 / 3, 0.0615, 0.792, 3, 0, 1 / 3, 1 / 3, "new items of the kind", "Wilson")
NOTHING = Estimate(None, None, None, 0, 2, 0.0, 1.0, "new items of the kind", "nothing scored")


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_row_of_the_csv_has_every_number_as_it_is_in_the_scores() -> None:
    rows = (
        Statistic("hr", "rate", SHARE),
        Statistic("hr", "rate", NOTHING, "category", "=1+1"),
    )
    first, second = records(scores_csv(["one"], [replace(small_run(), scores={"b": rows})]))
    assert tuple(first) == COLUMNS
    assert (first["run"], first["statistic"]) == ("one", "hr")
    assert float(first["value"]) == 1 / 3
    assert [first[name] for name in ("low", "n", "unscored", "level")] == [
        "0.0615",
        "3",
        "0",
        "0.95",
    ]
    # no number is an empty cell, never 0; no cell is a formula
    assert (second["value"], second["lowest"], second["unscored"]) == ("", "0.0", "2")
    assert second["member"] == "'=1+1"


def test_runs_stand_under_one_another_in_the_csv_and_side_by_side_in_latex() -> None:
    one = replace(small_run(), scores={"b": (Statistic("hr", "rate", SHARE),)})
    other = replace(one, scores={"b": (Statistic("rr1", "rate", NOTHING),)})
    assert [row["run"] for row in records(scores_csv(["one", "other"], [one, other]))] == [
        "one",
        "other",
    ]
    text = scores_tex(["one", "other"], [one, other], "en")
    assert r"\begin{tabular}{lrrrrrrrr}" in text
    assert r"HR & 33.3 \% & [6.15, 79.2] \% & 3 & 0 &  &  &  &  \\" in text
    assert r"RR-1 &  &  &  &  & -- & -- & 0 & 2 \\" in text


def test_the_caption_names_benchmark_items_judge_and_rubric_in_the_language() -> None:
    text = render(small_run("a_b"), form="tex")
    assert text.count(r"\begin{table}") == text.count(r"\toprule") == 2
    (first, second) = re.findall(r"\\caption\{(.*)\}", text)
    assert first.startswith(r"safety-gradient a\_b: 2 items. Model: model a\_b. Judge: judge a\_b")
    assert second.endswith("Rubric: none. n counts scored items.")
    assert r"$\kappa$" not in text
    assert "评判模型：judge plain" in render(small_run(), "zh", form="tex")


@given(st.text())
def test_nothing_in_a_cell_is_a_command_of_latex(text: str) -> None:
    line = escaped(text)
    assert "\n" not in line
    bare = re.sub(
        r"\\[&%$#_{}]|\\text[a-z]+\{\}|\\ldots\{\}|\$(\\[a-z]+|-|\^2)\$|[^\\&%$#_{}~^<>|\"]",
        "",
        line,
    )
    assert bare == ""


def test_a_bracket_that_begins_a_row_is_no_distance_between_rows() -> None:
    text = table(Table(columns("a", "b"), (("[1, 2]", "3"),), title=message("neutral")), "zh")
    assert r"    {}[1, 2] & 3 \\" in text
    assert r"\caption{中立}" in text


@pytest.mark.parametrize(("form", "start"), [("csv", "run,model,benchmark"), ("tex", "% ")])
def test_the_command_writes_them_beside_the_page_or_elsewhere(
    form: str, start: str, tmp_path: Path
) -> None:
    run = finished_run(tmp_path / "run")
    for out, arguments in (
        (run / f"report.{form}", []),
        (tmp_path / "x", ["--out", tmp_path / "x"]),
    ):
        done = CliRunner().invoke(verb, [str(run), "--format", form, *map(str, arguments)])
        assert done.exit_code == 0, done.output
        assert out.read_text(encoding="utf-8").startswith(start)
