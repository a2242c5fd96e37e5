"""The norms of several runs: where they agree, the paper's tests, and the files that say so."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plain_runs import VIGNETTES, with_items
from plain_runs import vignette_run as run_of
from scipy import stats

from normscope.comparison import compare
from normscope.comparison.norms import farthest_apart
from normscope.comparison.result import NormsCompared
from normscope.errors import RunError
from normscope.files import read_parquet
from normscope.records.run import Run
from normscope.report.blocks import Table, plain
from normscope.report.charts import Heatmap, Intervals
from normscope.report.comparison.figures import figures
from normscope.report.comparison.write import write
from normscope.report.norms import norms_details
from normscope.tables import read_table

NONE = np.nan


def settled(*norms: float, variants: int = 11) -> np.ndarray:
    """Answers that are all the vignette's norm."""
    return np.repeat(np.array(norms, dtype=float)[:, None], variants, axis=1)


def norms_of(*runs: Run) -> NormsCompared:
    return compare(runs).norms[VIGNETTES]


def tables_of(norms: NormsCompared) -> dict[str, Table]:
    blocks = norms_details(norms).blocks
    return {plain(block.title): block for block in blocks if isinstance(block, Table)}


def test_runs_agree_where_each_has_the_same_norm() -> None:
    split = settled(2, 1, -1, 0)
    split[3, :] = [1, -1] * 5 + [0]
    made = norms_of(
        run_of("a", settled(2, 1, -1, 0)), run_of("b", settled(2, 1, 1, 0)), run_of("c", split)
    )
    agreed = {agreement.runs: agreement for agreement in made.agreements}
    assert {runs: agreement.labels for runs, agreement in agreed.items()} == {
        ("a", "b"): (0, 0, 1, 1, 1),
        ("a", "c"): (0, 1, 0, 1, 1),
        ("b", "c"): (0, 0, 0, 1, 1),
        ("a", "b", "c"): (0, 0, 0, 1, 1),
    }
    share = agreed["a", "b", "c"].share
    # all vignettes were asked: nothing is drawn, and the share is exact
    assert (share.value, share.n, share.unscored, share.low, share.high) == (0.5, 4, 0, 0.5, 0.5)
    assert made.states["c"]["no_majority"] == 1
    # those without a norm in some run agree in none
    assert made.table["agree"].to_pylist() == [True, True, False, False]


def test_a_vignette_that_failed_in_one_run_is_open_and_not_a_difference() -> None:
    lost = settled(1, 1)
    lost[1] = NONE
    made = norms_of(run_of("a", settled(1, 1)), run_of("b", lost, reason="call_failed"))
    share = made.agreements[0].share
    assert (share.value, share.lowest, share.highest, share.unscored) == (1.0, 0.5, 1.0, 1)
    assert made.table["agree"].to_pylist() == [True, None]


def test_the_tests_are_of_the_norms_and_marked_as_published() -> None:
    rng = np.random.default_rng(3)
    norms = rng.integers(-2, 3, (3, 90)).astype(float)
    made = norms_of(*(run_of(name, settled(*of)) for name, of in zip("abc", norms, strict=True)))
    tests = {(row.test.name, row.runs): row.test for row in made.tests}
    wilcoxon = tests["Wilcoxon signed rank", ("a", "b")]
    theirs = stats.wilcoxon(norms[1], norms[0], correction=False, method="approx")
    # up to 50 differences ours is exact
    assert (norms[0] != norms[1]).sum() > 50
    assert wilcoxon.p == pytest.approx(theirs.pvalue)
    assert "zeros left out before ranking" in wilcoxon.note
    friedman = tests["Friedman", ("a", "b", "c")]
    assert friedman.statistic == pytest.approx(stats.friedmanchisquare(*norms).statistic)
    # of two runs the ANOVA is the paired t test: F = t²
    anova = tests["repeated-measures ANOVA", ("a", "c")]
    assert anova.statistic == pytest.approx(stats.ttest_rel(norms[0], norms[2]).statistic ** 2)
    assert all(test.note.startswith("as published") for test in tests.values())


def test_runs_scored_by_other_rules_are_refused_and_the_rule_decides() -> None:
    tie = np.array([[2, 2, 0, 0]] * 2, dtype=float)
    runs = [run_of(name, tie) for name in "ab"]
    published = [replace(r, config=replace(r.config, rule="published")) for r in runs]
    with pytest.raises(RunError, match="rule of the norms: a has 'default', b has 'published'"):
        compare([runs[0], published[1]])
    assert norms_of(*runs).states["a"]["no_majority"] == 2
    # the answer seen first wins the tie
    assert norms_of(*published).states["a"]["strongly_acceptable"] == 2


