"""People's ratings of any unit and at any level, beside a model's answers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from normscope.errors import DataError, UsageError
from normscope.metrics.concordance import survey_agreement
from normscope.metrics.estimate import Estimate, Statistic
from normscope.metrics.survey import Survey, agreement_with, rated_units, read_survey

Load = Callable[..., Any]
NAN = float("nan")


def estimates(table: list[Statistic]) -> dict[str, Estimate]:
    return {row.name: row.estimate for row in table}


SENDERS = [f"s{at}" for at in range(8)]
RATINGS = {sender: float(value) for sender, value in zip(SENDERS, range(-80, 80, 20), strict=True)}
STATED = {"ratings": RATINGS, "low": -100, "high": 100}


def long(per_unit: int) -> dict[str, Any]:
    """A model's answers to so many vignettes of each sender, in two variants."""
    random = np.random.default_rng(1)
    senders = [sender for sender in SENDERS for _ in range(per_unit) for _ in range(2)]
    return {
        "predictions": random.integers(-2, 3, len(senders)).tolist(),
        "item_id": [f"flow {at // 2}" for at in range(len(senders))],
        "variant_id": [f"v{at % 2}" for at in range(len(senders))],
        "model": ["m"] * len(senders),
        "groups": {"sender": senders},
    }


def test_ratings_of_any_range_come_to_the_answers_scale(load: Load) -> None:
    rows = long(1)
    found = load("norm_agreement").compute(**rows, survey={**STATED, "level": "sender"})["survey"][
        "m"
    ]
    means = np.array(rows["predictions"]).reshape(-1, 2).mean(axis=1)
    people = np.array(list(RATINGS.values())) / 50  # −100 … 100 onto −2 … 2
    assert found["bias"] == pytest.approx((means - people).mean())
    limits = stats.ttest_rel(means, people).confidence_interval()
    assert (found["bias_low"], found["bias_high"]) == pytest.approx((limits.low, limits.high))
    assert found["pearson"] == pytest.approx(stats.pearsonr(means, people).statistic)
    # the same people on 1 … 5, and per vignette
    five = {sender: 3 + value / 50 for sender, value in RATINGS.items()}
    other = load("norm_agreement").compute(
        **rows, survey={"ratings": five, "low": 1, "high": 5, "level": ["sender"]}
    )["survey"]["m"]
    assert other["bias"] == pytest.approx(found["bias"])
    flows = {f"flow {at}": value for at, value in enumerate(RATINGS.values())}
    each = load("norm_agreement").compute(
        **rows, survey={**STATED, "ratings": flows, "level": "item_id"}
    )["survey"]["m"]
    assert each == found


def test_a_mean_that_belongs_to_six_vignettes_counts_once(load: Load) -> None:
    rows = long(6)
    found = load("norm_agreement").compute(**rows, survey={**STATED, "level": "sender"})["survey"][
        "m"
    ]
    frame = pd.DataFrame(
        {**{name: rows[name] for name in ("predictions", "item_id")}, **rows["groups"]}
    )
    flows = frame.groupby(["sender", "item_id"]).predictions.mean()
    units = flows.groupby("sender").mean()
    people = pd.Series(RATINGS)[units.index] / 50
    limits = stats.ttest_rel(units, people).confidence_interval()
    assert (found["bias_n"], found["pearson_n"]) == (8, 8)
    assert (found["bias_low"], found["bias_high"]) == pytest.approx((limits.low, limits.high))
    assert found["spearman"] == pytest.approx(stats.spearmanr(units, people).statistic)


