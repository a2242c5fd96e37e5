"""The norm of each vignette, its votes, and why it has none."""

from pathlib import Path
from random import Random

import numpy as np
import pyarrow.compute as pc
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pyarrow import csv

from normscope.metrics.majority import LIKERT, majority
from normscope.metrics.vignette_norms import NormState, vignette_norms

REPLY = st.sampled_from([*LIKERT, np.nan])
MATRICES = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 12)), elements=REPLY)


@given(MATRICES, st.randoms(use_true_random=False))
def test_votes_gaps_and_states_add_up(answers: np.ndarray, random: Random) -> None:
    lost = np.array([[random.random() < 0.5 for _ in row] for row in answers], dtype=bool)
    made = vignette_norms(answers, lost & np.isnan(answers), requested=True)
    np.testing.assert_array_equal(made.votes.sum(axis=1), made.valid)
    np.testing.assert_array_equal(made.valid + made.silent + made.unscored, answers.shape[1])
    decided = made.states <= NormState.STRONGLY_ACCEPTABLE
    np.testing.assert_array_equal(made.norm[decided], made.states[decided] + LIKERT[0])
    assert np.isnan(made.norm[~decided]).all()
    np.testing.assert_array_equal(made.norm, majority(answers, requested=True))
    # a super majority is a simple one as well
    both = ~np.isnan(made.super)
    np.testing.assert_array_equal(made.super[both], made.simple[both])


def test_the_shares_of_all_vignettes_are_counted_from_these() -> None:
    answers = np.array([[2.0, 2, 2], [-1, -1, 1], [1, -1, 0], [0, np.nan, np.nan]])
    outcomes = vignette_norms(answers, np.zeros(answers.shape, bool)).outcomes
    assert {name: column.tolist() for name, column in outcomes.items()} == {
        "simple_majority": [1, 1, 0, 0],
        "super_majority": [1, 1, 0, 0],
        "undecided": [0, 0, 1, 0],
        "no_answer": [0, 0, 0, 1],
        "unanimous": [1, 0, 0, 0],
        "accept_share": [1, 0, 0, 0],
        "reject_share": [0, 1, 0, 0],
        "neutral_share": [0, 0, 0, 0],
    }


def test_the_norms_that_the_authors_released_come_out_with_their_counts(sources: Path) -> None:
    released = csv.read_csv(sources / "privacy-bias" / "reference_iot_answers_5models.csv.gz")
    prompts = [name for name in released.column_names if name.startswith("p#")]
    for model in pc.unique(released["model"]).to_pylist():
        of_model = released.filter(pc.equal(released["model"], model))
        answers = np.column_stack([of_model[name].to_numpy() for name in prompts])
        made = vignette_norms(answers, np.zeros(answers.shape, bool), rule="published")
        assert len(made.norm) == 6912
        np.testing.assert_array_equal(made.simple, of_model["majority"].to_numpy())
        np.testing.assert_array_equal(made.super, of_model["majority_67"].to_numpy())
        np.testing.assert_array_equal(made.valid, of_model["num_responses"].to_numpy())
