"""A criterion of which nothing but its scale is known: its level, and the shares of its labels."""

from typing import Any

import numpy as np

from normscope.metrics.criterion import criterion_score
from normscope.metrics.estimate import Estimate

LABELS = ("rude", "fair", "polite")


def table(*columns: Any, **how: Any) -> dict[str, Estimate]:
    rows = criterion_score(*columns, name="tone", labels=LABELS, worth=(1, 2, 3), **how)
    return {row.name: row.estimate for row in rows if not row.group}


def test_what_we_failed_at_is_unscored_and_what_was_not_answered_has_no_label() -> None:
    result = table(
        [3, np.nan, np.nan], ["polite", None, None], reasons=[None, "no_answer", "low_coverage"]
    )
    level = result["criterion:tone"]
    assert (level.value, level.n, level.unscored) == (3.0, 1, 2)


def test_a_verdict_whose_likeliest_labels_are_tied_has_a_level_and_no_label() -> None:
    result = table([2, 3], [None, "polite"])
    level, share = result["criterion:tone"], result["criterion:tone:polite"]
    assert (level.value, level.n, level.unscored) == (2.5, 2, 0)
    assert (share.value, share.n, share.unscored) == (1.0, 1, 1)
