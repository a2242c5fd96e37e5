"""What moves an answer: the prompt variant, the order of the scale, or both."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.errors import DataError
from normscope.metrics.estimate import Estimate
from normscope.metrics.facets import (
    AGAIN,
    CHANGE,
    COMPONENT,
    HALF_SQUARE,
    ORDER,
    RESIDUAL,
    SHARE,
    VARIANT,
    VIGNETTE,
    facet_statistics,
    pair_sums,
    variance_components,
)
from normscope.metrics.reliability import label_counts, raw_agreement, variant_variance

NAN = float("nan")
TERMS = (
    (VIGNETTE,),
    (VARIANT,),
    (ORDER,),
    (VIGNETTE, VARIANT),
    (VIGNETTE, ORDER),
    (VARIANT, ORDER),
    (RESIDUAL,),
)
Array = np.ndarray


def crossed(variants: int, orders: int, times: int = 1) -> dict[str, Array]:
    """The facets of columns: variant by variant every order, each asked so many times."""
    return {
        VARIANT: np.arange(variants).repeat(orders * times),
        ORDER: np.tile(np.arange(orders).repeat(times), variants),
    }


def components(answers: Array, facets: dict[str, Array]) -> dict[tuple[str, ...], float | None]:
    flat = answers.reshape(len(answers), -1)
    return variance_components(pair_sums(flat, np.zeros(flat.shape, dtype=bool), facets))


def drawn(seed: int, shape: tuple[int, int, int], deviations: tuple[float, ...]) -> Array:
    """Effects of vignettes, variants, orders, of each two of them, and of all three."""
    random = np.random.default_rng(seed)
    n, variants, orders = shape
    shapes = [(n, 1, 1), (1, variants, 1), (1, 1, orders), (n, variants, 1), (n, 1, orders)]
    shapes += [(1, variants, orders), shape]
    result = np.zeros(shape)
    for sd, of in zip(deviations, shapes, strict=True):
        result += random.normal(0, sd, of)
    return result


def by_name(answers: Array, facets: dict[str, Array], **options: object) -> dict[str, Estimate]:
    columns = [list(map(str, facets[name])) for name in (VARIANT, ORDER)]
    rows = facet_statistics(answers, *columns, **options)  # type: ignore[arg-type]
    return {f"{row.name} {row.member}": row.estimate for row in rows}


@given(st.integers(0, 2**32 - 1), st.tuples(*[st.integers(2, 5)] * 3))
@settings(max_examples=30, deadline=None)
def test_in_a_complete_table_the_components_are_those_of_the_anova(
    seed: int, shape: tuple[int, int, int]
) -> None:
    x = np.random.default_rng(seed).integers(-2, 3, shape).astype(float)
    n, v, o = shape

    def effect(*kept: int) -> Array:
        """The table's means over the other indices, less all effects within."""
        means: Array = x.mean(axis=tuple(at for at in range(3) if at not in kept), keepdims=True)
        return means - sum(
            effect(*part) for part in ([], *([at] for at in kept)) if len(part) < len(kept)
        )

    def square(*kept: int) -> float:
        """A term's mean square."""
        degrees = np.prod([shape[at] - 1 for at in kept])
        return float(np.square(np.broadcast_to(effect(*kept), shape)).sum() / degrees)

    residual = x - sum(effect(*kept) for kept in ([], [0], [1], [2], [0, 1], [0, 2], [1, 2]))
    e = float(np.square(residual).sum() / ((n - 1) * (v - 1) * (o - 1)))
    both = {pair: square(*pair) for pair in ((0, 1), (0, 2), (1, 2))}
    expected = [
        (square(0) - both[0, 1] - both[0, 2] + e) / (v * o),
        (square(1) - both[0, 1] - both[1, 2] + e) / (n * o),
        (square(2) - both[0, 2] - both[1, 2] + e) / (n * v),
        *((both[0, 1] - e) / o, (both[0, 2] - e) / v, (both[1, 2] - e) / n, e),
    ]
    result = components(x, crossed(v, o))
    assert tuple(result) == TERMS
    assert list(result.values()) == pytest.approx(expected, abs=1e-9)


