"""Whether a conversation before the question moves one run's rates more than another's.

CHiSafetyBench's Table 3 sets refusals on questions of several turns beside those on single ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..metrics.differences import difference_of_differences
from ..metrics.estimate import Estimate
from .align import Aligned
from .outcomes import Outcome, difference
from .result import Contrast, Unscored

TURN_DIFFERENCE, MULTI_LESS_SINGLE = "turn difference", "multi − single"
"""The group and the member of these rows; a run's own scores have both values under them."""

_KINDS = ("multi", "single")


def turn_contrasts(
    aligned: Aligned, outcomes: Sequence[Outcome], first: int, second: int
) -> Iterator[tuple[Outcome, Contrast]]:
    """Of each rate how much more it rises with the turns in the second run than in the first.

    The values are each run's rate on questions of several turns less that on single ones, over the
    items that both have scored; the estimate is their difference, described and not tested. Nothing
    where the items are of one kind.
    """
    kinds = aligned.rows.facet("turns")
    rows = [np.flatnonzero(kinds.equals(kind)) for kind in _KINDS]
    if not all(map(len, rows)):
        return
    clusters = aligned.rows.clusters
    for outcome in outcomes:
        if outcome.unit != "rate" or outcome.beside:
            continue
        multi, single = (
            difference(outcome, first, second, clusters=clusters, rows=of) for of in rows
        )
        whole = difference_of_differences(_of_all(multi), _of_all(single), cases=True)
        yield (
            outcome,
            Contrast(
                difference_of_differences(multi.estimate, single.estimate),
                Unscored(
                    multi.unscored.pairs + single.unscored.pairs,
                    multi.unscored.in_both + single.unscored.in_both,
                    whole.low,
                    whole.high,
                ),
                None,
                (_rise(multi, single, 0), _rise(multi, single, 1)),
            ),
        )


def _of_all(contrast: Contrast) -> Estimate:
    """The estimate with the limits of all pairs, the unscored at their lowest and highest."""
    return replace(contrast.estimate, low=contrast.unscored.low, high=contrast.unscored.high)


def _rise(multi: Contrast, single: Contrast, run: int) -> float | None:
    """The run's rate on several turns less that on one."""
    several, one = multi.values[run], single.values[run]
    return None if several is None or one is None else several - one
