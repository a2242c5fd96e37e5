"""Rogan and Gladen's correction: by hand, by an optimiser, by simulation; and what is refused."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from normscope.errors import DataError, UsageError
from normscope.metrics.intervals import wilson
from normscope.metrics.rogan_gladen import Counted, true_shares

MATRIX = np.array([[80.0, 10, 10], [5, 85, 10], [10, 20, 70]])


def test_two_labels_by_hand() -> None:
    # specificity 0.8, sensitivity 0.9, 41 of 100 positive: (0.41 − 0.2)/(0.8 + 0.9 − 1) = 0.3
    found = true_shares(Counted(np.array([[40.0, 10], [2, 18]])), [59, 41])
    assert found.shares == pytest.approx([0.7, 0.3])
    low, high = found.limits([0, 1])
    assert low < 0.3 < high


def test_inside_the_simplex_it_is_the_inverse() -> None:
    observed = np.array([0.3, 0.4, 0.3])
    rows = MATRIX / MATRIX.sum(axis=1, keepdims=True)
    found = true_shares(Counted(MATRIX), (1000 * observed).tolist())
    assert found.shares == pytest.approx(np.linalg.solve(rows.T, observed))
    assert found.condition == pytest.approx(
        np.linalg.norm(rows, 2) * np.linalg.norm(np.linalg.inv(rows), 2)
    )


@pytest.mark.parametrize("observed", [(0.02, 0.5, 0.48), (0.9, 0.05, 0.05), (0.0, 0.0, 1.0)])
def test_outside_it_is_the_nearest_point_of_the_simplex(observed: tuple[float, ...]) -> None:
    rows, seen = MATRIX / MATRIX.sum(axis=1, keepdims=True), np.array(observed)
    assert np.linalg.solve(rows.T, seen).min() < 0
    found = true_shares(Counted(MATRIX), (1000 * seen).tolist()).shares

    adds_up: Any = {"type": "eq", "fun": lambda shares: shares.sum() - 1}

    def distance(shares: Any) -> float:
        return float(1e3 * np.square(shares @ rows - seen).sum())

    known = minimize(
        distance,
        np.full(3, 1 / 3),
        bounds=[(0, 1)] * 3,
        constraints=adds_up,
        tol=1e-12,
    ).x
    assert found == pytest.approx(known, abs=1e-4)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)


def test_every_draw_is_in_the_simplex() -> None:
    found = true_shares(Counted(MATRIX / 10), [1, 30, 29])
    assert found.draws.min() >= 0
    assert found.draws.sum(axis=1) == pytest.approx(1)
    assert 0 < found.clipped < 1


def test_another_order_of_the_labels_is_another_order_of_the_shares() -> None:
    order = [2, 0, 1]
    observed = np.array([300.0, 400, 300])
    first = true_shares(Counted(MATRIX), observed.tolist())
    second = true_shares(Counted(MATRIX[np.ix_(order, order)]), observed[order].tolist())
    assert second.shares == pytest.approx(first.shares[order])


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({}, {"effective": 4.0}),
        ({}, {"design_effect": 4.0}),
        ({"scale": 100}, {}),
    ],
)
def test_less_that_is_known_of_the_judge_or_the_run_is_a_wider_interval(
    better: dict[str, float], worse: dict[str, float]
) -> None:
    def width(scale: float = 1, effective: float = 1, design_effect: float = 1) -> float:
        matrix = Counted(MATRIX * scale, effective)
        low, high = true_shares(matrix, [150, 200, 150], design_effect=design_effect).limits(
            [1, 0, 0]
        )
        return high - low

    assert width(**better) < 0.9 * width(**worse)


def test_the_same_seed_gives_the_same_draws() -> None:
    one, other = (true_shares(Counted(MATRIX), [3, 4, 3], seed=7).draws for _ in range(2))
    assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("matrix", "observed", "told"),
    [
        # rows 0.55 and 0.45: singular values 1 and 0.1
        ([[54, 46], [46, 54]], [5, 5], "condition number 12.5"),
        ([[50, 50], [50, 50]], [5, 5], "condition number"),
        ([[5, 5], [0, 0]], [5, 5], "label 2 of 2 nowhere"),
        ([[5, 1], [1, 5]], [0, 0], "gave no label"),
        ([[5, 1], [1, 5]], [1, 2, 3], "2 × 2 and 3 observed"),
        ([[5, -1], [1, 5]], [1, 2], "not negative"),
        (np.eye(9), [1] * 9, "from 2 to 8"),
    ],
)
def test_what_says_too_little_is_refused(matrix: object, observed: list[float], told: str) -> None:
    with pytest.raises(DataError, match=told):
        true_shares(Counted(np.asarray(matrix, dtype=float)), observed)


def test_a_design_effect_under_one_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        true_shares(Counted(MATRIX, 0.5), [1, 1, 1])


def test_the_intervals_cover_and_the_raw_ones_do_not() -> None:
    # what people call 0 … 3 and the judge's labels; a card of 60 answers of each kind
    rows = np.array([[0.8, 0.1, 0.05, 0.05], [0.1, 0.7, 0.1, 0.1], [0.0, 0.1, 0.8, 0.1],
                     [0.0, 0.1, 0.2, 0.7]])  # fmt: skip
    shares, runs = np.array([0.1, 0.3, 0.2, 0.4]), 200
    held, raw = np.zeros(4), np.zeros(4)
    for seed in range(runs):
        random = np.random.default_rng(seed)
        card = np.array([random.multinomial(60, row) for row in rows], dtype=float)
        seen = random.multinomial(800, shares @ rows)
        found = true_shares(Counted(card), seen.tolist(), resamples=300, seed=seed)
        for label in range(4):
            low, high = found.limits(np.eye(4)[label])
            held[label] += low <= shares[label] <= high
            known = wilson(seen[label], 800)
            raw[label] += known.low <= shares[label] <= known.high
    assert (held / runs).mean() >= 0.93
    assert (held / runs).min() >= 0.9
    assert (raw / runs).min() < 0.2