def test_known_components_come_out_where_cells_are_missing() -> None:
    deviations = (1.0, 0.7, 0.5, 0.6, 0.4, 0.3, 0.8)
    random = np.random.default_rng(5)
    estimates = []
    for seed in range(300):
        x = drawn(seed, (60, 11, 4), deviations)
        x[random.random(x.shape) < 0.3] = NAN
        # as of a model that was not asked some variants in some orders
        x[:, :3, 3] = NAN
        estimates.append(list(components(x, crossed(11, 4)).values()))
    table = np.array(estimates, dtype=float)
    error = table.std(axis=0, ddof=1) / np.sqrt(len(table))
    truth = np.square(deviations)
    assert (np.abs(table.mean(axis=0) - truth) < 3.5 * error).all()
    # those of many levels hardly vary from draw to draw, so that this can fail
    assert (error / truth)[[0, 3, 4, 6]].max() < 0.02


def test_a_prompt_asked_again_tells_chance_from_what_all_three_do() -> None:
    x = drawn(0, (4000, 5, 3), (0.5, 0, 0, 0, 0, 0, 0.6))
    twice = x[..., None] + np.random.default_rng(1).normal(0, 0.3, (*x.shape, 2))
    result = components(twice, crossed(5, 3, times=2))
    assert result[VIGNETTE, VARIANT, ORDER] == pytest.approx(0.36, rel=0.05)
    assert result[AGAIN,] == pytest.approx(0.09, rel=0.05)
    assert (RESIDUAL,) not in result


def test_pairs_by_hand() -> None:
    # columns v0a v0b v1a v1b; the first vignette's order moves nothing, its wording 2 → 0
    table = by_name(np.array([[2, 2, 0, 0], [1, -1, 1, NAN]]), crossed(2, 2), reasons="no_answer")
    values = {name: result.value for name, result in table.items()}
    # order alone: 2–2, 0–0, 1–−1; wording alone: 2–0, 2–0, 1–1; both: 2–0, 2–0, −1–1
    assert values[f"{CHANGE} {ORDER}"] == pytest.approx(1 / 3)
    assert values[f"{CHANGE} {VARIANT}"] == pytest.approx(2 / 3)
    assert values[f"{CHANGE} {VARIANT} × {ORDER}"] == 1
    assert values[f"{HALF_SQUARE} {ORDER}"] == pytest.approx(2 / 3)
    assert values[f"{HALF_SQUARE} {VARIANT} × {ORDER}"] == pytest.approx(2)
    counts = {(result.n, result.unscored, result.target) for result in table.values()}
    assert counts == {(2, 0, "new prompt variants")}
    # two prompt variants say nothing of others
    assert {result.low for result in table.values()} == {None}


def test_unscored_answers_widen_what_changes_and_a_silent_one_does_not() -> None:
    answers = np.array([[2, 2, 0, 0], [1, NAN, 1, NAN]])
    reasons = [[None] * 4, [None, "call_failed", None, "no_answer"]]
    change = by_name(answers, crossed(2, 2), reasons=reasons)
    order = change[f"{CHANGE} {ORDER}"]
    # of two pairs that are there none differs, the third has an unscored answer
    assert (order.value, order.lowest) == (0, 0)
    assert order.highest == pytest.approx(1 / 3)
    assert (order.n, order.unscored) == (1, 1)
    share = change[f"{SHARE} {VIGNETTE}"]
    assert (share.lowest, share.highest, share.unscored) == (None, None, 1)
    assert "over the scored" in share.method


