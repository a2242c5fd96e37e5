"""A run's scores as CSV and as LaTeX: every number, inert for spreadsheets and for LaTeX."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner
from report_runs import holding, small_run
from undrawn import undrawn

from normscope.cli.report import report as verb
from normscope.metrics.estimate import Estimate, Statistic
from normscope.metrics.scores import COLUMNS
from normscope.report import Report, render
from normscope.report.exports import scores_csv, scores_tex

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
    first, second = records(
        render(replace(holding(small_run(), scores={"b": rows}), name="one"), form="csv")
    )
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
    one = holding(small_run(), scores={"b": (Statistic("hr", "rate", SHARE),)})
    one = replace(one, name="one_1 %")
    rows = {"b": (Statistic("rr1", "rate", NOTHING),)}
    report = Report((one, replace(holding(one, scores=rows), name="\\input{x}\n%")))
    assert [row["run"] for row in records(scores_csv(report))] == [*report.names]
    text = scores_tex(report, "en")
    assert r"\begin{tabular}{lrrrrrrrrr}" in text
    assert r"HR & 33.3 \% & [6.15, 79.2] \% & 3 & 0 &  &  &  &  &  \\" in text
    assert r"RR-1 &  &  &  &  & – & – & 0 & 2 & [0, 100] \% \\" in text
    # nothing in a name is a command
    assert r"statistic & one\_1 \% & 95 \% interval" in text
    assert r"\textbackslash input\{x\} \%" in text


def test_a_table_says_of_which_items_by_which_judge_it_is() -> None:
    first, second = re.findall("(?m)^% (.*n counts.*)$", render(small_run("a_b"), form="tex"))
    assert first.startswith("safety-gradient a_b: 2 items. Model: model a_b. Judge: judge a_b")
    assert second.endswith("Rubric: none. n counts scored items.")
    assert "评判模型：judge plain" in render(small_run(), "zh", form="tex")


def test_the_command_writes_them_beside_the_page_or_elsewhere(run: Path, tmp_path: Path) -> None:
    for form, start in (("csv", "run,model,benchmark"), ("tex", "% ")):
        for out, arguments in (
            (run / f"report.{form}", []),
            (tmp_path / form, ["--out", str(tmp_path / form)]),
        ):
            done = CliRunner().invoke(verb, [str(run), "--format", form, *arguments])
            assert done.exit_code == 0, done.output
            assert out.read_text(encoding="utf-8").startswith(start)
