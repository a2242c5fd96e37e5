import numpy as np
import pytest

from normscope.errors import DataError, UsageError
from normscope.metrics.answers import Answers
from normscope.metrics.concordance import norm_agreement
from normscope.metrics.estimate import Estimate, Statistic

NAN = float("nan")

# flows: same norm; other norm; one undecided; one silent
ONE: list[list[float]] = [[1, 1], [2, 2], [1, 1], [0, 0]]
OTHER: list[list[float]] = [[1, 1], [-1, -1], [2, -2], [NAN, NAN]]


def rows(table: list[Statistic]) -> dict[str, Estimate]:
    return {row.name: row.estimate for row in table if not row.group}


def test_agreement_by_hand() -> None:
    # both have a norm on two of four flows, and the same one on the first: 1/4, 2/4 and 1/2
    found = rows(norm_agreement({"x": ONE, "y": OTHER}))
    assert found["all_agree"].value == 0.25
    assert found["all_have_norm"].value == 0.5
    assert (found["all_agree_given"].value, found["all_agree_given"].n) == (0.5, 2)
    assert found["agree: x, y"].value == 0.25
    assert found["all_agree"].low == found["all_agree"].high == 0.25


def test_a_norm_that_hangs_on_unscored_answers_is_unscored() -> None:
    found = rows(norm_agreement({"x": ONE, "y": Answers.of(OTHER)}))["all_agree"]
    assert found.value == pytest.approx(1 / 3)
    assert (found.n, found.unscored) == (3, 1)
    assert (found.lowest, found.highest) == (0.25, 0.5)


def test_two_that_differ_settle_it_whatever_the_third_would_say() -> None:
    found = rows(norm_agreement({"x": [[1]], "y": [[-1]], "z": Answers.of([[NAN]])}))
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


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UsageError, match="needs two or more"):
        norm_agreement({"x": ONE})
    with pytest.raises(DataError, match="x 4, y 1"):
        norm_agreement({"x": ONE, "y": [[1, 1]]})
