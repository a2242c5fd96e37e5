import itertools

import numpy as np
import pytest

from normscope.errors import DataError, UsageError
from normscope.metrics.factors import factor_effects

NAN = float("nan")
CELLS = list(itertools.product("xyz", "pq", "1234"))


def crossed(drop: tuple[int, ...] = (), variants: int = 5, seed: int = 0) -> tuple:  # type: ignore[type-arg]
    kept = [cell for at, cell in enumerate(CELLS) if at not in drop]
    answers = np.random.default_rng(seed).integers(-2, 3, (len(kept), variants)).astype(float)
    names = ("sender", "recipient", "attribute")
    return answers, {name: [cell[at] for cell in kept] for at, name in enumerate(names)}


@pytest.mark.parametrize("drop", [(), (2, 7, 11)])
def test_sums_of_squares_are_those_of_statsmodels(drop: tuple[int, ...]) -> None:
    formula = pytest.importorskip("statsmodels.formula.api")
    anova = pytest.importorskip("statsmodels.stats.anova")
    pandas = pytest.importorskip("pandas")
    answers, factors = crossed(drop)
    frame = pandas.DataFrame({**factors, "value": answers.mean(axis=1)})
    terms = "sender + recipient + attribute + sender:recipient + sender:attribute"
    fit = formula.ols(f"value ~ {terms} + recipient:attribute", frame).fit()
    theirs = anova.anova_lm(fit, typ=2)
    found = factor_effects(answers, factors)
    total = np.square(frame["value"] - frame["value"].mean()).sum()
    shares = [row.estimate.value for row in found]
    assert shares == pytest.approx([square / total for square in theirs["sum_sq"][:-1]])
    assert all(("type II" in row.estimate.method) == bool(drop) for row in found)


def test_by_hand() -> None:
    # means 2 and 0 for x, 0 and 0 for y: grand 0.5; sender ±0.5: 4 · 0.25; recipient the same;
    # both together (2 − 0.5 − 0.5 − 0.5)² = 0.25 in each of four cells; total 3
    factors = {"sender": list("xxyy"), "recipient": list("pqpq")}
    found = factor_effects([[2], [0], [0], [0]], factors)
    assert [row.member for row in found] == ["sender", "recipient", "sender × recipient"]
    assert [row.estimate.value for row in found] == pytest.approx([1 / 3] * 3)


def test_gaps_are_left_out_and_make_it_unbalanced() -> None:
    answers, factors = crossed()
    answers[3] = NAN
    assert {row.estimate.n for row in factor_effects(answers, factors)} == {23}
    factors["attribute"][0] = ""
    found = factor_effects(answers, factors)
    assert {row.estimate.n for row in found} == {22}
    assert all("type II" in row.estimate.method for row in found)


def test_what_does_not_vary_has_no_share() -> None:
    factors = {"sender": list("xxyy"), "recipient": list("pqpq")}
    assert factor_effects([[1]] * 4, factors) == factor_effects([[NAN]] * 4, factors) == []
    with pytest.raises(UsageError, match="no factors"):
        factor_effects([[1]], {})
    with pytest.raises(DataError, match="'sender' has 2 levels where there are 1 items"):
        factor_effects([[1]], {"sender": ["x", "y"]})
