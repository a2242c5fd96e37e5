"""Vignettes: the wording is what varies, and the flows are no sample."""

from dataclasses import replace

import numpy as np
import pytest
from plain_runs import vignette_run as run_of

from normscope.compare import compare
from normscope.compare.result import Difference
from normscope.compare.runs import Run


def rows_of(first: Run, second: Run) -> dict[str, Difference]:
    return {row.statistic: row for row in compare([first, second]).rows if not row.group}


def test_eleven_wordings_are_eleven_facts_however_many_the_flows() -> None:
    rng = np.random.default_rng(0)
    base = rng.integers(-2, 2, (200, 11)).astype(float)
    found = rows_of(run_of("a", base), run_of("b", base + 1))["mean_acceptability"]
    assert found.estimate.value == pytest.approx(1)
    assert found.estimate.n == 11
    assert found.estimate.target == "new wordings"
    assert found.test is not None
    # all eleven go one way: 2/2¹¹, though the flows alone would say far less than that
    assert found.test.p == pytest.approx(2 / 2**11)
    published = found.beside[-1]
    assert published.note.startswith("as published, over vignettes, which are no sample")
    assert published.p is not None
    assert published.p < 1e-6


def test_two_orders_of_one_wording_are_one_fact() -> None:
    base = np.zeros((3, 8))
    found = rows_of(run_of("a", base, orders=2), run_of("b", base + 1, orders=2))
    test = found["mean_acceptability"].test
    assert test is not None
    # four wordings in two orders: 2/2⁴
    assert test.n == 4
    assert test.p == pytest.approx(0.125)


def test_one_wording_alone_allows_no_test() -> None:
    found = rows_of(run_of("a", [[0], [1]]), run_of("b", [[1], [1]]))["mean_acceptability"]
    assert (found.estimate.value, found.test, found.p_adjusted) == (0.5, None, None)


def test_means_are_over_what_both_answered() -> None:
    a = run_of("a", [[1, 1], [np.nan, -2]], reason="no_answer")
    b = run_of("b", [[2, 0], [2, -2]])
    found = rows_of(a, b)["mean_acceptability"]
    # first wording: only v0, 2 − 1; second: (0 − 2)/2 − (1 − 2)/2 = −0.5
    assert found.estimate.value == pytest.approx((1 - 0.5) / 2)
    assert found.first_value == pytest.approx(0.25)
    assert found.second_value == pytest.approx(0.5)
    # no answer is the model's own: it does not widen anything
    assert found.estimate.worst == found.estimate.best == found.estimate.value


def test_unscored_answers_stand_at_both_ends_of_the_scale() -> None:
    a = run_of("a", [[1, 1], [np.nan, -2]])
    b = run_of("b", [[2, 0], [2, -2]])
    found = rows_of(a, b)["mean_acceptability"].estimate
    # a's answer at −2: first wording (2 + 2 − 1 + 2)/2 = 2.5; at +2: (2 + 2 − 1 − 2)/2 = 0.5
    assert found.best == pytest.approx((2.5 - 0.5) / 2)
    assert found.worst == pytest.approx((0.5 - 0.5) / 2)
    assert found.low is not None
    assert found.worst is not None
    assert found.low <= found.worst


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


def test_levels_of_a_factor_are_compared_over_wordings_too() -> None:
    base = np.zeros((4, 5))
    shifted = base.copy()
    shifted[::2] = 1
    compared = compare([run_of("a", base), run_of("b", shifted)])
    levels = {row.member: row for row in compared.rows if row.group == "sender"}
    assert levels["a toy"].estimate.value == 1
    assert levels["a doll"].estimate.value == 0
    toy, doll = levels["a toy"].test, levels["a doll"].test
    assert toy is not None
    assert doll is not None
    # five wordings one way: 2/2⁵; of two tests the smaller is doubled by Benjamini–Hochberg
    p = toy.p, levels["a toy"].p_adjusted, doll.p
    assert p == pytest.approx((0.0625, 0.125, 1))


def test_nothing_answered_in_both_is_no_difference() -> None:
    nothing = run_of("b", np.full((2, 3), np.nan), reason="no_answer")
    found = rows_of(run_of("a", np.zeros((2, 3))), nothing)["mean_acceptability"]
    assert (found.estimate.value, found.first_value) == (None, None)
    assert replace(found.estimate, method="").n == 0
