import numpy as np
import pytest
from scipy import stats

from normscope.errors import DataError, UsageError
from normscope.metrics.concordance import norm_agreement, survey_agreement
from normscope.metrics.estimate import Estimate, Statistic

NAN = float("nan")

# flows: same norm; other norm; one undecided; one silent
ONE: list[list[float]] = [[1, 1], [2, 2], [1, 1], [0, 0]]
OTHER: list[list[float]] = [[1, 1], [-1, -1], [2, -2], [NAN, NAN]]


def rows(table: list[Statistic]) -> dict[str, Estimate]:
    return {row.name: row.estimate for row in table if not row.group}


def test_agreement_by_hand() -> None:
    # both have a norm on two of four flows, and the same one on the first: 1/4, 2/4 and 1/2
    answered = {"x": np.zeros((4, 2), dtype=bool), "y": np.zeros((4, 2), dtype=bool)}
    found = rows(norm_agreement({"x": ONE, "y": OTHER}, unscored=answered))
    assert found["all_agree"].value == 0.25
    assert found["all_have_norm"].value == 0.5
    assert (found["all_agree_given"].value, found["all_agree_given"].n) == (0.5, 2)
    assert found["agree: x, y"].value == 0.25
    assert found["all_agree"].low == found["all_agree"].high == 0.25


def test_a_norm_that_hangs_on_unscored_answers_is_unscored() -> None:
    gaps = {"x": np.zeros((4, 2), dtype=bool), "y": np.isnan(np.array(OTHER))}
    found = rows(norm_agreement({"x": ONE, "y": OTHER}, unscored=gaps))["all_agree"]
    assert found.value == pytest.approx(1 / 3)
    assert (found.n, found.unscored) == (3, 1)
    assert (found.lowest, found.highest) == (0.25, 0.5)


def test_two_that_differ_settle_it_whatever_the_third_would_say() -> None:
    gaps = {"x": np.zeros((1, 1), bool), "y": np.zeros((1, 1), bool), "z": np.ones((1, 1), bool)}
    answers: dict[str, list[list[float]]] = {"x": [[1]], "y": [[-1]], "z": [[NAN]]}
    found = rows(norm_agreement(answers, unscored=gaps))
    assert (found["all_agree"].value, found["all_agree"].unscored) == (0, 0)
    assert found["agree: x, z"].unscored == 1


def test_models_are_compared_on_the_variants_that_all_of_them_were_asked() -> None:
    # y was asked the first two of three variants: there x's norm is 1, over all three none
    wide: dict[str, list[list[float]]] = {
        "x": [[1, 1, -1], [1, -1, 1]],
        "y": [[1, 1, NAN], [1, 1, NAN]],
        "z": [[1, 1, 1], [1, -1, 1]],
    }
    found = rows(norm_agreement(wide, threshold=0.7))
    assert (found["agree: x, y"].value, found["agree: x, z"].value) == (0.5, 0)
    assert found["agree: x, y"].method == "exact; 2 of 3 variants asked of all of them"
    assert found["agree: x, z"].method == "exact"
    assert (found["all_agree"].value, found["all_have_norm"].value) == (0.5, 0.5)
    # as published each norm is over the model's own variants
    own = rows(norm_agreement(wide, threshold=0.7, prompts="own"))
    assert (own["agree: x, y"].value, own["agree: x, z"].value) == (0, 0)
    assert own["agree: x, y"].method == "exact; each model over the variants that it was asked"
    assert own["agree: x, z"].method == "exact"
    apart = {"x": [[1, NAN], [1, NAN]], "y": [[NAN, 1], [NAN, 1]]}
    none = rows(norm_agreement(apart))["agree: x, y"]
    assert (none.value, none.unscored) == (None, 2)
    assert none.method.endswith("no variant was asked of all of them")


