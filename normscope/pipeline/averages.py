"""Rates over answers that belong together: an item's rotations, or all that share a wording."""

from collections.abc import Sequence

import numpy as np

from ..categorical import Categorical
from ..messages import marked, message
from ..metrics.estimate import Estimate, Target
from ..metrics.groups import first_seen
from ..metrics.inputs import Floats
from ..metrics.intervals import RATE
from ..metrics.rates import mean

OVER_ITEMS = marked("{method}, on the shares of {n} items ({answers} answers)")
OVER_WORDINGS = marked("{method}, on the shares of {n} wordings ({answers} answers)")


def averaged(
    outcomes: Floats, units: Sequence[str] | Categorical, *, target: Target, method: str
) -> Estimate:
    """The mean over the units of each unit's share of ones (1, 0, NaN for unscored).

    Every unit counts once, however many answers it has: an item with four options and four
    rotations no more than one with two. The interval is `mean`'s over the units, from the lower
    limit with every unscored answer 0 to the upper limit with every one 1; `n` counts units. What
    is said of it is the format string `method`.

    >>> codes = ["x", "x", "y"]
    >>> found = averaged(np.array([1, 0, 1.0]), codes, target="these items", method=OVER_ITEMS)
    >>> found.value, found.n  # (1/2 + 1)/2
    (0.75, 2)
    """
    codes, names = first_seen(units)
    rows = np.bincount(codes, minlength=len(names))

    def means(values: Floats) -> Floats:
        found: Floats = np.bincount(codes, weights=values, minlength=len(names)) / rows
        return found

    missing = np.isnan(outcomes)
    scored = np.bincount(codes, weights=~missing, minlength=len(names))
    low, high = (means(np.where(missing, bound, outcomes)) for bound in RATE)
    worst, best = mean(low, bounds=RATE), mean(high, bounds=RATE)
    known = scored > 0
    ones = np.bincount(codes, weights=np.where(missing, 0, outcomes), minlength=len(names))
    return Estimate(
        value=float((ones[known] / scored[known]).mean()) if known.any() else None,
        low=worst.low,
        high=best.high,
        n=int(known.sum()),
        unscored=int((~known).sum()),
        worst=worst.value,
        best=best.value,
        target=target,
        method=message(method, method=worst.method, n=len(names), answers=f"{len(outcomes):,}"),
        level=worst.level,
    )
