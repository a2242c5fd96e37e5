"""How small a difference of two rates over the same items can be and still be detected.

R. J. Connor: "Sample size for testing differences in proportions for the paired-sample design",
Biometrics 43 (1987), of McNemar's test without correction for continuity, which is the test of
`metrics.tango`.
"""

import math

from scipy.optimize import brentq
from scipy.special import ndtr

from ..errors import UsageError
from .equivalence import POWER
from .intervals import normal

LEVEL = 0.95
"""Of a two-sided test at α = 0.05."""

_SMALLEST = 1e-9


def paired_power(n: float, *, difference: float, discordant: float, level: float = LEVEL) -> float:
    """The chance that McNemar's test over n pairs finds a difference of the two rates.

    Φ((|d|√n − z√ψ) / √(ψ − d²)), ψ the share of pairs that differ at all (`discordant`), d the
    difference and z the quantile of the two-sided test (Connor 1987, solved for the power).

    >>> round(paired_power(196, difference=0.1, discordant=0.25), 3)  # Φ((1.4 − 0.98)/0.49)
    0.804
    """
    _check(n, discordant)
    if abs(difference) > discordant:
        raise UsageError(
            f"a difference of {difference:g} with {discordant:g} of the pairs differing: it cannot "
            "be larger than that share"
        )
    apart = abs(difference) * math.sqrt(n) - normal(level) * math.sqrt(discordant)
    spread = math.sqrt(discordant - difference * difference)
    return float(ndtr(apart / spread)) if spread > 0 else float(apart > 0)


def detectable_difference(
    n: float, *, discordant: float, level: float = LEVEL, power: float = POWER
) -> float | None:
    """The smallest difference of two rates over n pairs that is found with this chance.

    Null where even one that all the differing pairs share is found with less.

    >>> round(detectable_difference(196, discordant=0.25), 4)
    0.0995
    >>> detectable_difference(10, discordant=0.1)
    """
    _check(n, discordant)

    def lacking(difference: float) -> float:
        return paired_power(n, difference=difference, discordant=discordant, level=level) - power

    # a hair below the end: there nothing varies any more
    most = discordant * (1 - _SMALLEST)
    if lacking(most) < 0:
        return None
    return float(brentq(lacking, _SMALLEST * discordant, most))


def _check(n: float, discordant: float) -> None:
    if n <= 0 or not 0 < discordant <= 1:
        raise UsageError(
            f"{n:g} pairs of which {discordant:g} differ: pairs and a share above 0, up to 1"
        )
