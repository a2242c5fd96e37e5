import itertools

import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError, UsageError
from normscope.metrics.factors import FactorEffects, factor_effects
from normscope.metrics.norms import norm_consensus

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
    assert found.balanced == (not drop)
    squares = [term.squares for term in found.terms]
    assert squares == pytest.approx(list(theirs["sum_sq"])[:-1])
    assert [term.degrees for term in found.terms] == list(theirs["df"])[:-1]


def test_by_hand() -> None:
    # means 2 and 0 for x, 0 and 0 for y: grand 0.5; sender ±0.5: 4 · 0.25; recipient the same;
    # both together (2 − 0.5 − 0.5 − 0.5)² = 0.25 in each of four cells; total 3
    factors = {"sender": list("xxyy"), "recipient": list("pqpq")}
    found = factor_effects([[2], [0], [0], [0]], factors)
    assert [term.squares for term in found.terms] == pytest.approx([1, 1, 1])
    assert [term.share.value for term in found.terms] == pytest.approx([1 / 3] * 3)
    assert found.residual_share == pytest.approx(0)
    means = {(row.group, row.member): row.estimate.value for row in found.means}
    assert means["sender", "x"] == 1
    assert means["recipient", "q"] == 0


def test_shares_of_a_balanced_design_add_up_with_what_is_left() -> None:
    found = factor_effects(*crossed())
    shares = [term.share.value or 0 for term in found.terms]
    assert sum(shares) + (found.residual_share or 0) == pytest.approx(1)
    assert all(share >= 0 for share in shares)


def test_level_means_are_over_variants() -> None:
    answers, factors = crossed(variants=11)
    found = factor_effects(answers, factors)
    row = next(row.estimate for row in found.means if row.member == "y")
    own = answers[[level == "y" for level in factors["sender"]]].mean(axis=0)
    theirs = stats.ttest_1samp(own, 0).confidence_interval()
    assert (row.low, row.high) == pytest.approx((theirs.low, theirs.high))
    assert (row.target, row.n) == ("new prompt variants", 11)


def test_level_means_are_those_of_the_norms_with_their_bounds() -> None:
    answers, factors = crossed(variants=5)
    answers[3, 1] = NAN
    answers[4, 2] = NAN
    reasons: list[list[str | None]] = [[None] * 5 for _ in answers]
    reasons[4][2] = "no_answer"
    means = {
        (row.group, row.member): row.estimate
        for row in factor_effects(answers, factors, reasons=reasons).means
    }
    norms = norm_consensus(answers, groups=factors, reasons=reasons)
    for row in norms:
        if row.group and row.name == "mean_acceptability":
            assert means[row.group, row.member] == row.estimate
    # item 3 is unscored in one of eight answers of a variant: 4 points of scale over 8, over 5
    x = means["sender", "x"]
    assert (x.highest or 0) - (x.lowest or 0) == pytest.approx(4 / 8 / 5)


def test_gaps_are_left_out_and_make_it_unbalanced() -> None:
    answers, factors = crossed()
    answers[3] = NAN
    found: FactorEffects = factor_effects(answers, {**factors, "recipient": factors["recipient"]})
    assert (found.flows, found.balanced, found.residual_share) == (23, False, None)
    factors["attribute"][0] = ""
    assert factor_effects(answers, factors).flows == 22


def test_what_does_not_vary_has_no_share() -> None:
    factors = {"sender": list("xxyy"), "recipient": list("pqpq")}
    found = factor_effects([[1]] * 4, factors)
    assert all(term.share.value is None for term in found.terms)
    empty = factor_effects([[NAN]] * 4, factors)
    assert empty.flows == 0
    assert all(row.estimate.value is None for row in empty.means)
    with pytest.raises(UsageError, match="no factors"):
        factor_effects([[1]], {})
    with pytest.raises(DataError, match="'sender' has 2 levels where there are 1 items"):
        factor_effects([[1]], {"sender": ["x", "y"]})
