"""Statistics of paired judgements with hand-derived numbers, on runs made of plain rows."""

from dataclasses import replace
from io import StringIO

import pytest
from plain_runs import Answer, with_items
from plain_runs import judged_run as run_of
from rich.console import Console
from scipy import stats

from normscope.comparison import compare
from normscope.comparison.result import Difference
from normscope.messages import LANGUAGES
from normscope.records.run import Run
from normscope.report.blocks import Column
from normscope.report.comparison.page import comparison_page, difference_columns
from normscope.report.writers import markdown, terminal


def overall(first: Run, second: Run) -> dict[str, Difference]:
    return {row.statistic: row for row in compare([first, second]).rows if not row.group}


def test_a_rate_is_compared_over_discordant_items() -> None:
    # 6 items refused by b alone, 1 by a alone, 3 by both
    a = run_of("a", "q", {"refusal": [0.0] * 6 + [2.0] + [3.0] * 3})
    b = run_of("b", "q", {"refusal": [2.0] * 6 + [0.0] + [3.0] * 3})
    rows = overall(a, b)
    rr1 = rows["rr1"]
    assert (rr1.first_value, rr1.second_value) == (0.4, 0.9)
    assert rr1.estimate.value == pytest.approx(0.5)
    assert rr1.test is not None
    # 6 and 1 alone: z = 5/√7
    p = 2 * stats.norm.sf(5 / 7**0.5)
    assert rr1.test.p == pytest.approx(p)
    assert rr1.test.name == "McNemar's score"
    # of two runs there is one pair: nothing to correct
    assert rr1.p_adjusted == rr1.test.p
    # secondary are rr2 and hr; rr2 does not differ at all: p = 1, hr: the same p again, twice
    assert rows["rr2"].test is not None
    assert rows["rr2"].p_adjusted == 1
    assert rows["hr"].p_adjusted == pytest.approx(2 * p)
    assert [rows[name].role for name in ("rr1", "rr2", "hr")] == ["primary"] + ["secondary"] * 2


def test_silence_of_the_model_counts_and_failure_of_the_judge_does_not() -> None:
    a = run_of("a", "q", {"refusal": [3.0, 3.0, 3.0, 3.0]})
    b = run_of("b", "q", {"refusal": [3.0, "no_answer", "low_coverage", 3.0]})
    rr2 = overall(a, b)["rr2"]
    # scored in both: three items, of which b refused two
    assert (rr2.estimate.n, rr2.estimate.unscored) == (3, 1)
    assert rr2.estimate.value == pytest.approx(2 / 3 - 1)
    # the unscored one is a refusal or none: 2/4 − 1 to 3/4 − 1
    assert (rr2.estimate.lowest, rr2.estimate.highest) == (-0.5, -0.25)


def test_an_item_without_a_key_is_left_out_of_both() -> None:
    a = run_of("a", "mcq", {"option": [1.0, 0.0, "no_key", 1.0]})
    b = run_of("b", "mcq", {"option": [1.0, 1.0, "no_key", "off_scale"]})
    rows = overall(a, b)
    # three items with a key; an option off the scale is none: 2/3 against 2/3
    assert (rows["agreement"].estimate.n, rows["agreement"].estimate.unscored) == (3, 0)
    assert rows["agreement"].estimate.value == 0
    assert rows["answered"].estimate.value == pytest.approx(-1 / 3)


def test_a_score_is_the_product_of_its_criteria() -> None:
    a = run_of("a", "cf", {"moral": [0.5, 1.0, 0.2], "rating": [2.0, 4.0, 5.0]})
    b = run_of("b", "cf", {"moral": [1.0, 1.0, 0.8], "rating": [2.0, 4.0, 5.0]})
    rows = overall(a, b)
    # 1, 4, 1 against 2, 4, 4
    assert rows["score"].first_value == 2
    assert rows["score"].second_value == pytest.approx(10 / 3)
    # Pratt's ranks of 1, 0, 3 are 2, 1, 3: (2 + 3)/6
    assert rows["score"].test is not None
    assert rows["score"].test.effect == pytest.approx(5 / 6)
    # moral > 0.5: 1 of 3 (0.5 is not above 0.5) against 3 of 3
    assert rows["moral_share"].estimate.value == pytest.approx(2 / 3)
    assert rows["moral_share"].unit == "rate"


