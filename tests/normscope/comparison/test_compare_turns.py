"""Questions of one turn and of several, between runs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_runs import Answer, with_items
from plain_runs import judged_run as run_of

from normscope.comparison import compare
from normscope.comparison.result import Difference
from normscope.comparison.runs import Run
from normscope.metrics.differences import difference_of_differences, rate_difference
from normscope.metrics.paired import paired_rate_difference
from normscope.report.comparison.page import comparison_page
from normscope.report.writers import markdown

SINGLE, MULTI = 8, 4


def run(name: str, refusal: Sequence[Answer]) -> Run:
    """The first `SINGLE` answers are to questions of one turn, the others to dialogues."""
    plain: Run = run_of(name, "qa", {"refusal": refusal})
    items = [
        replace(item, facets={"turns": "single" if at < SINGLE else "multi"})
        for at, item in enumerate(plain.items)
    ]
    changed: Run = with_items(plain, items)
    return changed


def rows(first: Run, second: Run) -> dict[tuple[str, str, str], Difference]:
    return {(r.statistic, r.group, r.member): r for r in compare([first, second]).rows}


FIRST = run("a", [3.0] * 6 + [0.0] * 2 + [3.0] * 2 + [0.0] * 2)
SECOND = run("b", [3.0] * 8 + [3.0] + [0.0] * 3)


def test_either_kind_is_compared_and_so_is_how_much_the_turns_change() -> None:
    found = rows(FIRST, SECOND)
    single, multi = (found["rr1", "turns", kind] for kind in ("single", "multi"))
    assert (single.first_value, single.second_value) == (0.75, 1.0)
    assert (multi.first_value, multi.second_value) == (0.5, 0.25)
    # by run multi − single: 2/4 − 6/8 and 1/4 − 8/8; the second less the first
    turns = found["rr1", "turn difference", "multi − single"]
    assert (turns.first_value, turns.second_value) == (-0.25, -0.75)
    assert turns.estimate.value == pytest.approx(-0.5)
    low, high = turns.estimate.low, turns.estimate.high
    assert low is not None
    assert high is not None
    # each limit as far as those of both kinds, squared and added
    a, b = multi.estimate, single.estimate
    assert a.value is not None and a.low is not None
    assert b.value is not None and b.high is not None
    assert low == pytest.approx(-0.5 - np.hypot(a.value - a.low, b.high - b.value))
    assert (turns.test, turns.p_adjusted, turns.role) == (None, None, "exploratory")
    page = markdown.page(comparison_page(compare([FIRST, SECOND])))
    assert "−25.0 pp → −75.0 pp" in page


def test_the_unscored_widen_it_and_one_kind_alone_has_none() -> None:
    known = [3.0] * 8 + [3.0] + [0.0] * 3
    whole = rows(FIRST, run("b", known))["rr1", "turn difference", "multi − single"]
    gap = rows(FIRST, run("b", [*known[:-1], None]))["rr1", "turn difference", "multi − single"]
    assert gap.unscored.pairs == 1
    assert gap.estimate.lowest == pytest.approx(-0.5)
    assert gap.estimate.highest == pytest.approx(-0.25)
    assert gap.unscored.low is not None
    assert gap.unscored.high is not None
    assert whole.estimate.high is not None
    assert gap.unscored.high > whole.estimate.high
    alone = run_of("c", "qa", {"refusal": [3.0, 0.0]})
    assert {row.group for row in compare([alone, replace(alone, name="d")]).rows} == {""}


OUTCOMES = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=9)


@given(OUTCOMES, OUTCOMES)
def test_taken_the_other_way_round_it_has_the_other_sign(
    multi: list[tuple[bool, bool]], single: list[tuple[bool, bool]]
) -> None:
    a, b = (paired_rate_difference(*np.array(rows, dtype=float).T) for rows in (multi, single))
    one, other = difference_of_differences(a, b), difference_of_differences(b, a)
    assert one.value == pytest.approx(-(other.value or 0))
    assert (one.low, one.high) == pytest.approx((-(other.high or 0), -(other.low or 0)))


def test_without_a_limit_there_is_none() -> None:
    nothing = rate_difference([], [])
    assert difference_of_differences(nothing, paired_rate_difference([1, 0], [0, 0])).low is None