def test_complete_pairs_are_those_of_all_variants_together() -> None:
    # of one order asked several times, what differs at all is what raw agreement leaves
    x = np.random.default_rng(2).integers(-2, 3, (50, 12)).astype(float)
    facets = {VARIANT: np.arange(6).repeat(2), ORDER: np.zeros(12, dtype=int)}
    table = by_name(x, facets)
    differing = 60 * (table[f"{CHANGE} {VARIANT}"].value or 0)
    differing += 6 * (table[f"{CHANGE} {AGAIN}"].value or 0)
    assert differing / 66 == pytest.approx(1 - (raw_agreement(*label_counts(x)) or 0))
    squares = 60 * (table[f"{HALF_SQUARE} {VARIANT}"].value or 0)
    squares += 6 * (table[f"{HALF_SQUARE} {AGAIN}"].value or 0)
    assert squares / 66 == pytest.approx(variant_variance(*label_counts(x)))
    assert f"{COMPONENT} {ORDER}" not in table


@given(st.integers(0, 2**32 - 1), st.floats(0, 0.6))
@settings(max_examples=25, deadline=None)
def test_shares_add_up_and_nothing_hangs_on_the_order_of_rows_and_columns(
    seed: int, missing: float
) -> None:
    random = np.random.default_rng(seed)
    x = random.integers(-2, 3, (8, 12)).astype(float)
    x[random.random(x.shape) < missing] = NAN
    facets = crossed(4, 3)
    table = by_name(x, facets, reasons="no_answer")
    shares = [e.value for name, e in table.items() if name.startswith(SHARE)]
    if None not in shares:
        assert sum(filter(None, shares)) == pytest.approx(1)
    for result in table.values():
        if result.value is not None and result.low is not None and result.high is not None:
            assert result.low <= result.value + 1e-9
            assert result.high >= result.value - 1e-9
    rows, columns = random.permutation(8), random.permutation(12)
    moved = {name: codes[columns] for name, codes in facets.items()}
    again = by_name(x[np.ix_(rows, columns)], moved, reasons="no_answer")
    assert again.keys() == table.keys()
    for name, result in table.items():
        other = again[name]
        for end in ("value", "low", "high"):
            assert getattr(other, end) == pytest.approx(getattr(result, end), abs=1e-9)


@pytest.mark.parametrize(
    ("facets", "what"),
    [
        ({VARIANT: np.zeros(4), ORDER: np.arange(4)}, "one prompt variant"),
        ({VARIANT: np.arange(4), ORDER: np.zeros(4)}, "each asked once"),
        ({VARIANT: np.arange(4), ORDER: np.arange(4)}, "an order for each"),
    ],
)
def test_there_is_nothing_to_split_where(facets: dict[str, Array], what: str) -> None:
    assert by_name(np.ones((3, 4)), facets) == {}, what


@pytest.mark.parametrize("fill", [lambda x: x * 0 + 1, lambda x: x * NAN])
def test_answers_that_do_not_vary_have_components_of_zero_and_no_shares(
    fill: Callable[[Array], Array],
) -> None:
    table = by_name(fill(np.ones((3, 12))), crossed(4, 3), reasons="no_answer")
    for name, result in table.items():
        if name.startswith(SHARE):
            assert result.value is None
        elif result.value is not None:
            assert result.value == 0


def test_a_component_below_zero_is_shown_and_counts_as_none() -> None:
    # a wording moves the two vignettes against one another: its mean stays where it is
    x = np.array([[2, 2, -2, -2], [-2, -2, 2, 2]])
    table = by_name(np.hstack([x, x]), crossed(4, 2))
    component, share = table[f"{COMPONENT} {VARIANT}"], table[f"{SHARE} {VARIANT}"]
    assert component.value is not None
    assert component.value < 0
    assert share.value == 0
    assert "below zero" in share.method


def test_names_of_another_length_are_refused() -> None:
    with pytest.raises(DataError, match="variants 2, orders 3, columns of answers 3"):
        facet_statistics([[1, 2, 0]], ["v0", "v1"], ["a", "b", "c"])
