"""Vignettes: the variant is what varies, and the flows are no sample."""

import math
from dataclasses import replace

import numpy as np
import pytest
from plain_runs import vignette_run as run_of

from normscope.comparison import compare
from normscope.comparison.result import Difference
from normscope.metrics.tango import tango
from normscope.records.provenance import BenchmarkItems, Provenance, ResponsesProvenance
from normscope.records.run import Run
from normscope.report.blocks import Cell, Column
from normscope.report.comparison.page import difference_columns


def rows_of(first: Run, second: Run) -> dict[str, Difference]:
    return {row.statistic: row for row in compare([first, second]).rows if not row.group}


def test_the_variants_that_are_compared_are_named_where_a_run_was_asked_others() -> None:
    eleven, three = run_of("a", np.ones((4, 11))), run_of("b", np.ones((4, 3)))
    assert {row.over for row in compare([eleven, three]).rows} == {"3 of 11 prompt variants"}
    alike = run_of("c", np.ones((4, 3)))
    assert {row.over for row in compare([three, alike]).rows} == {""}


def test_shares_of_an_enumerated_factorial_are_exact_and_have_no_p() -> None:
    a = run_of("a", [[1, 1, 1], [-1, -1, -1], [1, 0, -1], [2, 2, 2]])
    b = run_of("b", [[1, 1, 1], [1, 1, 1], [0, 0, 0], [2, 2, 2]])
    rows = rows_of(a, b)
    shift = {name: row.estimate.value for name, row in rows.items() if row.unit == "rate"}
    assert shift == {
        "accept_share": 0.25,
        "reject_share": -0.25,
        "neutral_share": 0.25,
        "undecided": -0.25,
        "no_answer": 0,
    }
    accepted = rows["accept_share"]
    assert (accepted.estimate.target, accepted.test) == ("these items", None)
    assert accepted.estimate.low == accepted.estimate.value == accepted.estimate.high


def of_slice(run: Run, n: int) -> Run:
    """The run as one that asked some of n vignettes."""
    taken = {"ci-vignettes:x": BenchmarkItems(items_in_dataset=n)}
    made = Provenance(ResponsesProvenance(benchmarks=taken))
    return replace(run, config=replace(run.config, provenance=made))


def test_shares_of_a_slice_are_for_all_vignettes() -> None:
    base, moved = np.full((40, 3), -1.0), np.full((40, 3), -1.0)
    moved[:10] = 1
    pair = run_of("a", base), run_of("b", moved)
    found = rows_of(*(of_slice(run, 400) for run in pair))["accept_share"]
    # 10 and 0 of 40 alone, n_e = 40 · 399/360 = 44.33: Tango's limits, outwards to whole items
    low, high = (
        tango(10 * 44.3333 / 40, 0, 44.3333).low,
        tango(10 * 44.3333 / 40, 0, 44.3333).high,
    )
    expected = math.floor(400 * low) / 400, math.ceil(400 * high) / 400
    assert (found.estimate.low, found.estimate.high) == pytest.approx(expected)
    assert (found.estimate.target, found.test) == ("all vignettes", None)
    whole = rows_of(*(of_slice(run, 40) for run in pair))["accept_share"]
    assert (whole.estimate.low, whole.estimate.high) == (0.25, 0.25)
    interval = difference_columns(whole, gaps=False)[Column("95 % interval", "number")]
    assert isinstance(interval, Cell)
    assert interval.text == "all asked"
    assert (whole.estimate.target, whole.unscored.pairs) == ("these items", 0)


def test_what_is_unscored_of_all_vignettes_leaves_a_range_and_no_interval() -> None:
    base, moved = np.full((40, 3), -1.0), np.full((40, 3), -1.0)
    base[38:], moved[39:] = np.nan, np.nan
    found = rows_of(run_of("a", base), run_of("b", moved))["accept_share"]
    assert (found.unscored.pairs, found.unscored.in_both) == (2, 1)
    assert (found.estimate.value, found.estimate.low, found.estimate.high) == (0, None, None)
    # a's at 0 or 1 beside b's −1; both open: −1 … 1 and 0 − 1 … 0 − 0
    assert (found.estimate.lowest, found.estimate.highest) == pytest.approx((-2 / 40, 1 / 40))
    assert found.estimate.method == "exact but for the unscored"
