"""A criterion of which nothing but its scale is known: its level, and the shares of its labels."""

from typing import Any

import numpy as np
import pytest

from normscope.errors import DataError
from normscope.metrics.criterion import criterion_score, level_name
from normscope.metrics.estimate import Estimate

LABELS = ("rude", "fair", "polite")


def table(*columns: Any, **how: Any) -> dict[str, Estimate]:
    rows = criterion_score(*columns, name="tone", labels=LABELS, worth=(1, 2, 3), **how)
    return {row.name: row.estimate for row in rows if not row.group}


def test_the_level_is_the_mean_on_the_scale_and_shares_are_of_the_answers() -> None:
    result = table([1.5, 3, 3, 1], ["fair", "polite", "polite", "rude"])
    assert result[level_name("tone")].value == 2.125
    assert [result[f"criterion:tone:{label}"].value for label in LABELS] == [
        0.25,
        0.25,
        0.5,
    ]


def test_what_we_failed_at_is_unscored_and_what_was_not_answered_has_no_label() -> None:
    result = table(
        [3, np.nan, np.nan], ["polite", None, None], reasons=[None, "no_answer", "low_coverage"]
    )
    level, share = result["criterion:tone"], result["criterion:tone:polite"]
    assert (level.value, level.n, level.unscored) == (3.0, 1, 2)
    # the worst and the best that two unscored answers could have been
    assert [level.lowest, level.highest] == pytest.approx([5 / 3, 3.0])
    assert (share.value, share.n, share.unscored) == (0.5, 2, 1)
    assert [share.lowest, share.highest] == pytest.approx([1 / 3, 2 / 3])


def test_a_verdict_whose_likeliest_labels_are_tied_has_a_level_and_is_unscored_in_the_shares() -> (
    None
):
    result = table([2, 3], [None, "polite"])
    level, share = result["criterion:tone"], result["criterion:tone:polite"]
    assert (level.value, level.n, level.unscored) == (2.5, 2, 0)
    assert (share.value, share.n, share.unscored) == (1.0, 1, 1)


def test_a_verdict_below_the_threshold_keeps_its_label_out_of_the_shares() -> None:
    result = table([np.nan, 3], ["rude", "polite"], reasons=["low_coverage", None])
    assert result["criterion:tone:rude"].value == 0.0
    assert result["criterion:tone:rude"].n == 1


def test_a_value_beyond_the_scale_and_labels_without_values_are_refused() -> None:
    with pytest.raises(DataError, match="tone"):
        table([4], ["polite"])
    with pytest.raises(DataError, match="2 labels and 1 values"):
        criterion_score([1], ["a"], name="tone", labels=("a", "b"), worth=(1,))
