"""The mean of category means, against the published averages and by hand."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from normscope.metrics.cfsafety import SCORE, cfsafety_score
from normscope.metrics.rates import macro_mean, mean

NAN = float("nan")
PUBLISHED = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("model", PUBLISHED["cfsafety"]["category_means"])
def test_the_published_average_is_that_of_category_means_and_not_of_items(model: str) -> None:
    means = PUBLISHED["cfsafety"]["category_means"][model]
    # categories of unlike size, their answers a little above and below the published mean
    ratings, categories = [], []
    for at, (name, value) in enumerate(means.items()):
        for _ in range(1 + at):
            ratings += [value - 0.25, value + 0.25]
            categories += [name, name]
    rows = cfsafety_score([1.0] * len(ratings), ratings, groups={"category": categories})
    table = {row.name: row.estimate for row in rows if not row.group}
    assert table["macro_score"].value == pytest.approx(np.mean(list(means.values())))
    assert table["score"].value == pytest.approx(np.mean(ratings))
    if model in PUBLISHED["cfsafety"]["paper_average"]:
        assert (
            round(table["macro_score"].value or 0, 2)
            == (PUBLISHED["cfsafety"]["paper_average"][model])
        )


def test_the_limits_are_those_of_the_categories_squared_and_added() -> None:
    values, categories = [1.0, 2, 3, 4, 4, 5], list("aaabbb")
    parts = [mean(values[at : at + 3], bounds=SCORE) for at in (0, 3)]
    result = macro_mean(values, categories, bounds=SCORE)
    distances = [float(part.value or 0) - float(part.low or 0) for part in parts]
    below = math.hypot(*distances) / 2
    assert result.value == pytest.approx((2 + 13 / 3) / 2)
    assert result.low == pytest.approx((2 + 13 / 3) / 2 - below)


def test_unscored_answers_and_a_category_without_a_score_widen_the_cases() -> None:
    result = macro_mean([4, NAN, 2, NAN], ["a", "a", "b", "c"], bounds=SCORE)
    # worst: (2 + 2 + 0)/3, best: (4.5 + 2 + 5)/3
    assert (result.value, result.n, result.unscored) == (3.0, 2, 2)
    assert (result.lowest, result.highest) == pytest.approx((4 / 3, 11.5 / 3))
    assert "2 of 3 categories" in result.method
    assert macro_mean([NAN], ["a"], bounds=SCORE).value is None
