"""Whether a difference is within a margin that was stated before, and how many pairs would tell.

Non-inferiority is shown where the worse end of the interval is better than the margin; an interval
that lies wholly beyond the margin shows the contrary, and any other one shows nothing (G. Piaggio
et al.: "Reporting of noninferiority and equivalence randomized trials", JAMA 308, 2012, Figure).
Both are one-sided tests, so that an interval at the level 1 − 2α goes with tests at α.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.special import nctdtr, ndtr, stdtrit

from ..errors import UsageError
from .definitions import Better
from .groups import Clusters, cluster_codes
from .inputs import Column, numbers
from .intervals import Bounds, normal, spread

ALPHA = 0.05
POWER = 0.8

Outcome = Literal["pass", "worse", "inconclusive"]

MOST_UNITS = 10**9
"""What would take more pairs than these is settled by no number of them."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of what is to be shown: that the mean of differences lies on this side of a `limit`.

    `above`: over it. `count` clusters, or values on their own, have the standard deviation `sd`;
    `reach` is the distance from their mean to the end of the scale beyond the limit.
    """

    distance: float
    sd: float
    reach: float
    count: int

    @classmethod
    def of(
        cls,
        differences: Column,
        limit: float,
        *,
        above: bool,
        bounds: Bounds,
        clusters: Clusters | None = None,
    ) -> "Bound | None":
        """The bound of differences without gaps; null where one cluster says nothing of others."""
        values = numbers(differences, "differences")
        result = spread(values, cluster_codes(clusters, len(values)))
        if result.error is None:
            return None
        way = 1 if above else -1
        return cls(
            distance=way * (result.mean - limit),
            sd=result.error * math.sqrt(result.count),
            reach=abs(result.mean - bounds[0 if above else 1]),
            count=result.count,
        )

    def chance(self, n: int, alpha: float) -> float:
        """The chance that n clusters show it if the mean is as it was seen.

        1 − F(t; n − 1, √n · distance/sd), F the noncentral t's and t the 1 − α quantile. Where
        nothing varies the limit is that of `mean_interval`: shown from n > z² (reach/distance − 1).
        """
        if self.distance <= 0:
            return 0.0
        if self.sd == 0:
            z = normal(1 - 2 * alpha)
            return float(n > z * z * (self.reach / self.distance - 1))
        quantile, centre = -stdtrit(n - 1, alpha), math.sqrt(n) * self.distance / self.sd
        below = float(nctdtr(n - 1, centre, quantile))
        # far out scipy has no number for it, and there the normal is as good
        return float(ndtr(centre - quantile)) if math.isnan(below) else 1 - below


def outcome(low: float, high: float, margin: float, better: Better) -> Outcome:
    """What the interval of a difference, new less old, says of a margin.

    `better` is where the statistic is better. Without a direction the difference may be as large as
    the margin either way. An end that lies on the margin settles nothing.

    >>> outcome(-0.01, 0.03, 0.02, "higher"), outcome(-0.01, 0.03, 0.02, "lower")
    ('pass', 'inconclusive')
    >>> outcome(0.03, 0.05, 0.02, "lower"), outcome(-0.05, -0.03, 0.02, "")
    ('worse', 'worse')
    """
    if margin < 0:
        raise UsageError(f"margin {margin}: it is 0 or above, in the units of the statistic")
    falls, rises = better != "lower", better != "higher"
    if (not falls or low > -margin) and (not rises or high < margin):
        return "pass"
    return "worse" if (falls and high < -margin) or (rises and low > margin) else "inconclusive"


def units_needed(
    bounds: Sequence[Bound], *, alpha: float = ALPHA, power: float = POWER
) -> int | None:
    """The fewest clusters that show all of it with this chance, if what was seen is true.

    The chance is at least 1 − Σ (1 − that of each bound). Null where no number would do.

    >>> apart = [0.3, -0.1, 0.2, 0.0]  # mean 0.1, sd 0.183: 0.2 above the limit
    >>> units_needed([Bound.of(apart, -0.1, above=True, bounds=(-1, 1))])
    7
    """

    def shown(n: int) -> bool:
        return 1 - sum(1 - bound.chance(n, alpha) for bound in bounds) >= power

    most = 2
    while not shown(most):
        most *= 2
        if most > MOST_UNITS:
            return None
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if shown(middle) else (middle, most)
    return most
