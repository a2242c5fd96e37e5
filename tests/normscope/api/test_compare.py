"""`ns.compare` and the figures by their names: what the verb compares, as objects."""

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest
from finished_runs import GRADED_SET, VIGNETTES

import normscope as ns
from normscope.comparison import compare, read_runs
from normscope.errors import RunError, UsageError
from normscope.report.charts import Bars, Heatmap, Intervals, NormsMap, Ridges
from normscope.report.comparison.write import write


@pytest.fixture(scope="module")
def folders(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    # the same answers again: what is compared is made elsewhere, and tested there
    other = tmp_path_factory.mktemp("runs") / "aligned"
    shutil.copytree(folder, other)
    return folder, other


@pytest.fixture(scope="module")
def compared(folders: tuple[Path, Path]) -> Any:
    return ns.compare(str(folders[0]), ns.Run(folders[1], name="mine"))


def test_the_differences_are_those_of_the_verb(
    compared: Any, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    write(compare(read_runs(folders)), tmp_path)
    with (tmp_path / "compare.csv").open(encoding="utf-8", newline="") as file:
        of_verb = list(csv.DictReader(file))
    frame = compared.differences
    assert frame.columns.to_list() == list(of_verb[0])
    assert frame["difference"].to_list() == [float(row["difference"]) for row in of_verb]
    # a run's own name stands in place of its folder's
    assert {row["second"] for row in of_verb} == {"aligned"}
    assert set(frame["second"]) == {"mine"}


def test_the_tidy_table_has_a_row_per_difference_with_its_interval(compared: Any) -> None:
    frame = compared.to_frame()
    row = frame[(frame["statistic"] == "rr1") & (frame["group"] == "")].iloc[0]
    assert (row["run"], row["baseline"], row["benchmark"]) == ("mine", "base", GRADED_SET)
    assert (row["value"], row["n"], row["unscored"]) == (0.0, 6, 0)
    assert row["low"] < 0 < row["high"]
    assert row["p"] == 1


def test_it_shows_the_page_with_its_small_print_folded_away(compared: Any) -> None:
    shown = compared._repr_html_()
    assert shown.index(f"<bdi>{VIGNETTES}</bdi></h") < shown.index("What these statistics are")
    assert "mean acceptability" in repr(compared)


def test_a_run_stands_beside_published_results(folder: Path) -> None:
    beside = ns.compare(folder, published=True)
    assert beside.compared.rows == ()
    assert [own.run for each in beside.beside for own in each.own]
    assert "Beside published results" in repr(beside)
    with pytest.raises(UsageError, match="two runs or more, not 1"):
        ns.compare(folder)


def test_a_gate_is_a_tidy_table_with_margin_and_outcome(compared: Any) -> None:
    gate = compared.gate(0.1, on="hr", categories="misleading")
    table = gate.to_frame()
    [row] = table.to_dict("records")
    assert [row[name] for name in ("baseline", "run", "statistic")] == ["base", "mine", "hr"]
    assert [row[name] for name in ("group", "member")] == ["category", "misleading"]
    assert (row["value"], row["n"], row["unscored"], row["margin"]) == (0.0, 1, 0, 0.1)
    assert row["low"] < -0.1 < 0.1 < row["high"]
    assert row["outcome"] == "inconclusive"


def test_two_runs_or_more_are_compared_and_a_broken_one_is_refused(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="two runs or more"):
        ns.compare(folders[0])
    with pytest.raises(UsageError, match="named twice"):
        ns.compare(folders[0], folders[0])
    with pytest.raises(RunError, match="is not a run"):
        ns.compare(folders[0], tmp_path)
    with pytest.raises(UsageError, match=r"compare\(\*runs\)"):
        ns.compare([*folders])  # type: ignore[arg-type]


def test_the_figures_of_a_run_are_found_by_their_names(folders: tuple[Path, Path]) -> None:
    figures = ns.Run(folders[0]).figures
    kinds = {
        "ci-vignettes-coppa-norms": NormsMap,
        "ci-vignettes-coppa-norms-by-label": Bars,
        "ci-vignettes-coppa-acceptability-by-sender": Intervals,
        "ci-vignettes-coppa-mean-norms": Heatmap,
        "safety-gradient-score-by-category-ridge": Ridges,
    }
    for name, kind in kinds.items():
        assert isinstance(figures[name], kind)
    with pytest.raises(UsageError, match="did you mean 'ci-vignettes-coppa-norms'"):
        figures["ci-vignettes-coppa-normz"]