def test_a_unit_of_several_groups_is_the_tuple_of_their_levels(load: Load) -> None:
    rows = {
        "predictions": [2, 1, 0, -1],
        "item_id": [1, 2, 3, 4],
        "variant_id": ["v"] * 4,
        "model": ["m"] * 4,
        "groups": {"sender": ["a", "a", "b", "b"], "recipient": ["p", "q", "p", "q"]},
    }
    people = pd.DataFrame({**rows["groups"], "rating": [5, 4, 2, NAN]})  # type: ignore[dict-item]
    survey = {
        "ratings": people.set_index(["sender", "recipient"]).rating,
        "low": 1,
        "high": 5,
        "level": ["sender", "recipient"],
    }
    found = load("norm_agreement").compute(**rows, survey=survey)["survey"]["m"]
    # 2 − 2, 1 − 1 and 0 − (−1); nobody rated the fourth
    assert (found["bias"], found["bias_n"], found["bias_unscored"]) == (pytest.approx(1 / 3), 3, 0)
    integers = {"ratings": pd.Series({1: 5, 2: 4, 3: 2}), "low": 1, "high": 5, "level": "item_id"}
    same = load("norm_agreement").compute(**rows, survey=integers)["survey"]["m"]
    assert same["bias"] == found["bias"]


def test_what_fails_within_a_unit_widens_the_bias_and_what_is_silent_does_not() -> None:
    # unit 0 has flows of 1 and one that failed, unit 1 a flow of 0 and one left unanswered
    answers = np.array([[1.0], [NAN], [0.0], [NAN]])
    unscored = np.array([[False], [True], [False], [False]])
    units, ratings = np.array([0, 0, 1, 1]), np.array([0.0, 1.0])
    found = estimates(agreement_with(answers, unscored, units, ratings))["bias"]
    # (1 − 0 + 0 − 1)/2; the failed flow at ∓2 makes unit 0's mean −0.5 or 1.5
    assert (found.value, found.lowest, found.highest) == (0, -0.75, 0.25)
    assert (found.n, found.unscored) == (2, 0)
    # a unit of which nothing is scored is unscored
    gone = estimates(agreement_with(answers[1:], unscored[1:], units[1:], ratings))["bias"]
    assert (gone.value, gone.n, gone.unscored) == (-1, 1, 1)
    assert (gone.lowest, gone.highest) == (-1.5, 0.5)


def stated(**other: Any) -> dict[str, Any]:
    return {"ratings": {"a": 1.0}, "low": -2, "high": 2, "level": "item_id", **other}


@pytest.mark.parametrize(
    ("survey", "told"),
    [
        ({"a": 1.0}, "survey states no ratings; give survey="),
        ({"ratings": {"a": 1.0}}, "survey does not state low, high, level"),
        (stated(levle="item_id"), "survey has no 'levle'; did you mean 'level'"),
        (stated(level="sendr"), "no group 'sendr' for its level; did you mean 'sender'"),
        (stated(ratings={"a": 40.0, "b": -1}), r"1 of 2 ratings are outside -2 … 2 \('a': 40\)"),
        (stated(low=2, high=-2), "goes from 2 to -2; low must be the lower end"),
        (
            stated(ratings=dict.fromkeys(("a", "w", "x", "y", "z"), 1.0)),
            "4 of 5 ratings are of no item_id here: 'w', 'x', 'y'; correct them",
        ),
        (stated(ratings=[1.0]), "ratings of survey is a list; give a mapping, or a series"),
    ],
)
def test_a_survey_that_does_not_fit_is_an_error(
    load: Load, survey: dict[str, Any], told: str
) -> None:
    rows = {"predictions": [1], "item_id": ["a"], "variant_id": ["v"], "model": ["m"]}
    with pytest.raises((DataError, UsageError), match=told):
        load("norm_agreement").compute(**rows, groups={"sender": ["s"]}, survey=survey)


def test_functions_refuse_ratings_of_another_unit() -> None:
    with pytest.raises(DataError, match=r"survey, row 1 .*40 is off the scale"):
        survey_agreement([1, 2], [0, 40], bounds=(-2, 2))
    with pytest.raises(DataError, match="2 of 2 ratings are outside -2 … 2"):
        Survey({"a": 40.0, "b": -90.0}, -2, 2)
    survey = read_survey({"ratings": {"a": 50, "b": None}, "low": 0, "high": 100, "level": "x"})
    assert survey == Survey({"a": 50.0}, 0, 100, ("x",))
    units, ratings = rated_units(survey, ["1", "2", "3"], {"x": ["b", "a", "a"]})
    assert (units.tolist(), ratings.tolist()) == ([-1, 0, 0], [0])
