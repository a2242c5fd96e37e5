"""A model's answers beside people's ratings of any unit, against scipy and by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from normscope.errors import DataError
from normscope.metrics.estimate import Estimate, Statistic
from normscope.metrics.survey import agreement_with, survey_agreement

NAN = float("nan")


def rows(table: list[Statistic]) -> dict[str, Estimate]:
    return {row.name: row.estimate for row in table}


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


def test_a_mean_that_belongs_to_six_vignettes_counts_once() -> None:
    answers = np.random.default_rng(1).integers(-2, 3, (48, 2)).astype(float)
    units, people = np.repeat(np.arange(8), 6), np.linspace(-1.6, 1.2, 8)
    found = rows(agreement_with(answers, np.zeros(answers.shape, bool), units, people))
    means = pd.Series(answers.mean(axis=1)).groupby(units).mean()
    limits = stats.ttest_rel(means, people).confidence_interval()
    assert (found["bias"].n, found["pearson"].n) == (8, 8)
    assert (found["bias"].low, found["bias"].high) == pytest.approx((limits.low, limits.high))
    assert found["spearman"].value == pytest.approx(stats.spearmanr(means, people).statistic)


def test_what_fails_within_a_unit_widens_the_bias_and_what_is_silent_does_not() -> None:
    # unit 0 has flows of 1 and one that failed, unit 1 a flow of 0 and one left unanswered
    answers = np.array([[1.0], [NAN], [0.0], [NAN]])
    unscored = np.array([[False], [True], [False], [False]])
    units, ratings = np.array([0, 0, 1, 1]), np.array([0.0, 1.0])
    found = rows(agreement_with(answers, unscored, units, ratings))["bias"]
    # (1 − 0 + 0 − 1)/2; the failed flow at ∓2 makes unit 0's mean −0.5 or 1.5
    assert (found.value, found.lowest, found.highest) == (0, -0.75, 0.25)
    assert (found.n, found.unscored) == (2, 0)
    # a unit of which nothing is scored is unscored
    gone = rows(agreement_with(answers[1:], unscored[1:], units[1:], ratings))["bias"]
    assert (gone.value, gone.n, gone.unscored) == (-1, 1, 1)
    assert (gone.lowest, gone.highest) == (-1.5, 0.5)


def test_ratings_off_the_answers_scale_are_refused() -> None:
    with pytest.raises(DataError, match=r"survey, row 1 .*40 is off the scale"):
        survey_agreement([1, 2], [0, 40], bounds=(-2, 2))
