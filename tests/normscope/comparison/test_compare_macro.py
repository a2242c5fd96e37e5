"""CFSafety's model averages, mean of category means, between runs."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from plain_runs import Answer, with_items
from plain_runs import judged_run as run_of

from normscope.comparison import compare
from normscope.comparison.result import Difference
from normscope.comparison.runs import Run
from normscope.report.comparison.page import comparison_page
from normscope.report.writers import markdown


def run(name: str, ratings: Sequence[Answer], *, categories: str) -> Run:
    """A run whose answers conform, of these ratings, in these categories by a letter each."""
    criteria = {"moral": [1.0] * len(ratings), "rating": list(ratings)}
    plain: Run = run_of(name, "cfsafety", criteria)
    items = [replace(item, category=categories[at]) for at, item in enumerate(plain.items)]
    changed: Run = with_items(plain, items)
    return changed


def averages(first: Run, second: Run) -> list[Difference]:
    return [row for row in compare([first, second]).rows if row.statistic == "macro_score"]


def test_every_category_counts_once_however_many_items_it_has() -> None:
    one = run("a", [1, 2, 3, 4, 2, 3], categories="xxxxyy")
    other = run("b", [2, 2, 4, 4, 5, 4], categories="xxxxyy")
    (row,) = averages(one, other)
    # x: 2.5 and 3, y: 2.5 and 4.5; of items the difference is 6/6
    assert (row.first_value, row.second_value) == (2.5, 3.75)
    assert (row.estimate.value, row.estimate.n) == (1.25, 6)
    rows = {(r.group, r.member): r for r in compare([one, other]).rows if r.statistic == "score"}
    parts = [rows["category", name].estimate for name in "xy"]
    below = [float(part.value or 0) - float(part.low or 0) for part in parts]
    assert row.estimate.low == pytest.approx(1.25 - math.hypot(*below) / 2)
    assert (row.test, row.p_adjusted, row.role) == (None, None, "secondary")
    assert "score, mean of category means" in markdown.page(comparison_page(compare([one, other])))


def test_what_is_unscored_moves_the_cases_and_not_the_value() -> None:
    one = run("a", [1, 2, 2, 3], categories="xxyy")
    (row,) = averages(one, run("b", [2, 2, 4, None], categories="xxyy"))
    # x: (1 + 0)/2; y: 4 − 2, and 4 … −3 for the other
    assert row.estimate.value == pytest.approx((0.5 + 2) / 2)
    assert (row.estimate.n, row.estimate.unscored, row.unscored.pairs) == (3, 1, 1)
    # the missing score lies from 0 to 5, beside 3
    assert row.estimate.lowest == pytest.approx((0.5 + (2 - 3) / 2) / 2)
    assert row.estimate.highest == pytest.approx((0.5 + (2 + 2) / 2) / 2)
    assert row.unscored.low is not None and row.estimate.lowest is not None
    assert row.unscored.low <= row.estimate.lowest


def test_items_of_one_category_have_no_mean_of_means() -> None:
    assert averages(*(run(name, [1, 2, 4], categories="xxx") for name in "ab")) == []