def test_the_interval_is_of_what_both_have_scored_as_p_is() -> None:
    # ten items scored in both, all a little better in b; thirty that b's judge failed at
    moral: list[Answer] = [0.5 + at / 100 for at in range(10)]
    more: list[Answer] = [0.7 + at / 90 for at in range(10)]
    a = run_of("a", "cf", {"moral": moral + [0.5] * 30, "rating": [5.0] * 40})
    b = run_of("b", "cf", {"moral": more + ["low_coverage"] * 30, "rating": [5.0] * 40})
    score = overall(a, b)["score"]
    theirs = stats.ttest_rel([5 * float(x or 0) for x in more], [5 * float(x or 0) for x in moral])
    limits = theirs.confidence_interval()
    assert (score.estimate.low, score.estimate.high) == pytest.approx((limits.low, limits.high))
    assert score.test is not None
    assert score.test.p == pytest.approx(theirs.pvalue)
    assert limits.low > 0
    # 30 of 40 at 0 or at 5: beside it, and not in it
    assert (score.estimate.n, score.unscored.pairs) == (10, 30)
    assert score.estimate.lowest is not None
    assert score.estimate.lowest < 0


def test_what_failed_in_both_for_one_reason_is_counted_apart_and_still_open() -> None:
    a = run_of("a", "q", {"refusal": [3.0, "low_coverage", "low_coverage", "call_failed", 0.0]})
    b = run_of("b", "q", {"refusal": [3.0, "low_coverage", "call_failed", 3.0, "no_answer"]})
    rr1 = overall(a, b)["rr1"]
    assert (rr1.unscored.pairs, rr1.unscored.in_both) == (3, 1)
    # two unscored in both, each 0 − 1 at worst and 1 − 0 at best; one in a alone, 1 − 1 or 1 − 0
    assert (rr1.estimate.lowest, rr1.estimate.highest) == pytest.approx((-2 / 5, 3 / 5))
    columns = difference_columns(rr1, gaps=True)
    assert columns[Column("unscored", "number")] == "3"


def test_silver_goes_wherever_the_number_goes() -> None:
    option = {"option": [1.0, 0.0, 1.0]}
    silver = [run_of(name, "mcq", option, answer_source="silver") for name in "ab"]
    given = run_of("b", "mcq", option, answer_source="user")
    assert set(overall(*silver)) == {"silver_agreement", "answered"}
    assert overall(*silver)["silver_agreement"].role == "primary"
    # as soon as one of the runs has the silver key
    assert "silver_agreement" in overall(silver[0], given)
    assert "agreement" in overall(given, run_of("a", "mcq", option, answer_source="user"))
    compared = compare(silver)
    printed = StringIO()
    terminal.show(comparison_page(compared), Console(file=printed, width=160))
    for text in (markdown.page(comparison_page(compared)), printed.getvalue()):
        assert "the silver key's option" in text
        assert "agreement with the key" not in text
    for language, word in zip(LANGUAGES, ("silver", "银标准"), strict=True):
        assert word in markdown.page(comparison_page(compared), language)


def formatted(name: str, moral: list[float], formats: list[str]) -> Run:
    run: Run = run_of(name, "cfsafety", {"moral": moral, "rating": [4.0] * len(moral)})
    items = [
        replace(item, facets={"item_format": one})
        for item, one in zip(run.items, formats, strict=True)
    ]
    changed: Run = with_items(run, items)
    return changed


def test_open_prompts_are_the_headline_and_closed_ones_stand_beside() -> None:
    formats = ["open", "open", "closed", "open", "closed"]
    a = formatted("a", [0.0, 1.0, 1.0, 0.5, 1.0], formats)
    b = formatted("b", [1.0, 1.0, 0.0, 0.5, 1.0], formats)
    rows = [row for row in compare([a, b]).rows if row.statistic == "score"]
    # open: 4, 4, 2 less 0, 4, 2; closed: 0, 4 less 4, 4
    assert [(r.member, r.role, r.estimate.n, r.first_value, r.second_value) for r in rows] == [
        ("open", "primary", 3, 2.0, pytest.approx(10 / 3)),
        ("closed", "secondary", 2, 4.0, 2.0),
    ]
    page = markdown.page(comparison_page(compare([a, b])))
    assert "| **score (open)** (primary) |" in page
    assert "| score (closed) |" in page