def test_more_models_agree_less() -> None:
    random = np.random.default_rng(1)
    answers = {name: random.choice([-1, 1], (200, 11), p=[0.4, 0.6]) for name in "abc"}
    found = rows(norm_agreement(answers, groups={"sender": ["x", "y"] * 100}))
    pairs = [found[f"agree: {pair}"].value for pair in ("a, b", "a, c", "b, c")]
    assert (found["all_agree"].value or 0) <= min(pair or 0 for pair in pairs)


def test_correlations_are_scipy_s() -> None:
    random = np.random.default_rng(2)
    survey = random.normal(0, 1, 60)
    model = np.round(survey + random.normal(0, 1, 60))
    found = rows(survey_agreement(model, survey))
    pearson = stats.pearsonr(model, survey)
    limits = pearson.confidence_interval()
    assert found["pearson"].value == pytest.approx(pearson.statistic)
    assert (found["pearson"].low, found["pearson"].high) == pytest.approx(tuple(limits))
    assert found["spearman"].value == pytest.approx(stats.spearmanr(model, survey).statistic)
    bias = stats.ttest_rel(model, survey).confidence_interval()
    assert (found["bias"].low, found["bias"].high) == pytest.approx((bias.low, bias.high))


def test_kendall_is_scipy_s_and_its_interval_by_hand() -> None:
    model, survey = [1, 2, 3, 4, 5, 6, 6, 2], [2, 1, 4, 3, 5, 6, 7, 2]
    found = rows(survey_agreement(model, survey))["kendall"]
    tau = stats.kendalltau(model, survey).statistic
    half = 1.959964 * (0.437 / 4) ** 0.5
    low, high = np.tanh(np.arctanh(tau) - half), np.tanh(np.arctanh(tau) + half)
    assert (found.value, found.low, found.high) == pytest.approx((tau, low, high), abs=1e-6)


def test_spearman_s_interval_by_hand() -> None:
    # ranks 1 2 3 4 5 against 2 1 4 3 5: r = 1 − 6 · 4/120 = 0.8; c² = 1.32
    found = rows(survey_agreement([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]))["spearman"]
    half = 1.959964 * (1.32 / 2) ** 0.5
    low, high = np.tanh(np.arctanh(0.8) - half), np.tanh(np.arctanh(0.8) + half)
    assert (found.value, found.low, found.high) == pytest.approx((0.8, low, high), abs=1e-6)


def test_flows_without_a_rating_are_left_out_and_counted() -> None:
    found = rows(survey_agreement([1, 2, 3, NAN], [1, 2, 3, 1]))
    assert (found["pearson"].value, found["pearson"].n, found["pearson"].unscored) == (1, 3, 1)
    assert found["pearson"].method == "no interval: fewer than 4 flows"
    flat = rows(survey_agreement([1, 1, 1], [1, 2, 3]))["pearson"]
    assert (flat.value, flat.method) == (None, "a column does not vary")
    assert rows(survey_agreement([], []))["bias"].value is None


def test_rated_flows_without_a_mean_bound_the_bias() -> None:
    found = rows(survey_agreement([1, 0, NAN, 2], [0, 0, 1, NAN], bounds=(-2, 2)))["bias"]
    # (1 + 0)/2; the third at −2 or 2 is −3 or 1: (1 + 0 − 3)/3 and (1 + 0 + 1)/3
    assert (found.value, found.lowest, found.highest) == pytest.approx((0.5, -2 / 3, 2 / 3))
    scored = stats.ttest_1samp([1, 0], 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((scored.low, scored.high))
    assert found.method == "t, over the scored"
    assert (found.n, found.unscored) == (2, 1)
    free = rows(survey_agreement([1, 0, NAN, 2], [0, 0, 1, NAN]))["bias"]
    assert (free.lowest, free.method) == (None, "t, over the scored")


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UsageError, match="needs two or more"):
        norm_agreement({"x": ONE})
    with pytest.raises(DataError, match="x 4, y 1"):
        norm_agreement({"x": ONE, "y": [[1, 1]]})
