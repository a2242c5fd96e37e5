import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from normscope.metrics.dip import dip, dip_test

PACKAGE = [
    (43, 0.04164239923386379, 0.2371),
    (45, 0.04656349639131399, 0.1133),
    (47, 0.05130062729988758, 0.0489),
    (49, 0.05586391854209143, 0.0198),
]


def from_the_definition(values: list[float]) -> float:
    """The least sup |Fₙ − U| over unimodal U, a linear programme for each place of the mode."""
    points, count = np.unique(values, return_counts=True)
    after = np.cumsum(count) / count.sum()
    before = after - count / count.sum()
    return min(with_mode(points, before, after, mode) for mode in range(len(points)))


def with_mode(x: np.ndarray, before: np.ndarray, after: np.ndarray, mode: int) -> float:
    m = len(x)
    distance = np.eye(m + 2)[m + 1]

    def value(place: int, right: bool) -> np.ndarray:
        # U jumps at the mode alone, so there it has two values
        row: np.ndarray = np.eye(m + 2)[m if place == mode and right else place]
        return row

    def rise(step: np.ndarray, place: int) -> np.ndarray:
        divided: np.ndarray = step / (x[place + 1] - x[place])
        return divided

    def slope(place: int, right: bool) -> np.ndarray:
        return rise(value(place + 1, False) - value(place, right), place)

    def slope_after(place: int) -> np.ndarray:
        return rise(value(place + 1, True) - value(place, True), place)

    rows: list[tuple[np.ndarray, float]] = [(value(mode, False) - value(mode, True), 0.0)]
    for place in range(m):
        for right, target in ((False, before[place]), (True, after[place])):
            rows += [
                (value(place, right) - distance, target),
                (-value(place, right) - distance, -target),
            ]
    rows += [(slope(p, False) - slope(p + 1, False), 0.0) for p in range(mode - 1)]
    rows += [(slope_after(p + 1) - slope_after(p), 0.0) for p in range(mode, m - 2)]
    rows += [(-slope(0, False), 0.0)] if mode > 0 else []
    rows += [(-slope_after(m - 2), 0.0)] if mode < m - 1 else []
    found = linprog(
        distance,
        A_ub=np.array([row for row, _ in rows]),
        b_ub=np.array([bound for _, bound in rows]),
        bounds=[(0, 1)] * (m + 2),
    )
    return float(found.fun or 0)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_what_the_definition_says(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 20))
    for values in (random.normal(size=n), random.integers(0, 6, n), random.beta(0.4, 0.4, n)):
        expected = max(from_the_definition(list(values)), 1 / (2 * n))
        assert dip(values) == pytest.approx(expected, abs=1e-7)


def test_by_hand() -> None:
    # two atoms: a line from one to the other misses each by 1/4; evenly spaced values 1/(2n)
    assert dip([0, 0, 1, 1]) == 0.25
    assert dip([3.0]) == 0.5
    assert dip(np.linspace(0, 1, 50)) == pytest.approx(0.01)
    assert dip([1, None, float("nan")]) == 0.5
    assert dip([]) is None


@given(st.lists(st.floats(0, 1).map(lambda x: round(x, 4)), min_size=4, max_size=40))
def test_it_knows_neither_place_nor_scale_nor_side(values: list[float]) -> None:
    found = dip(values)
    assert found is not None
    assert dip([1 - x for x in values]) == pytest.approx(found, abs=1e-6)
    assert dip([2 * x + 8 for x in values]) == pytest.approx(found, abs=1e-6)
    assert 1 / (2 * len(values)) - 1e-12 <= found <= 0.25 + 1e-12


def test_one_heap_is_not_rejected_and_two_are() -> None:
    random = np.random.default_rng(1)
    heap = random.normal(0, 1, 300)
    both = np.concatenate([random.normal(-2, 1, 150), random.normal(2, 1, 150)])
    assert (dip_test(heap).p or 0) >= 0.5
    assert (dip_test(both).p or 1) <= 0.01


def test_a_uniform_sample_is_rejected_as_often_as_it_should() -> None:
    random = np.random.default_rng(2)
    p = np.array([dip_test(random.random(60), jitter=False).p for _ in range(400)])
    # 400 samples: standard errors 0.011 and 0.02
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(p <= 0.2) == pytest.approx(0.2, abs=0.05)


@pytest.mark.parametrize(("gap", "height", "p"), PACKAGE)
def test_dip_and_p_are_those_of_the_package(gap: int, height: float, p: float) -> None:
    # computed with diptest 0.12.0, whose p comes from Maechler's table
    values = np.concatenate([np.arange(60) ** 1.1, gap + 60 + 1.3 * np.arange(40)])
    found = dip_test(values)
    assert found.statistic == pytest.approx(height, abs=1e-9)
    assert found.p == pytest.approx(p, rel=0.1)


def test_ties_are_parted_before_they_count_as_heaps() -> None:
    # two hundred ratings on three labels, one hump
    values = np.repeat([3.0, 4.0, 5.0], [40, 100, 60])
    assert (dip_test(values, jitter=False).p or 1) <= 0.001
    parted = dip_test(values)
    assert (parted.p or 0) > 0.05
    assert parted.note.endswith("200 of 200 values tied")
    assert dip_test(values) == parted


def test_too_little_is_no_test() -> None:
    assert dip_test([1, 2, 3]).p is None
    same = dip_test([4.0] * 30)
    assert (same.p, same.statistic) == (None, 0)
