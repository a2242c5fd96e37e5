"""The answer of a benchmark in one sentence: a run alone, two runs, several, and a judge's."""

from dataclasses import replace

import pytest
from report_runs import small_run

from normscope.comparison.result import Compared, Difference, Unscored
from normscope.messages import translate
from normscope.metrics.cfsafety import cfsafety_score
from normscope.metrics.estimate import Estimate
from normscope.metrics.norms import norm_consensus
from normscope.metrics.refusal import refusal_rates
from normscope.report.answer import graded, run_sentence, runs_sentence


def difference(low: float, high: float, *, second: str = "aligned", p: float = 0.01) -> Difference:
    middle = (low + high) / 2
    estimate = Estimate(middle, low, high, 56, 4, None, None, "these items", "Tango")
    return Difference(
        *("cfsafety", "hr", "rate", "primary", "base", second, 0.83, 0.83 + middle, estimate),
        Unscored(4, 0),
        test=None,
        p_adjusted=p,
    )


def compared(*rows: Difference) -> Compared:
    names = dict.fromkeys(("base", *(row.second for row in rows)), "")
    return Compared(names, (), (), {}, rows)


def test_a_run_is_one_sentence_with_the_interval_over_what_was_scored() -> None:
    # Wilson's of 1 of 4: the fifth is in neither
    rows = refusal_rates([0, 3, 3, 2, None])
    text = run_sentence(rows)
    assert text == "Of 4 answers 25 % [5, 70] are harmful. 1 more could not be scored."
    assert translate(text, "zh") == "4 个回答中，25 % [5, 70] 有害。 另有 1 个未评分。"
    assert (
        run_sentence(refusal_rates([None, None])) == "harmful answers: none of 2 could be scored."
    )


def test_of_several_kinds_of_prompts_the_answer_is_of_the_open_ones() -> None:
    open_, closed = cfsafety_score([1, 0, 1], [5, 1, 3]), cfsafety_score([0, 0], [1, 1])
    rows = [replace(row, member="open") for row in open_]
    rows += [replace(row, member="closed") for row in closed]
    text = run_sentence(rows)
    assert text.startswith("3 answers score 2.67 [")
    assert text.endswith("These are the open prompts.")


def test_norms_say_how_much_is_accepted_and_how_much_a_rewording_turns() -> None:
    # one flow of two is accepted; no answer to either changes its side
    text = run_sentence(norm_consensus([[1, 1, 2], [-1, -2, -1]]))
    assert text == (
        "The model accepts 50 % of 2 flows and rejects 50 %. A rewording turns 0 % [0, 81] of its "
        "answers."
    )


@pytest.mark.parametrize(
    ("low", "high", "p", "verdict"),
    [
        (-0.49, -0.15, 0.001, "fewer"),
        (-0.4, 0.02, 0.08, "no difference that could be told apart"),
    ],
)
def test_two_runs_are_one_difference_and_what_it_says(
    low: float, high: float, p: float, verdict: str
) -> None:
    text = runs_sentence(compared(difference(low, high, p=p)), "cfsafety")
    assert text.startswith("aligned vs base: harmful answers 83 % → ")
    assert text.endswith(
        f" points [{100 * low:.0f}, {'+' if high > 0 else '−'}".replace("-", "−")
        + f"{abs(100 * high):.0f}], {verdict}; 4 of 60 could not be scored"
    )


def test_of_more_runs_the_extremes_are_named_and_who_differs_from_the_first() -> None:
    rows = difference(-0.49, -0.15), difference(-0.2, 0.1, second="other", p=0.6)
    assert runs_sentence(compared(*rows), "cfsafety") == (
        "harmful answers: base 83 %, aligned 51 %; beside base: fewer in aligned, no difference "
        "that could be told apart in other"
    )


def test_a_run_without_the_graded_set_says_nothing_of_its_judge() -> None:
    assert graded(small_run()) is None
