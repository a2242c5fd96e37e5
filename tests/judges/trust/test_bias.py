"""Paired shifts: by hand, corrected over probes, split by language."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from normscope.judges.trust.bias import PairedValues, Shift, adjusted, shifts_of


def column(
    changed: list[float | None], unchanged: list[float | None], name: str = "x"
) -> PairedValues:
    n = len(changed)
    return PairedValues(
        name, changed, unchanged, [f"q{at}" for at in range(n)], ["en", "zh"] * (n // 2), (-9, 9)
    )


def test_by_hand() -> None:
    # differences 1, −1, 1, 1: mean 0.5, mean size 1, mean before 2
    first = shifts_of("p", [column([3, 1, 3, 3], [2, 2, 2, 2])])[0]
    assert (first.estimate.value, first.size, first.before) == (0.5, 1.0, 2.0)
    assert first.role == "primary"


def test_the_first_outcome_is_primary_and_split_by_language() -> None:
    table = shifts_of("p", [column([1, 2], [1, 1]), column([1, 2], [1, 1], "y")])
    assert [(s.outcome, s.role, s.language) for s in table] == [
        ("x", "primary", ""),
        ("x", "secondary", "en"),
        ("x", "secondary", "zh"),
        ("y", "secondary", ""),
    ]


def test_holm_is_over_the_primary_shifts_of_all_probes() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    random = np.random.default_rng(1)
    shifts: list[Shift] = []
    for at in range(5):
        moved = (random.normal(0.1 * at, 0.5, 30)).tolist()
        shifts += shifts_of(f"p{at}", [column(moved, [0.0] * 30), column(moved, [0.0] * 30, "y")])
    raw = [shift.test for shift in shifts if shift.role == "primary"]
    found = [shift.p_adjusted for shift in adjusted(shifts) if shift.role == "primary"]
    expected = multitest.multipletests([one.p for one in raw], method="holm")[1]
    assert found == pytest.approx(expected)
    assert len(found) == 5
    assert all(s.p_adjusted is None for s in adjusted(shifts) if s.role != "primary")


def bounded(changed: list[float | None], unchanged: list[float | None]) -> PairedValues:
    n = len(changed)
    return PairedValues("x", changed, unchanged, [str(at) for at in range(n)], ["en"] * n, (0, 5))


def test_interval_and_p_are_of_what_is_scored_on_both_sides() -> None:
    # ten pairs that all rise a little, thirty whose changed side was not scored
    before = [2 + at / 10 for at in range(10)]
    after = [2.2 + at / 9 for at in range(10)]
    column = bounded([*after, *[None] * 30], [*before, *[2.0] * 30])
    (shift,) = shifts_of("p", [column])
    theirs = stats.ttest_rel(after, before)
    limits = theirs.confidence_interval()
    found = shift.estimate
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high))
    assert shift.test.p == pytest.approx(theirs.pvalue)
    assert limits.low > 0
    # the rises of ten pairs; thirty from 2 to 0 at worst, from 2 to 5 at best
    rise = sum(after) - sum(before)
    assert (found.n, found.unscored) == (10, 30)
    assert found.lowest == pytest.approx((rise - 30 * 2) / 40)
    assert found.highest == pytest.approx((rise + 30 * 3) / 40)


RATED = st.sampled_from([None, 0.0, 1.0, 1.5, 5.0])


@given(st.lists(st.tuples(RATED, RATED, st.sampled_from("abcd")), min_size=2, max_size=30))
def test_p_and_interval_never_contradict_each_other(
    rows: list[tuple[float | None, float | None, str]],
) -> None:
    changed, unchanged, names = (list(one) for one in zip(*rows, strict=True))
    column = PairedValues("x", changed, unchanged, names, ["en"] * len(rows), (0, 5))
    (shift,) = shifts_of("p", [column])
    low, high = shift.estimate.low, shift.estimate.high
    if low is None or high is None:
        assert shift.test.p is None
        return
    assert shift.test.p is not None
    assert shift.test.n == shift.estimate.n
    if min(abs(low), abs(high)) > 1e-9:
        assert (shift.test.p < 0.05) == (not low <= 0 <= high)
