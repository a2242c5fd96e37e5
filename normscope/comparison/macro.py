"""The difference of CFSafety's model averages: every category counts once, as in the paper's."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..metrics.groups import rows_by_level
from ..metrics.macro import mean_of_means
from .align import Aligned
from .outcomes import Outcome, difference
from .result import Contrast, Unscored

NAME = "macro_score"


def macro_contrast(aligned: Aligned, outcome: Outcome, first: int, second: int) -> Contrast | None:
    """The mean over categories of the paired differences of a score, second run less first.

    Described and not tested: what its interval is made of are the categories' own t intervals,
    squared and added. The values are each run's mean of category means over the items that both
    have scored. Null where the items are of one category.
    """
    kept = np.flatnonzero(outcome.kept)
    categories = aligned.rows.of_items("category")[kept]
    parts = [
        difference(outcome, first, second, clusters=aligned.rows.clusters, rows=kept[rows])
        for _, _, rows in rows_by_level({"category": categories}, len(kept))
    ]
    if len(parts) < 2:  # noqa: PLR2004 - one category has no mean of means
        return None
    low, high = outcome.bounds
    bounds = (low - high, high - low)
    whole = mean_of_means(
        [replace(p.estimate, low=p.unscored.low, high=p.unscored.high) for p in parts],
        bounds=bounds,
    )
    return Contrast(
        mean_of_means([part.estimate for part in parts], bounds=bounds, cases=False),
        Unscored(
            sum(part.unscored.pairs for part in parts),
            sum(part.unscored.in_both for part in parts),
            whole.low,
            whole.high,
        ),
        None,
        (_mean([part.values[0] for part in parts]), _mean([part.values[1] for part in parts])),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