def test_the_files_list_every_vignette_and_count_what_agrees(tmp_path: Path) -> None:
    runs = [run_of("=a", settled(2, 1, -1)), run_of("b", settled(2, 1, 1))]
    write(compare(runs), tmp_path)
    table = read_parquet(tmp_path / "norms.parquet")
    assert table["=a: norm"].to_pylist() == [2, 1, -1]
    assert table["b: state"].to_pylist()[2] == "somewhat_acceptable"
    sheet = read_table(tmp_path / "norms.csv").to_rows()
    # no cell of a spreadsheet is run, its head included
    assert [row["'=a: norm"] for row in sheet] == ["2.0", "1.0", "-1.0"]
    (agreement,) = read_table(tmp_path / "norm-agreement.csv").to_rows()
    assert (agreement["agree"], agreement["vignettes"]) == ("2", "3")
    (wilcoxon, *_) = read_table(tmp_path / "norm-tests.csv").to_rows()
    assert wilcoxon["name"] == "Wilcoxon signed rank"
    kept = json.loads((tmp_path / "compare.json").read_text())["norms"][VIGNETTES]
    assert kept["agreements"][0]["labels"] == [0, 0, 0, 1, 1]
    assert "table" not in kept


def test_runs_of_unequal_prompts_agree_over_those_they_share_and_as_published_each_over_its_own(
    tmp_path: Path,
) -> None:
    # in the two prompts of b, a says what b says; over its own four it says the opposite or nothing
    first = np.array([[1, 1, -1, -1], [1, 1, -1, -1], [2, 2, 2, 2]], dtype=float)
    first[1, 1:] = -1
    runs = [run_of("a", first), run_of("b", np.array([[1, 1], [1, 1], [2, 2]], dtype=float))]
    compared = compare(runs, although=True)
    (agreement,) = compared.norms[VIGNETTES].agreements
    assert agreement.own is not None
    assert (agreement.share.value, agreement.own.value) == (2 / 3, 1 / 3)
    write(compared, tmp_path)
    (row,) = read_table(tmp_path / "norm-agreement.csv").to_rows()
    assert float(row["share_own_prompts"]) == agreement.own.value


def test_the_vignettes_on_which_runs_differ_most_come_first_and_are_named() -> None:
    lost = settled(2, 1, -1, 0)
    lost[1] = NONE
    runs = [run_of("a", lost), run_of("b", settled(1, 2, -1, 2)), run_of("c", settled(0, 2, -1, 1))]
    compared = compare(runs)
    norms = compared.norms[VIGNETTES]
    rows = farthest_apart(norms.table, list("abc"), 9)
    # 2 − 0 twice, the earlier first; of the second a says nothing and the others agree
    assert rows["spread"].to_pylist() == [2, 2]
    first, last = (norms.table["item_id"][at].as_py() for at in (0, 3))
    assert rows["item_id"].to_pylist() == [first, last]
    assert len(farthest_apart(norms.table, list("abc"), 1)) == 1
    shown = tables_of(norms)["Vignettes on which runs differ most"]
    assert [(row[0], row[-1]) for row in shown.rows] == [("a toy", "2.00"), ("a doll", "2.00")]
    alike = tables_of(norms_of(run_of("a", settled(1)), run_of("b", settled(1))))
    # a table without rows is not shown
    assert not alike["Vignettes on which runs differ most"].rows


def test_the_mean_norms_and_the_answers_at_each_level_are_drawn_of_every_run() -> None:
    # senders take turns, and so do pairs of recipients
    def crossed(run: Run) -> Run:
        items = [
            replace(item, facets={**item.facets, "recipient": "xxyy"[int(item.item_id[1:])]})
            for item in run.items
        ]
        changed: Run = with_items(run, items)
        return changed

    split = settled(2, 1, 0, -1)
    split[3] = [1, -1] * 5 + [0]
    runs = [crossed(run_of(*each)) for each in (("a", settled(2, 1, 0, -1)), ("b", split))]
    plots = figures(runs, compare(runs))
    mapped = plots["ci-vignettes:x", "mean-norms"]
    assert isinstance(mapped, Heatmap)
    assert (mapped.rows, mapped.columns) == (["x", "y"], ["a toy", "a doll"])
    # what has no norm by majority is a gap
    np.testing.assert_equal(mapped.values, np.array([[[2, 1], [0, -1]], [[2, 1], [0, NONE]]]))
    levels = plots["ci-vignettes:x", "acceptability-by-sender"]
    assert isinstance(levels, Intervals)
    assert ([*levels.series], [*levels.rows]) == (["a", "b"], ["a toy", "a doll"])
    points = np.array(levels.points, dtype=float)
    # b's split vignette is −1, 0 or 1, and 0 on average: (1 + 0)/2
    np.testing.assert_allclose(points[..., 0], np.array([[1, 0], [1, 0.5]]))
    # the mean of eleven variants that agree has an interval that says what so few can exclude
    assert (points[..., 1] <= points[..., 0]).all()
    assert (points[..., 0] <= points[..., 2]).all()


def test_three_runs_have_a_matrix_of_agreement() -> None:
    runs = [
        run_of(name, settled(*at)) for name, at in (("a", (1, 2)), ("b", (1, 1)), ("c", (0, 0)))
    ]
    plots = figures(runs, compare(runs))
    agreement = plots["ci-vignettes:x", "agreement"]
    assert isinstance(agreement, Heatmap)
    # each pair once, on a scale that ends where their shares do
    assert ([*agreement.rows], [*agreement.columns]) == (["b", "c"], ["a", "b"])
    np.testing.assert_equal(agreement.values, np.array([[0.5, NONE], [0, 0]]))
    assert agreement.limits == (0.0, 0.5)
    assert agreement.title.endswith("a + b agree most (50 %), a + c least (0 %)")
