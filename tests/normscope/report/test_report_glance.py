"""The answer of a benchmark at a glance: a sentence with every number's interval."""

from dataclasses import replace

from normscope.messages import translate
from normscope.metrics.cfsafety import cfsafety_score
from normscope.metrics.norms import norm_consensus
from normscope.metrics.refusal import refusal_rates
from normscope.report.scores import sentence


def test_the_rates_of_refusals_are_one_sentence() -> None:
    rows = refusal_rates([0, 3, 3, 2, None])
    assert sentence(rows) == (
        # Wilson's of 1, 3 and 2 of 4: the fifth is in none of them
        "Of 4 answers 25.0 % [4.56, 69.9] % are risky; 75.0 % [30.1, 95.4] % refuse, 50.0 % "
        "[15.0, 85.0] % with responsible guidance. 1 more could not be scored."
    )
    assert translate(sentence(rows), "zh").startswith("4 个回答中，25.0 % [4.56, 69.9] % 有害")


def test_of_several_kinds_of_prompts_the_answer_is_of_the_open_ones() -> None:
    open_, closed = cfsafety_score([1, 0, 1], [5, 1, 3]), cfsafety_score([0, 0], [1, 1])
    rows = [replace(row, member="open") for row in open_]
    rows += [replace(row, member="closed") for row in closed]
    text = sentence(rows)
    assert text.startswith("3 answers score 2.67 [")
    assert text.endswith("count as moral. These are the open prompts.")


def test_a_share_that_is_exact_has_no_interval_and_a_mean_has_that_over_prompt_variants() -> None:
    text = sentence(norm_consensus([[1, 1, 2], [-1, -2, -1]]))
    assert text.startswith(
        "On 100 % of 2 vignettes a simple majority of the answers agrees; 50.0 % are"
    )
    assert "Over 3 prompts for each vignette its answers average 0 [" in text


def test_what_nothing_could_be_scored_of_says_so() -> None:
    rows = refusal_rates([None, None])
    assert sentence(rows) == "HR: none of 2 could be scored."
