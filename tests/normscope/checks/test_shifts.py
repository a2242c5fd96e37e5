"""Paired shifts: by hand, corrected over probes, split by language."""

import numpy as np
import pytest

from normscope.checks.shifts import Column, Probed, adjusted, shifts_of


def column(changed: list[float | None], unchanged: list[float | None], name: str = "x") -> Column:
    n = len(changed)
    return Column(name, changed, unchanged, [f"q{at}" for at in range(n)], ["en", "zh"] * (n // 2))


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
    probes = []
    for at in range(5):
        moved = (random.normal(0.1 * at, 0.5, 30)).tolist()
        made = shifts_of(f"p{at}", [column(moved, [0.0] * 30), column(moved, [0.0] * 30, "y")])
        probes.append(Probed(f"p{at}", "", made))
    raw = [probe.shifts[0].test for probe in probes]
    found = [probe.shifts[0].p_adjusted for probe in adjusted(probes)]
    expected = multitest.multipletests([one.p for one in raw if one], method="holm")[1]
    assert found == pytest.approx(expected)
    assert all(s.p_adjusted is None for p in adjusted(probes) for s in p.shifts[1:])


def test_a_shift_that_is_no_chance_may_still_be_no_matter() -> None:
    changed = [1.001 + at % 3 / 1e4 for at in range(30)]
    names = [str(at) for at in range(30)]
    made = shifts_of("p", [Column("x", changed, [1.0] * 30, names, ["en"] * 30, (0, 5))])
    found = adjusted([Probed("p", "", made)])[0].shifts[0]
    assert (found.shown, found.slight) == (True, True)


def test_what_is_described_is_not_tested() -> None:
    made = shifts_of("p", [column([3, 3], [1, 1])], described=True)
    assert all(one.test is None for one in made)
    assert not adjusted([Probed("p", "", made)])[0].shifts[0].shown


def test_an_unscored_side_is_counted_and_widens_the_interval() -> None:
    changed: list[float | None] = [1.0, 1.2] * 10
    whole = Column("x", changed, [1.0] * 20, [str(at) for at in range(20)], ["en"] * 20, (0, 5))
    gaps = Column(
        "x", [None, *changed[1:]], whole.unchanged, whole.clusters, whole.languages, (0, 5)
    )
    one, other = (shifts_of("p", [c])[0].estimate for c in (whole, gaps))
    assert (other.n, other.unscored) == (19, 1)
    assert (other.high or 0) > (one.high or 0)
