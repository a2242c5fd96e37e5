"""Other thresholds of coverage, from the distributions that every judgement keeps."""

import math
from typing import Any

import pytest
from judged_rows import judgements_of

from normscope.judges.scale import Scale
from normscope.metrics.estimate import Estimate, Statistic
from normscope.pipeline.threshold import CriterionRead, by_threshold, criteria_of, read_again
from normscope.records.item import Item, Option, Turn
from normscope.records.journal import Row
from normscope.records.judgements import Judgements
from normscope.records.judging import CriterionUsed, Judging

RATING = CriterionRead(Scale(("1", "2"), (1.0, 2.0)), "mean")
KIND = CriterionRead(Scale(("0", "1"), (0.0, 1.0)), "mode")
CRITERIA = {("b", "rating"): RATING, ("b", "kind"): KIND}
OPTIONS = (Option("A", "x"), Option("B", "y"))
ITEM = Item("b", "1", (Turn("user", "q"),), "en", options=OPTIONS, answer="B")


def row(criterion: str, coverage: float | None, source: str = "judge_logits", **more: Any) -> Row:
    known = {
        "benchmark": "b",
        "criterion": criterion,
        "source": source,
        "labels": ["A", "B"],
        "probs": [0.25, 0.75],
        "coverage": coverage,
        "value": None,
        "reason": "low_coverage",
    }
    return known | more


def mean(judgements: Judgements) -> list[Statistic]:
    """The mean of the values there are, and how many there are not."""
    values = [value for value in judgements.value.tolist() if not math.isnan(value)]
    value = sum(values) / len(values) if values else None
    left = len(judgements) - len(values)
    estimate = Estimate(value, None, None, len(values), left, None, None, "these items", "exact")
    return [Statistic("mean", "score", estimate)]


def at(row: Row, threshold: float) -> tuple[float | None, str | None]:
    """The row's value and reason with this threshold."""
    moved = read_again(judgements_of([(ITEM, row)]), CRITERIA).at(threshold)
    value = moved.value.item()
    return None if math.isnan(value) else value, moved.reason.name(0)


@pytest.mark.parametrize(
    ("criterion", "source", "coverage", "value", "reason"),
    [
        # 1·0.25 + 2·0.75
        ("rating", "judge_logits", 0.5, 1.75, None),
        ("kind", "judge_logits", 0.5, 1.0, None),
        ("rating", "judge_logits", 0.4, None, "low_coverage"),
        ("option", "model_logits", 0.5, 1.0, None),
        ("option", "model_logits", 0.4, None, "off_scale"),
    ],
)
def test_a_judgement_is_read_again(
    criterion: str, source: str, coverage: float, value: float | None, reason: str | None
) -> None:
    assert at(row(criterion, coverage, source), 0.5) == (value, reason)


@pytest.mark.parametrize(
    ("criterion", "source", "coverage", "value", "reason"),
    [
        ("rating", "judge_logits", 0.5, 1.5, None),
        ("kind", "judge_logits", 0.5, None, "tie"),
        ("kind", "judge_logits", 0.4, None, "low_coverage"),
        ("option", "model_logits", 0.5, None, "ambiguous"),
        ("option", "model_logits", 0.4, None, "off_scale"),
    ],
)
def test_a_tie_that_is_read_again_is_one(
    criterion: str, source: str, coverage: float, value: float | None, reason: str
) -> None:
    assert at(row(criterion, coverage, source, probs=[0.5, 0.5]), 0.5) == (value, reason)


@pytest.mark.parametrize(
    "judged",
    [
        row("option", None, "text_rule", value=1.0, reason=None),
        row("rating", None, probs=None, reason="call_failed"),
        row("rating", 0.0, probs=None),
        row("of a rubric that is not known", 0.3),
    ],
)
def test_what_has_no_coverage_stays_as_it_is(judged: Row) -> None:
    assert at(judged, 0.99) == (judged["value"], judged["reason"])


def test_the_scores_at_each_threshold_and_at_the_one_that_was_used() -> None:
    pairs = [(ITEM, row("rating", coverage)) for coverage in (0.1, 0.4, 0.6, 0.95)]
    found = list(by_threshold(judgements_of(pairs), mean, criteria=CRITERIA, used=0.35))
    assert [(s.group, s.member, s.estimate.n) for s in found] == [
        ("min_coverage", "0.1", 4),
        ("min_coverage", "0.25", 3),
        ("min_coverage", "0.35", 3),
        ("min_coverage", "0.5", 2),
        ("min_coverage", "0.75", 1),
        ("min_coverage", "0.9", 1),
    ]
    assert {s.estimate.value for s in found} == {1.75}


def test_nothing_is_said_where_nothing_has_a_coverage() -> None:
    pairs = [(ITEM, row("option", None, "text_rule", value=1.0, reason=None))]
    assert list(by_threshold(judgements_of(pairs), mean, criteria=CRITERIA, used=0.5)) == []


def test_the_criteria_come_from_the_facts_of_the_judging() -> None:
    criterion = CriterionUsed("b", "r", 1, "x", "rating", ("1", "2"), (1.0, 2.0), "mean")
    assert criteria_of(Judging(criteria=(criterion,))) == {("b", "rating"): RATING}
    assert criteria_of(Judging()) == {}
