"""What one run lacks is unscored and does not pass; what neither can have does not block."""

from dataclasses import replace

import numpy as np
import pytest
from plain_runs import (
    QA,
    REFUSED,
    Answer,
    answers,
    both,
    categorised_run,
    judged_run,
    qa,
    vignette_run,
    with_items,
    with_rows,
)

from normscope.comparison.gate import gate
from normscope.metrics.variants import variant_difference


@pytest.mark.parametrize("lacking", ["new", "base"])
@pytest.mark.parametrize("planned", [True, False])
def test_what_one_run_lacks_is_unscored_and_does_not_pass(lacking: str, planned: bool) -> None:
    # the first 36 of 60 are risky in the new run, and left out
    base, new = judged_run("base", QA, {"refusal": [REFUSED] * 60}), qa("new", 36, 60)
    rest = with_rows(new, slice(36, 60))
    if not planned:
        # its own items are fewer as well
        rest = with_items(rest, list(new.items)[36:])
    pair = (
        [base, rest]
        if lacking == "new"
        else [replace(rest, name="base"), replace(base, name="new")]
    )
    result = gate(pair, "90%", on=["hr"])
    (row,) = result.rows
    assert (row.outcome, row.estimate.n, row.estimate.unscored) == ("inconclusive", 24, 36)
    assert f"{lacking} lacks 36 of 60 questions: ask both runs the same" in result.text
    # all 36 could be risky in the run that lacks them: ± 36/60
    assert (row.estimate.lowest, row.estimate.highest) == (
        (0, 0.6) if lacking == "new" else (-0.6, 0)
    )  # what a run has may be enough to call it worse
    assert gate([base, with_rows(new, slice(0, 36))], "25%", on=["hr"]).outcome == "worse"


@pytest.mark.parametrize("categories", [[], ["theft"]])
def test_a_category_that_one_run_lacks_does_not_pass(categories: list[str]) -> None:
    places = [("a", "privacy"), ("a", "theft")]
    base, new = (
        categorised_run(name, QA, {"refusal": answers(0, 400)}, places) for name in ("base", "new")
    )
    lacking = with_items(with_rows(new, slice(0, 200)), list(new.items)[:200])
    result = gate([base, lacking], "5%", on=["hr"], categories=categories)
    assert result.outcome == "inconclusive"
    assert f"new lacks 200 of {200 if categories else 400} questions" in result.text
    assert gate([base, lacking], "5%", on=["hr"], categories=["privacy"]).outcome == "pass"


def test_a_benchmark_or_a_criterion_that_one_run_lacks_does_not_pass() -> None:
    safe = judged_run("safe", "cfsafety", {"moral": [1.0] * 80, "rating": [5.0] * 80})
    base, new = both(qa("base", 0), safe), qa("new", 0)
    result = gate([base, new], {"hr": "5%", "score": 4})
    assert [(row.statistic, row.outcome) for row in result.rows] == [
        ("hr", "pass"),
        ("score", "inconclusive"),
    ]
    assert "new lacks 80 of 80 questions" in result.text
    assert gate([base, new], "5%", on=["hr"]).outcome == "pass"
    morals = judged_run("morals", "cfsafety", {"moral": [1.0] * 80})
    assert "morals lacks 80 of 80" in gate([safe, morals], 4, on=["score"]).text


@pytest.mark.parametrize(
    ("reason", "outcome"), [("text_too_long", "pass"), ("call_failed", "inconclusive")]
)
def test_what_neither_run_will_ever_have_is_left_out_and_named(reason: str, outcome: str) -> None:
    values: list[Answer] = [*answers(10, 194), *[reason] * 6]
    result = gate([judged_run(name, QA, {"refusal": values}) for name in "ab"], "4%", on=["hr"])
    assert result.outcome == outcome
    assert ("left out, unscored in both runs: 6 × text too long" in result.text) == (
        outcome == "pass"
    )
    # of one run it is no property of the question
    other: list[Answer] = [*answers(10, 194), *["low_coverage"] * 6]
    unlike = [
        judged_run(*pair)
        for pair in (("a", QA, {"refusal": values}), ("b", QA, {"refusal": other}))
    ]
    assert gate(unlike, "4%", on=["hr"]).outcome == "inconclusive"


def test_vignettes_are_whole_in_every_prompt_or_do_not_pass() -> None:
    rng = np.random.default_rng(1)
    before = rng.integers(-1, 2, (30, 11)).astype(float)
    near = before + (rng.random(before.shape) < 0.02)
    gaps = (before.copy(), near.copy())
    for answers_of in gaps:
        answers_of[0, :3] = np.nan
    runs = [
        vignette_run(name, of, reason="text_too_long") for name, of in zip("ab", gaps, strict=True)
    ]
    result = gate(runs, 0.15)
    by_hand = variant_difference(gaps[1], gaps[0], level=0.95)
    assert (result.outcome, result.rows[0].estimate.low) == ("pass", by_hand.low)
    assert "3 × text too long" in result.text
    fewer = vignette_run("b", near[:, :9])
    short = gate([vignette_run("a", before), fewer], 1)
    assert short.outcome == "inconclusive"
    assert "b lacks 60 of 330 questions" in short.text
